#pragma once

/// \file bccoo.hpp
/// Blocked compressed coordinates, and the same in vertical slices (BCCOO+).
///
/// Y. Zhang, S. Li, S. Yan, H. Zhou: A cross-platform SpMV framework on many-core architectures. ACM Transactions on
/// Architecture and Code Optimization 13(4), 2016, article 33 (yaSpMV).
///
/// The matrix is cut into small dense blocks; those of a row of blocks follow one another, and one bit of each says
/// whether it is the last. Columns of blocks are kept tile by tile in as few bits as they need, values as in ccoo. What
/// a block holds besides entries are zeros; they never meet an infinity or a NaN of x in a row that has no entry there.
/// docs/formats.md has a picture.

#include <array>

#include "core/format.hpp"

namespace petscspmv {

namespace bccoo {

extern const std::array<OptionSpec, 7> option_table;

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options);

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
/// By the kernels of bccoo_kokkos.hpp.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);

} // namespace bccoo

template <class Scalar, class Index>
inline constexpr FormatType<Scalar, Index> bccoo_type{
  .name            = "bccoo",
  .method          = "blocked compressed coordinates (yaSpMV, Zhang et al. 2016)",
  .borrows         = false,
  .transposes      = false,
  .options         = bccoo::option_table,
  .predicted_bytes = bccoo::predicted_bytes<Scalar, Index>,
  .on_host         = bccoo::on_host<Scalar, Index>,
  .on_device       = built_for_device ? bccoo::through_kokkos<Scalar, Index> : nullptr,
  .through_kokkos  = bccoo::through_kokkos<Scalar, Index>,
};

} // namespace petscspmv
