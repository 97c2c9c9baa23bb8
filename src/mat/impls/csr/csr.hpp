#pragma once

/// \file csr.hpp
/// Products of plain CSR on AIJ's own arrays, dealt to threads in one of two ways.
///
/// aijspec deals parts of equally many nonzeros, whatever rows these are of, by speculative segmented sums:
///
/// W. Liu, B. Vinter: Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous processors.
/// Parallel Computing 49 (2015) 179-193, sections 3.1 and 3.2; arXiv:1504.06474.
///
/// aijlight deals rows in tickets, and a thread that finishes takes the next ticket:
///
/// Y. Liu, B. Schmidt: LightSpMV: faster CSR-based sparse matrix-vector multiplication on CUDA-enabled GPUs. 26th IEEE
/// International Conference on Application-specific Systems, Architectures and Processors (ASAP 2015), 82-89.
///
/// Which ticket a thread gets is different each time, how a row is summed is not. Rows that are much longer than others
/// are cut in pieces that are tickets of their own (the original does not do that).

#include <array>

#include "core/format.hpp"

namespace petscspmv {

namespace csr {

enum class Schedule { parts, tickets };

extern const std::array<OptionSpec, 7> parts_options;
extern const std::array<OptionSpec, 5> tickets_options;

template <Schedule, class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &, const OptionValues &);
template <Schedule, class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &, const OptionValues &, const Execution &);
/// By the kernels of csr_kokkos.hpp. The options tell the schedule.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &, const OptionValues &, const Execution &);
/// The same by another name: with several vectors on a device, it is plain CSR beside it that multiplies.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &, const OptionValues &, const Execution &);

template <Schedule schedule, class Scalar, class Index>
constexpr FormatType<Scalar, Index> type(std::string_view name, std::string_view method, std::span<const OptionSpec> options)
{
  return {
    .name            = name,
    .method          = method,
    .borrows         = true,
    .transposes      = true,
    .options         = options,
    .predicted_bytes = predicted_bytes<schedule, Scalar, Index>,
    .on_host         = on_host<schedule, Scalar, Index>,
    .on_device       = built_for_device ? on_device<Scalar, Index> : nullptr,
    .through_kokkos  = through_kokkos<Scalar, Index>,
  };
}

} // namespace csr

template <class Scalar, class Index>
inline constexpr FormatType<Scalar, Index>
  aijspec_type = csr::type<csr::Schedule::parts, Scalar, Index>("aijspec", "speculative segmented sum on plain CSR (Liu & Vinter 2015)",
                                                                csr::parts_options);

template <class Scalar, class Index>
inline constexpr FormatType<Scalar, Index> aijlight_type = csr::type<csr::Schedule::tickets, Scalar, Index>(
  "aijlight", "dynamic row distribution on plain CSR (LightSpMV, Liu & Schmidt 2015)", csr::tickets_options);

} // namespace petscspmv
