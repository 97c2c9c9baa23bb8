#pragma once

/// \file analysis.hpp
/// What is found out of a pattern before sweeps or factors are made.
///
/// Where they are to work on the host, threads of the host find it. For a device, its kernels do, from the arrays that
/// are there (kernel_*.hpp); but the host finds fill, and what rows have that are too long for a thread of a device.

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/execution.hpp"
#include "core/known_pattern.hpp"
#include "impls/sweeps/analysis_arrays.hpp"
#include "impls/sweeps/making.hpp"

namespace petscspmv {

template <class Scalar, class Index> struct Analysis {
  template <class Memory> using Arrays = kernels::Resident<sweeps::AnalysisArrays<Index, Memory>>;

  KnownPattern<Scalar, Index>           matrix;
  BlockOrder<Index>                     order; ///< none: the rows' own
  MemorySpace                           space;
  std::int64_t                          most_levels;    ///< with more, PETSc's is faster
  std::int64_t                          levels    = 0;  ///< of both triangles; perhaps of one if that is too many
  Arrays<kernels::KokkosHost::Memory>   on_host   = {}; ///< in one of these memories; null: nothing is to be made
  Arrays<kernels::KokkosDevice::Memory> on_device = {};

  template <class Memory> const Arrays<Memory> &at() const
  {
    if constexpr (std::is_same_v<Memory, kernels::KokkosHost::Memory>) return on_host;
    else return on_device;
  }
  template <class Memory> Arrays<Memory> &at() { return const_cast<Arrays<Memory> &>(std::as_const(*this).template at<Memory>()); }

  /// Why nothing is made; empty: something is.
  std::string why_not(Making when) const;
};

/// Of the pattern of `a` in this order: what is kept, if it is that, or a new one, which is kept then. With
/// Kernels::kokkos, the host does what a device does.
template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, const Execution &execution,
                                     Making when, KeptAnalysis<Scalar, Index> *kept);

/// Of this pattern, or its upper triangle and the transpose of that, with fill.
template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed_with_fill(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                               const Execution &execution, Making when);

} // namespace petscspmv
