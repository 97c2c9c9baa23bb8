#pragma once

/// \file host_region.hpp
/// A part of a matrix on the host, as it is planned by one thread.

#include "impls/ccoo/plan/plan.hpp"

namespace petscspmv::ccoo {

template <class Scalar> struct HostRegion : Region<Scalar, HostGroup> {
  std::vector<Local> lines;
};

/// The tiles of rows first .. last - 1.
template <class Scalar, class Index>
HostRegion<Scalar> plan_region(const CsrView<Scalar, Index> &a, const HostRules &rules, Local first, Local last);

} // namespace petscspmv::ccoo
