#pragma once

/// \file type_list.hpp
/// The list of types. A new method is one folder in impls/, its header here, and its name in the list.

#include "impls/aijlight/aijlight.hpp"
#include "impls/aijspec/aijspec.hpp"
#include "impls/bccoo/bccoo.hpp"
#include "impls/ccoo/ccoo.hpp"

namespace petscspmv {

template <class... F> struct FormatList {
};

template <class Scalar, class Index>
using AllFormats = FormatList< //
  AijSpec<Scalar, Index>,      //
  AijLight<Scalar, Index>,     //
  Ccoo<Scalar, Index>,         //
  Bccoo<Scalar, Index>>;

/// Calls visit.template operator()<F>() for each format F.
template <class Scalar, class Index, class Visit> void for_each_format(Visit &&visit)
{
  const auto each = [&visit]<class... F>(FormatList<F...>) { (visit.template operator()<F>(), ...); };
  each(AllFormats<Scalar, Index>());
}

} // namespace petscspmv
