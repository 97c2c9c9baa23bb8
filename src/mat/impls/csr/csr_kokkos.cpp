#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/csr/csr_format.hpp"
#include "kernels/rows/pointer.hpp"

namespace petscspmv::csr {
namespace {

/// Rows that a team repairs.
constexpr int dirty_rows = 256;

/// Tiles as they are found, one after the other.
template <class Index> class Tiling {
public:
  Tiling(const Index *row_ptr, Index rows, const Summary &summary, int snap)
    : row_ptr_(row_ptr), rows_(rows), summary_(summary), snap_(snap)
  {
    const std::int64_t nonzeros = row_ptr[rows];
    tile.reserve(static_cast<std::size_t>(nonzeros / summary.step) + 1);
    Cut begin{0, 0, 0};
    for (std::int64_t window = summary.step; tile.empty() || tile.back().end < nonzeros; window += summary.step) {
      Cut end{row_ptr[rows], rows, rows};
      if (window < nonzeros)
        if (const Cut cut = find_cut(static_cast<Index>(window), begin.next_row); cut.entry < nonzeros) end = cut;
      add({begin.entry, end.entry, begin.next_row, end.last_row});
      begin = end;
    }
  }

  std::vector<Piece<Index>>               tile;
  std::vector<Piece<Index>>               dirty;
  std::vector<kernels::CutSegment<Index>> cut_rows;

private:
  struct Cut {
    Index entry;
    Index next_row; ///< first row of the tile that begins there
    Index last_row; ///< Piece::last_row of the one that ends there: one more than next_row where a row is cut
  };

  /// The cut that belongs to the window which begins with `entry`, and is not before this row.
  Cut find_cut(Index entry, Index row) const
  {
    const auto above = static_cast<Index>(std::lower_bound(row_ptr_ + row, row_ptr_ + rows_, entry) - row_ptr_);
    if (row_ptr_[above] - entry < snap_) return {row_ptr_[above], above, above};
    return {entry, above - 1, above};
  }

  void add(const Piece<Index> &t)
  {
    const auto number = static_cast<std::int64_t>(tile.size());
    tile.push_back(t);
    if (t.rows() > 0) {
      if (row_ptr_[t.first_row] < t.begin) cut_rows.back().last_piece = number;
      if (row_ptr_[t.last_row - 1] >= t.begin && row_ptr_[t.last_row] > t.end) cut_rows.push_back({t.last_row - 1, number, number});
    }
    if (!summary_.is_dirty(t)) return;
    for (Index row = t.first_row + 1, last = t.last_row - 1; row < last; row += std::min<Index>(dirty_rows, last - row))
      dirty.push_back({t.begin, t.end, row, row + std::min<Index>(dirty_rows, last - row)});
  }

  const Index   *row_ptr_;
  Index          rows_;
  const Summary &summary_;
  int            snap_;
};

/// Where a row has the entries of more tiles than that, a device is dealt tickets, which take a long row apart by
/// itself. H100, cold, microseconds with tiles and with tickets: R-MAT 20 213, 172; 7-point 160^3, which has no such
/// row, 152, 163. Between these, the number is not measured.
constexpr int many_windows = 8;

/// Whether they are those of aijlight.
bool are_of_tickets(const OptionValues &options)
{
  const auto table = options.table();
  return std::any_of(table.begin(), table.end(), [](const OptionSpec &spec) { return spec.key == "ticket"; });
}

/// Lanes that sum a row, by the mean length of rows: one up to the length `one`, and more where each has more than
/// `each`.
int lanes_for(double mean_length, double one, double each)
{
  int n = 1;
  while (n < 32 && mean_length > (n == 1 ? one : each * n)) n *= 2;
  return n;
}

/// V. H100, cold, microseconds with 1, 2, 4, 8 and 16 (mean length): 7-point 128^3 (7) 90, 128, 194, 347, -, a circuit
/// (8) 60, 78, 114, 187, -, a mesh of 600,000 nodes (15) 53, 58, 74, 111, 199, 27-point 96^3 (26) 118, 120, 122, 181,
/// 303, with three unknowns a node (48^3, 78) 146, 138, 125, 122, 145. R-MAT 19 (15) with 2: 92; when rows of more than
/// 256 entries were summed by the whole team, after the others, 113.
constexpr double vector_one = 15, vector_each = 14;
/// The same for several vectors, whose entries are read by the lanes of a row.
constexpr double several_each = 4;

/// Rows of a ticket at most, for each that is summed at the same time. H100, cold, microseconds with 1 and 2: 5-point
/// 1500^2 78.2, 77.1, 7-point 128^3 90.4, 88.2, R-MAT 19 113.4, 109.9, 27-point 96^3 120.6, 120.8.
constexpr int rows_of_a_thread = 2;

/// Entries of a piece of a row that is too long for a ticket.
constexpr int piece_entries = 4 * ticket_entries;

/// Tickets of some rows, one after the other.
template <class Index> struct Deal {
  const Index *row_ptr;
  Index        most_rows; ///< of a ticket

  std::vector<Piece<Index>>               pieces = {}, tickets = {};
  std::vector<kernels::CutSegment<Index>> cut  = {};
  Piece<Index>                            open = {};

  /// The rows up to `next` have tickets.
  void close(Index next)
  {
    if (open.rows() > 0) tickets.push_back(open);
    open = {row_ptr[next], row_ptr[next], next, next};
  }

  void add(Index row)
  {
    if (row_ptr[row + 1] - open.begin > ticket_entries || row - open.first_row == most_rows) close(row);
    open.last_row = row + 1;
    open.end      = row_ptr[row + 1];
  }

  /// In pieces of so many entries.
  void add_long(Index row, std::int64_t entries)
  {
    close(row + 1);
    const auto first = static_cast<std::int64_t>(pieces.size());
    for (Index from = row_ptr[row], to; from < row_ptr[row + 1]; from = to) {
      to = row_ptr[row + 1] - from > entries ? static_cast<Index>(from + entries) : row_ptr[row + 1];
      pieces.push_back({from, to, row, row});
    }
    cut.push_back({row, first, static_cast<std::int64_t>(pieces.size()) - 1});
  }
};

} // namespace

template <class Scalar, class Index, class Memory>
PiecesOfRows<Scalar, Index, Memory>::PiecesOfRows(const Index *host_row_ptr, Index rows, const OptionValues &options, bool for_device)
{
  if (are_of_tickets(options)) {
    deal_tickets(host_row_ptr, rows, options, for_device);
    return;
  }
  Index longest = 0;
  kernels::visit_rows(host_row_ptr, rows, [&](Index, Index entries) { longest = std::max(longest, entries); });
  if (for_device && longest > many_windows * ticket_entries) deal_tickets(host_row_ptr, rows, OptionValues(tickets_options), for_device);
  else cut_into_tiles(host_row_ptr, rows, longest, for_device ? Lanes() : static_cast<int>(options["bunch"]));
}

template <class Scalar, class Index, class Memory>
void PiecesOfRows<Scalar, Index, Memory>::cut_into_tiles(const Index *host_row_ptr, Index rows, Index longest, int lanes)
{
  summary.lanes = lanes;
  // Where windows overlap, what they share is loaded twice: a ninth of a window is what they may lose so.
  const int snap  = longest <= summary.window() / 9 ? static_cast<int>(longest) : 1;
  const int grain = std::min(32, summary.lanes); // of aligned loads
  summary.step    = summary.window() - (snap - 1 + grain - 1) / grain * grain;
  const Tiling<Index> tiling(host_row_ptr, rows, summary, snap);
  piece = kernels::host_array(tiling.tile);
  dirty = kernels::host_array(tiling.dirty);
  cut   = kernels::host_array(tiling.cut_rows);
  head  = kernels::new_array<S>(tiling.cut_rows.empty() ? 0 : tiling.tile.size());
  tail  = kernels::new_array<S>(head.extent(0));
}

template <class Scalar, class Index, class Memory>
void PiecesOfRows<Scalar, Index, Memory>::deal_tickets(const Index *host_row_ptr, Index rows, const OptionValues &options, bool for_device)
{
  summary.schedule    = Schedule::tickets;
  const auto asked_or = [&options](const char *key, std::int64_t otherwise) { return options[key] > 0 ? options[key] : otherwise; };
  if (const double mean = double(host_row_ptr[rows]) / double(rows); for_device) {
    summary.vector  = options["width"] > 0 ? 1 << (options["width"] - 1) : lanes_for(mean, vector_one, vector_each);
    summary.several = options["width"] > 0 ? summary.vector : lanes_for(mean, several_each, several_each);
  }
  const std::int64_t long_entries = asked_or("threshold", piece_entries),
                     most_rows    = asked_or("ticket", rows_of_a_thread * Lanes() / summary.vector);
  summary.rows                    = static_cast<int>(std::min<std::int64_t>(most_rows, ticket_entries));
  Deal<Index> deal{host_row_ptr, summary.rows};
  kernels::visit_rows(host_row_ptr, rows, [&](Index row, Index entries) {
    if (entries > std::min<std::int64_t>(long_entries, ticket_entries)) deal.add_long(row, long_entries);
    else deal.add(row);
  });
  deal.close(rows);
  summary.pieces = static_cast<int>(deal.pieces.size());
  deal.pieces.insert(deal.pieces.end(), deal.tickets.begin(), deal.tickets.end());
  piece = kernels::host_array(deal.pieces);
  cut   = kernels::host_array(deal.cut);
  tail  = kernels::new_array<S>(static_cast<std::size_t>(summary.pieces));
}

template <class Scalar, class Index, class Memory> Facts PiecesOfRows<Scalar, Index, Memory>::facts() const
{
  const auto text = [](auto n) { return std::to_string(n); };
  if (summary.schedule == Schedule::parts)
    return {{"tiles", text(piece.extent(0))}, {"cut rows", text(cut.extent(0))}, {"pieces of dirty tiles", text(dirty.extent(0))}};
  return {{"tickets", text(piece.extent(0))},
          {"rows a ticket", text(summary.rows)},
          {"lanes a row", text(summary.vector)},
          {"long rows", text(cut.extent(0))},
          {"pieces of long rows", text(summary.pieces)}};
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return kernels::made_at(execution.space, [&]<class Place>(Place) -> FormatPtr<Scalar, Index> {
    return std::make_unique<KokkosCsr<Scalar, Index, Place>>(a, options, execution);
  });
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return through_kokkos(a, options, execution);
}

#define INSTANTIATE(S, I) \
  template FormatPtr<S, I> through_kokkos(const CsrView<S, I> &, const OptionValues &, const Execution &); \
  template FormatPtr<S, I> on_device(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::csr
