#pragma once

/// \file aijlight.hpp
/// Dynamic row distribution on plain CSR.
///
/// Y. Liu, B. Schmidt: LightSpMV: faster CSR-based sparse matrix-vector multiplication on CUDA-enabled GPUs. 26th IEEE
/// International Conference on Application-specific Systems, Architectures and Processors (ASAP 2015), 82-89.
///
/// Rows are dealt in tickets, and a thread that finishes takes the next ticket. Which ticket somebody gets is different each
/// time, how a row is summed is not. Rows that are much longer than others are cut in pieces that are tickets of their
/// own (the original does not do that).

#include <array>

#include "core/format.hpp"

namespace petscspmv {

namespace aijlight {

extern const std::array<OptionSpec, 5> option_table;

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options);

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);
/// By the kernels of aijlight_kokkos.hpp.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution);

} // namespace aijlight

template <class Scalar, class Index>
inline constexpr FormatType<Scalar, Index> aijlight_type{
  .name            = "aijlight",
  .method          = "dynamic row distribution on plain CSR (LightSpMV, Liu & Schmidt 2015)",
  .borrows         = true,
  .transposes      = true,
  .options         = aijlight::option_table,
  .predicted_bytes = aijlight::predicted_bytes<Scalar, Index>,
  .on_host         = aijlight::on_host<Scalar, Index>,
  .on_device       = built_for_device ? aijlight::on_device<Scalar, Index> : nullptr,
  .through_kokkos  = aijlight::through_kokkos<Scalar, Index>,
};

} // namespace petscspmv
