#include "impls/aijlight/aijlight_kokkos.hpp"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "impls/aijlight/aijlight.hpp"
#include "kernels/kokkos/format.hpp"

namespace petscspmv {
namespace aijlight {
namespace {

/// Threads of a team on a device, each with a vector of lanes; and on the host lanes that are only a number of products
/// to keep.
constexpr int device_lanes = 256, host_lanes = 64;

/// Rows from which on a team sums each: so many entries are a lot for the lanes of one thread.
constexpr std::int64_t device_threshold = 2048, host_threshold = 16384;

/// V, the least power of two of which there are four entries each: the paper's 2, 4, 8 and 32 are for devices that read
/// all entries of a row together.
int vector_lanes(double mean_length)
{
  int lanes = 1;
  while (lanes < 32 && mean_length > 4 * lanes) lanes *= 2;
  return lanes;
}

/// Rows that fit with their products, if they are no longer than a quarter more than in the mean.
std::int64_t ticket_rows(double mean_length, int lanes)
{
  return std::max<std::int64_t>(static_cast<std::int64_t>(lanes * kernels::lane_entries / (mean_length * 1.25 + 0.5)), 1);
}

} // namespace

template <class Scalar, class Index, class Memory>
LightMatrix<Scalar, Index, Memory>::LightMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
  : counter(kernels::host_array(std::vector<std::int64_t>{0}))
{
  const double mean     = static_cast<double>(a.nonzeros()) / static_cast<double>(a.rows);
  const auto   asked_or = [&options](const char *key, std::int64_t otherwise) { return options[key] > 0 ? options[key] : otherwise; };
  summary.rows          = a.rows;
  summary.lanes         = for_device ? device_lanes : host_lanes;
  if (for_device) summary.vector = options["width"] > 0 ? 1 << (options["width"] - 1) : vector_lanes(mean);
  summary.ticket    = asked_or("ticket", ticket_rows(mean, summary.lanes));
  summary.tickets   = (a.rows + summary.ticket - 1) / summary.ticket;
  summary.threshold = asked_or("threshold", for_device ? device_threshold : host_threshold);
  std::vector<Index> longer;
  for (Index r = 0; r < a.rows; ++r)
    if (a.row_ptr[r + 1] - a.row_ptr[r] > summary.threshold) longer.push_back(r);
  long_row = kernels::host_array(longer);
  kernels::borrow_csr(a, *this);
}

template <class Scalar, class Index, class Memory> Facts LightMatrix<Scalar, Index, Memory>::facts() const
{
  return {{"tickets", std::to_string(summary.tickets)},
          {"rows a ticket", std::to_string(summary.ticket)},
          {"lanes a row", std::to_string(summary.vector)},
          {"long rows", std::to_string(long_row.extent(0))}};
}

} // namespace aijlight

template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> AijLight<Scalar, Index>::through_kokkos(const View &a, const OptionValues &options,
                                                                                  const Execution &execution, int team, int lanes)
{
  return kernels::make_kokkos_format<aijlight::LightMatrix>(a, options, execution, {team, lanes});
}

template std::unique_ptr<AnyFormat<double, std::int32_t>> AijLight<double, std::int32_t>::through_kokkos(const View &, const OptionValues &,
                                                                                                         const Execution &, int, int);
template std::unique_ptr<AnyFormat<double, std::int64_t>> AijLight<double, std::int64_t>::through_kokkos(const View &, const OptionValues &,
                                                                                                         const Execution &, int, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int32_t>>
AijLight<std::complex<double>, std::int32_t>::through_kokkos(const View &, const OptionValues &, const Execution &, int, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int64_t>>
AijLight<std::complex<double>, std::int64_t>::through_kokkos(const View &, const OptionValues &, const Execution &, int, int);

} // namespace petscspmv
