#pragma once

/// \file aijspec.hpp
/// Speculative segmented sum on plain CSR.
///
/// W. Liu, B. Vinter: Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous processors.
/// Parallel Computing 49 (2015) 179-193, sections 3.1 and 3.2; arXiv:1504.06474.

#include <array>

#include "core/format.hpp"

namespace petscspmv {

namespace aijspec {

extern const std::array<OptionSpec, 8> option_table;

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options);

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
/// By the kernels of aijspec_kokkos.hpp.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);

} // namespace aijspec

template <class Scalar, class Index>
inline constexpr FormatType<Scalar, Index> aijspec_type{
  .name            = "aijspec",
  .method          = "speculative segmented sum on plain CSR (Liu & Vinter 2015)",
  .borrows         = true,
  .transposes      = true,
  .options         = aijspec::option_table,
  .predicted_bytes = aijspec::predicted_bytes<Scalar, Index>,
  .on_host         = aijspec::on_host<Scalar, Index>,
  .on_device       = built_for_device ? aijspec::on_device<Scalar, Index> : nullptr,
  .through_kokkos  = aijspec::through_kokkos<Scalar, Index>,
};

} // namespace petscspmv
