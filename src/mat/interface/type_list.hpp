#pragma once

/// \file type_list.hpp
/// The list of types. A new method is one folder in impls/, its header here, and its name in the list.

#include "impls/aijspec/aijspec.hpp"

namespace petscspmv {

/// Calls visit.template operator()<F>() for each format F.
template <class Scalar, class Index, class Visit> void for_each_format(Visit &&visit)
{
  const auto    each = [&visit]<class... F>() { (visit.template operator()<F>(), ...); };
  each.template operator()<AijSpec<Scalar, Index>>();
}

} // namespace petscspmv
