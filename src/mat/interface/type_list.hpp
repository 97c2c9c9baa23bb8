#pragma once

/// \file type_list.hpp
/// The list of types. A new method is one folder in impls/, its header here, and its name in the list.

#include <array>

#include "impls/bccoo/bccoo.hpp"
#include "impls/ccoo/ccoo.hpp"
#include "impls/csr/csr.hpp"

namespace petscspmv {

/// All of them. The first is plain CSR, which takes next to nothing to build. auto goes on as ccoo
/// (select/automatic.hpp).
template <class Scalar, class Index>
inline constexpr std::array all_types{
  aijspec_type<Scalar, Index>,  //
  aijlight_type<Scalar, Index>, //
  ccoo_type<Scalar, Index>,     //
  bccoo_type<Scalar, Index>,
};

} // namespace petscspmv
