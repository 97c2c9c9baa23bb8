#include "impls/aijlight/aijlight_kokkos.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/aijlight/aijlight.hpp"
#include "kernels/kokkos/format.hpp"
#include "kernels/rows/pointer.hpp"
#if defined(PETSCSPMV_CUDA)
  #include "impls/aijlight/aijlight_device.cuh"
#endif

namespace petscspmv::aijlight {
namespace {

/// V, by the mean length of rows. H100, cold, microseconds with 1, 2, 4, 8 and 16 (mean length): 7-point 128^3 (7) 90,
/// 128, 194, 347, -, a circuit (8) 60, 78, 114, 187, -, a mesh of 600,000 nodes (15) 53, 58, 74, 111, 199, 27-point 96^3
/// (26) 118, 120, 122, 181, 303, with three unknowns a node (48^3, 78) 146, 138, 125, 122, 145. R-MAT 19 (15) with 2: 92;
/// when rows of more than 256 entries were summed by the whole team, after the others, 113.
int vector_lanes(double mean_length)
{
  int n = 1;
  while (n < 32 && mean_length > (n == 1 ? 15 : 14 * n)) n *= 2;
  return n;
}

/// The same for several vectors, whose entries are read by the lanes of a row.
int several_lanes(double mean_length)
{
  int n = 1;
  while (n < 32 && mean_length > 4 * n) n *= 2;
  return n;
}

/// Rows of a ticket at most, for each that is summed at the same time. H100, cold, microseconds with 1 and 2: 5-point
/// 1500^2 78.2, 77.1, 7-point 128^3 90.4, 88.2, R-MAT 19 113.4, 109.9, 27-point 96^3 120.6, 120.8.
constexpr int rows_of_a_thread = 2;

/// Entries of a piece of a row that is too long for a ticket.
constexpr int piece_entries = 4 * ticket_entries;

/// Tickets of some rows, one after the other.
template <class Index> struct Deal {
  const Index *row_ptr;
  Index        most_rows; ///< of a ticket

  std::vector<Ticket<Index>>              pieces = {}, tickets = {};
  std::vector<kernels::CutSegment<Index>> cut  = {};
  Ticket<Index>                           open = {};

  /// The rows up to `next` have tickets.
  void close(Index next)
  {
    if (open.last > open.first) tickets.push_back(open);
    open = {next, next, row_ptr[next], row_ptr[next]};
  }

  void add(Index row)
  {
    if (row_ptr[row + 1] - open.begin > ticket_entries || row - open.first == most_rows) close(row);
    open.last = row + 1;
    open.end  = row_ptr[row + 1];
  }

  /// In pieces of so many entries.
  void add_long(Index row, std::int64_t entries)
  {
    close(row + 1);
    const auto first = static_cast<std::int64_t>(pieces.size());
    for (Index from = row_ptr[row], to; from < row_ptr[row + 1]; from = to) {
      to = row_ptr[row + 1] - from > entries ? static_cast<Index>(from + entries) : row_ptr[row + 1];
      pieces.push_back({row, row, from, to});
    }
    cut.push_back({row, first, static_cast<std::int64_t>(pieces.size()) - 1});
  }
};

} // namespace

template <class Scalar, class Index, class Memory>
LightMatrix<Scalar, Index, Memory>::LightMatrix(const Index *host_row_ptr, Index rows, const OptionValues &options, bool for_device)
{
  const auto asked_or = [&options](const char *key, std::int64_t otherwise) { return options[key] > 0 ? options[key] : otherwise; };
  if (const double mean = double(host_row_ptr[rows]) / double(rows); for_device) {
    summary.vector  = options["width"] > 0 ? 1 << (options["width"] - 1) : vector_lanes(mean);
    summary.several = options["width"] > 0 ? summary.vector : several_lanes(mean);
  }
  const std::int64_t piece     = asked_or("threshold", piece_entries),
                     most_rows = asked_or("ticket", rows_of_a_thread * Lanes() / summary.vector);
  summary.rows                 = static_cast<int>(std::min<std::int64_t>(most_rows, ticket_entries));
  Deal<Index> deal{host_row_ptr, summary.rows};
  kernels::visit_rows(host_row_ptr, rows, [&](Index row, Index entries) {
    if (entries > std::min<std::int64_t>(piece, ticket_entries)) deal.add_long(row, piece);
    else deal.add(row);
  });
  deal.close(rows);
  summary.pieces = static_cast<int>(deal.pieces.size());
  deal.pieces.insert(deal.pieces.end(), deal.tickets.begin(), deal.tickets.end());
  ticket = kernels::host_array(deal.pieces);
  cut    = kernels::host_array(deal.cut);
  part   = kernels::new_array<S>(static_cast<std::size_t>(summary.pieces));
}

template <class Scalar, class Index, class Memory>
LightMatrix<Scalar, Index, Memory>::LightMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
  : LightMatrix(a.row_ptr, a.rows, options, for_device)
{
  kernels::borrow_csr(a, *this);
}

template <class Scalar, class Index, class Memory> Facts LightMatrix<Scalar, Index, Memory>::facts() const
{
  return {{"tickets", std::to_string(ticket.extent(0))},
          {"rows a ticket", std::to_string(summary.rows)},
          {"lanes a row", std::to_string(summary.vector)},
          {"long rows", std::to_string(cut.extent(0))},
          {"pieces of long rows", std::to_string(summary.pieces)}};
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return kernels::make_kokkos_format<LightMatrix>(a, options, execution);
}

#if defined(PETSCSPMV_CUDA)
template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  const auto make_several = [](const CsrView<Scalar, Index> &view) {
    return through_kokkos(view, OptionValues(option_table), {MemorySpace::device, 1});
  };
  if (runtime::has_device()) kernels::need_kokkos();
  return std::make_unique<kernels::DeviceMatrix<Scalar, Index, DeviceRows<Scalar, Index>>>(a, options, execution.threads, make_several);
}

  #define INSTANTIATE_DEVICE(S, I) template FormatPtr<S, I> on_device(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE_DEVICE)
#endif

#define INSTANTIATE(S, I) template FormatPtr<S, I> through_kokkos(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijlight
