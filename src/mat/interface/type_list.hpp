#pragma once

/// \file type_list.hpp
/// The list of types. A new method is one folder in impls/, its header here, and its name in the list.

#include <algorithm>
#include <array>

#include "impls/aijauto/aijauto.hpp"
#include "impls/aijlight/aijlight.hpp"
#include "impls/aijspec/aijspec.hpp"
#include "impls/bccoo/bccoo.hpp"
#include "impls/ccoo/ccoo.hpp"

namespace petscspmv {

/// The methods. The first is plain CSR, which takes next to nothing to build.
template <class Scalar, class Index>
inline constexpr std::array methods{
  aijspec_type<Scalar, Index>,  //
  aijlight_type<Scalar, Index>, //
  ccoo_type<Scalar, Index>,     //
  bccoo_type<Scalar, Index>,
};

/// All types: the methods, and the one that chooses among them.
template <class Scalar, class Index>
inline constexpr auto all_types = [] {
  std::array<FormatType<Scalar, Index>, methods<Scalar, Index>.size() + 1> all{};
  std::copy(methods<Scalar, Index>.begin(), methods<Scalar, Index>.end(), all.begin());
  all.back() = aijauto_type<Scalar, Index, methods<Scalar, Index>>;
  return all;
}();

} // namespace petscspmv
