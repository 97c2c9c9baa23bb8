#include "impls/aijspec/aijspec_kokkos.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "impls/aijspec/aijspec.hpp"
#include "kernels/kokkos/format.hpp"

namespace petscspmv {
namespace aijspec {
namespace {

/// Rows of a dirty tile that a team repairs.
constexpr std::int64_t dirty_rows = 256;

/// Tiles as they are found, one after the other.
template <class Scalar, class Index> struct Tiling {
  const CsrView<Scalar, Index> &a;
  int                           lanes;
  std::vector<SpecTile<Index>>  tile = {};
  kernels::SegmentList<Index>   segments{lanes, lane_entries};
  std::vector<DirtyRows<Index>> dirty  = {};
  std::vector<int>              begins = {};
  Index                         sums   = 0;

  /// The last row that begins at entry i or before, which has it unless i is behind the last.
  Index row_of(Index i) const { return static_cast<Index>(std::upper_bound(a.row_ptr, a.row_ptr + a.rows + 1, i) - a.row_ptr - 1); }

  void add(Index begin)
  {
    const Index capacity = static_cast<Index>(lanes) * lane_entries, row = row_of(begin);
    Index       end    = a.nonzeros() - begin > capacity ? begin + capacity : a.nonzeros();
    const Index bottom = row_of(end); // that goes on at `end`, or begins there
    if (a.row_ptr[bottom] - begin >= capacity - capacity / 4) end = a.row_ptr[bottom];
    SpecTile<Index> t{begin, end, row, -1, 0, a.row_ptr[row] < begin, a.row_ptr[bottom] < end};
    // All rows up to the next tile are this one's, empty ones before the first tile and behind its last row, too.
    const Index from = tile.empty() ? 0 : row, to = bottom + t.opens;
    begins.clear();
    for (Index r = t.continues ? row + 1 : row; r < to; ++r)
      if (a.row_ptr[r] < a.row_ptr[r + 1]) begins.push_back(static_cast<int>(a.row_ptr[r] - begin));
    t.segments = static_cast<std::int32_t>(begins.size()) + t.continues;
    segments.add(begins, t.continues, t.opens, to - 1);
    if (t.segments < to - from) {
      t.sums = sums;
      sums += t.segments;
      add_dirty(t, from + t.continues, to - t.opens);
    }
    tile.push_back(t);
  }

private:
  void add_dirty(const SpecTile<Index> &t, Index from, Index to)
  {
    Index rank = t.sums + t.continues;
    for (Index r = from; r < to;) {
      const Index end = to - r > dirty_rows ? static_cast<Index>(r + dirty_rows) : to;
      dirty.push_back({r, end, rank});
      for (; r < end; ++r) rank += a.row_ptr[r] < a.row_ptr[r + 1];
    }
  }
};

} // namespace

template <class Scalar, class Index, class Memory>
SpecMatrix<Scalar, Index, Memory>::SpecMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
  : summary{for_device ? device_lanes : static_cast<int>(options["bunch"])}
{
  Tiling<Scalar, Index> tiling{a, summary.lanes};
  for (Index begin = 0; begin < a.nonzeros(); begin = tiling.tile.back().end) tiling.add(begin);
  kernels::borrow_csr(a, *this);
  tile  = kernels::host_array(tiling.tile);
  flags = kernels::host_array(tiling.segments.flags);
  dirty = kernels::host_array(tiling.dirty);
  cut   = kernels::host_array(tiling.segments.cut);
  sums  = kernels::new_array<S>(static_cast<std::size_t>(tiling.sums));
  head  = kernels::new_array<S>(tiling.segments.cut.empty() ? 0 : tiling.tile.size());
  tail  = kernels::new_array<S>(head.extent(0));
}

template <class Scalar, class Index, class Memory> Facts SpecMatrix<Scalar, Index, Memory>::facts() const
{
  return {{"tiles", std::to_string(tile.extent(0))},
          {"cut rows", std::to_string(cut.extent(0))},
          {"pieces of dirty tiles", std::to_string(dirty.extent(0))}};
}

} // namespace aijspec

template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> AijSpec<Scalar, Index>::through_kokkos(const View &a, const OptionValues &options,
                                                                                 const Execution &execution, int team, int lanes)
{
  return kernels::make_kokkos_format<aijspec::SpecMatrix>(a, options, execution, {team, lanes});
}

template std::unique_ptr<AnyFormat<double, std::int32_t>> AijSpec<double, std::int32_t>::through_kokkos(const View &, const OptionValues &,
                                                                                                        const Execution &, int, int);
template std::unique_ptr<AnyFormat<double, std::int64_t>> AijSpec<double, std::int64_t>::through_kokkos(const View &, const OptionValues &,
                                                                                                        const Execution &, int, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int32_t>>
AijSpec<std::complex<double>, std::int32_t>::through_kokkos(const View &, const OptionValues &, const Execution &, int, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int64_t>>
AijSpec<std::complex<double>, std::int64_t>::through_kokkos(const View &, const OptionValues &, const Execution &, int, int);

} // namespace petscspmv
