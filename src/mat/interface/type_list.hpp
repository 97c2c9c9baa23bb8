#pragma once

/// \file type_list.hpp
/// The list of types. A new method is one folder in impls/, its header here, and its name in the list.

#include "impls/aijauto/aijauto.hpp"
#include "impls/aijlight/aijlight.hpp"
#include "impls/aijspec/aijspec.hpp"
#include "impls/bccoo/bccoo.hpp"
#include "impls/ccoo/ccoo.hpp"

namespace petscspmv {

template <class... F> struct FormatList {
};

/// The methods. The first is plain CSR, which takes next to nothing to build.
template <class Scalar, class Index>
using Methods = FormatList< //
  AijSpec<Scalar, Index>,   //
  AijLight<Scalar, Index>,  //
  Ccoo<Scalar, Index>,      //
  Bccoo<Scalar, Index>>;

namespace detail {

template <class Scalar, class Index, class List> struct WithAuto;
template <class Scalar, class Index, class... F> struct WithAuto<Scalar, Index, FormatList<F...>> {
  using type = FormatList<F..., AijAuto<Scalar, Index, F...>>;
};

} // namespace detail

/// All types: the methods, and the one that chooses among them.
template <class Scalar, class Index> using AllFormats = typename detail::WithAuto<Scalar, Index, Methods<Scalar, Index>>::type;

/// Calls visit.template operator()<F>() for each format F of a list.
template <class List, class Visit> void for_each_in(Visit &&visit)
{
  const auto each = [&visit]<class... F>(FormatList<F...>) { (visit.template operator()<F>(), ...); };
  each(List());
}

/// The same for all types.
template <class Scalar, class Index, class Visit> void for_each_format(Visit &&visit)
{
  for_each_in<AllFormats<Scalar, Index>>(visit);
}

} // namespace petscspmv
