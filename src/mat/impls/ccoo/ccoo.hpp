#pragma once

/// \file ccoo.hpp
/// Balanced and compressed coordinates.
///
/// J. I. Aliaga, H. Anzt, E. S. Quintana-Orti, A. E. Tomas, Y. M. Tsai: Balanced and compressed coordinate layout for
/// the sparse matrix-vector product on GPUs. Euro-Par 2020: Parallel Processing Workshops, LNCS 12480, 83-95.
///
/// The paper's idea is kept: coordinates relative to a piece of the matrix, values through tables, work in equal
/// pieces. What a piece is and how it is written is chosen for each one: rows that look alike from the diagonal share a
/// list of column offsets and need no indices (tiles/diagonal.hpp), others are sorted by length and go eight side by
/// side (tiles/gather.hpp), and very long rows are cut into the paper's own chunks (tiles/chunk.hpp), which can also be
/// had for the whole matrix. Values are kept bit for bit (kernels/coding/values.hpp). docs/formats.md has pictures.

#include <array>

#include "core/format.hpp"

namespace petscspmv {

namespace ccoo {

extern const std::array<OptionSpec, 16> option_table;

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options);

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
/// Analyses `a` on the host, and makes its pieces on the device.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
/// By the kernels of ccoo_kokkos.hpp.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);

} // namespace ccoo

template <class Scalar, class Index>
inline constexpr FormatType<Scalar, Index> ccoo_type{
  .name            = "ccoo",
  .method          = "balanced and compressed coordinates (Aliaga et al. 2020), tile by tile",
  .borrows         = false,
  .transposes      = false,
  .options         = ccoo::option_table,
  .predicted_bytes = ccoo::predicted_bytes<Scalar, Index>,
  .on_host         = ccoo::on_host<Scalar, Index>,
  .on_device       = built_for_device ? ccoo::on_device<Scalar, Index> : nullptr,
  .through_kokkos  = ccoo::through_kokkos<Scalar, Index>,
};

} // namespace petscspmv
