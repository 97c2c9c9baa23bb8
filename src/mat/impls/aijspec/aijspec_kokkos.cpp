#include "impls/aijspec/aijspec_kokkos.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/aijspec/aijspec.hpp"
#include "kernels/kokkos/format.hpp"
#include "kernels/rows/pointer.hpp"

namespace petscspmv::aijspec {
namespace {

/// Rows that a team repairs.
constexpr int dirty_rows = 256;

/// Tiles as they are found, one after the other.
template <class Index> class Tiling {
public:
  Tiling(const Index *row_ptr, Index rows, const SpecSummary &summary, int snap)
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

  std::vector<SpecTile<Index>>            tile;
  std::vector<DirtyRows<Index>>           dirty;
  std::vector<kernels::CutSegment<Index>> cut_rows;

private:
  struct Cut {
    Index entry;
    Index next_row; ///< first row of the tile that begins there
    Index last_row; ///< SpecTile::last_row of the one that ends there: one more than next_row where a row is cut
  };

  /// The cut that belongs to the window which begins with `entry`, and is not before this row.
  Cut find_cut(Index entry, Index row) const
  {
    const auto above = static_cast<Index>(std::lower_bound(row_ptr_ + row, row_ptr_ + rows_, entry) - row_ptr_);
    if (row_ptr_[above] - entry < snap_) return {row_ptr_[above], above, above};
    return {entry, above - 1, above};
  }

  void add(const SpecTile<Index> &t)
  {
    const auto number = static_cast<std::int64_t>(tile.size());
    tile.push_back(t);
    if (t.rows() > 0) {
      if (row_ptr_[t.first_row] < t.begin) cut_rows.back().last_piece = number;
      if (row_ptr_[t.last_row - 1] >= t.begin && row_ptr_[t.last_row] > t.end) cut_rows.push_back({t.last_row - 1, number, number});
    }
    if (!summary_.is_dirty(t)) return;
    for (Index row = t.first_row + 1, last = t.last_row - 1; row < last; row += std::min<Index>(dirty_rows, last - row))
      dirty.push_back({row, row + std::min<Index>(dirty_rows, last - row)});
  }

  const Index       *row_ptr_;
  Index              rows_;
  const SpecSummary &summary_;
  int                snap_;
};

} // namespace

template <class Scalar, class Index, class Memory>
SpecMatrix<Scalar, Index, Memory>::SpecMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
  : summary{for_device ? device_lanes : static_cast<int>(options["bunch"])}
{
  Index longest = 0;
  kernels::visit_rows(a.row_ptr, a.rows, [&](Index, Index entries) { longest = std::max(longest, entries); });
  // Where windows overlap, what they share is loaded twice: a ninth of a window is what they may lose so.
  const int snap  = longest <= summary.window() / 9 ? static_cast<int>(longest) : 1;
  const int grain = std::min(32, summary.lanes); // of aligned loads
  summary.step    = summary.window() - (snap - 1 + grain - 1) / grain * grain;
  kernels::borrow_csr(a, *this);
  const Tiling<Index> tiling(a.row_ptr, a.rows, summary, snap);
  tile  = kernels::host_array(tiling.tile);
  dirty = kernels::host_array(tiling.dirty);
  cut   = kernels::host_array(tiling.cut_rows);
  head  = kernels::new_array<S>(tiling.cut_rows.empty() ? 0 : tiling.tile.size());
  tail  = kernels::new_array<S>(head.extent(0));
}

template <class Scalar, class Index, class Memory> Facts SpecMatrix<Scalar, Index, Memory>::facts() const
{
  return {{"tiles", std::to_string(tile.extent(0))},
          {"cut rows", std::to_string(cut.extent(0))},
          {"pieces of dirty tiles", std::to_string(dirty.extent(0))}};
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return kernels::make_kokkos_format<SpecMatrix>(a, options, execution);
}

#define INSTANTIATE(S, I) template FormatPtr<S, I> through_kokkos(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijspec
