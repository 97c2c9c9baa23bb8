#pragma once

/// \file aijspec_device_plan.cuh
/// One pass over the row pointer on the device: which blocks of rows are tame, and where the rows of tiles are.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "impls/aijspec/aijspec_device.hpp"
#include "impls/aijspec/aijspec_device_layout.cuh"
#include "kernels/device_array.cuh"
#include "kernels/device_launch.cuh"

namespace petscspmv::aijspec {

/// What the pass over all blocks of rows counts. Sums and maxima of integers: the same in any order.
struct BlockCounts {
  unsigned long long backwards;    ///< rows that end before they begin
  unsigned long long wild_blocks;  ///< blocks with too many entries or too long a row
  unsigned long long tame_entries; ///< entries of the others
  unsigned long long largest_tame; ///< most entries of one of the others
  unsigned long long longest_row;
};

inline constexpr int count_threads = tuning::row_threads;

/// Makes the maximum `most` at least n. One address for all blocks: it is looked at first whether there is anything to say.
__device__ inline void raise(unsigned long long &most, unsigned long long n)
{
  if (*static_cast<volatile unsigned long long *>(&most) < n) atomicMax(&most, n);
}

/// A block of threads looks at one block of `rows_per_block` <= count_threads rows.
template <class Index>
__global__ void __launch_bounds__(count_threads)
  classify_row_blocks(const Index *row_ptr, Index rows, int rows_per_block, Index most_entries, Index longest_row, std::uint8_t *wild,
                      BlockCounts *counts)
{
  const Index first = Index(blockIdx.x) * rows_per_block, last = first + rows_per_block < rows ? first + rows_per_block : rows;
  const Index row  = first + threadIdx.x;
  Index       from = 0, to = 0;
  if (row < last) {
    from = row_ptr[row];
    to   = row_ptr[row + 1];
  }
  const int backwards = __syncthreads_count(to < from);
  const int too_long  = __syncthreads_or(to - from > longest_row);
  if (to > from) raise(counts->longest_row, static_cast<unsigned long long>(to - from));
  if (threadIdx.x > 0) return;
  const Index entries = row_ptr[last] - row_ptr[first];
  wild[blockIdx.x]    = too_long || entries > most_entries;
  if (backwards) atomicAdd(&counts->backwards, backwards);
  if (wild[blockIdx.x]) atomicAdd(&counts->wild_blocks, 1);
  else {
    raise(counts->largest_tame, static_cast<unsigned long long>(entries));
    atomicAdd(&counts->tame_entries, entries);
  }
}

/// Where tiles begin; see Tile.
template <class Index> struct Cut {
  Index entry;
  Index next_row; ///< first row of the tile that begins there
  Index last_row; ///< last_row of the tile that ends there: one more than next_row where a row is cut
};

/// The cut of rows first_row .. last_row - 1 that belongs to the window which begins with `entry`.
template <class Index> __device__ Cut<Index> find_cut(const Index *row_ptr, Index first_row, Index last_row, Index entry, int snap)
{
  Index below = first_row - 1, above = last_row; // above: the first row that begins at or after the entry
  while (above - below > 1) {
    const Index middle                        = below + (above - below) / 2;
    (row_ptr[middle] < entry ? below : above) = middle;
  }
  if (row_ptr[above] - entry < snap) return {row_ptr[above], above, above};
  return {entry, above - 1, above};
}

/// Finds the entries and rows of tile t, and lists its rows if it is dirty (in any order: each row is repaired by itself).
template <class Index>
__global__ void describe_tiles(const Index *row_ptr, const Range<Index> *range, int ranges, unsigned tiles, int entries, int step, int snap,
                               Tile<Index> *tile, RowRange<Index> *dirty, unsigned *dirty_ranges)
{
  const std::uint64_t thread = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread >= tiles) return;
  const auto t   = static_cast<Index>(thread);
  int        low = 0, high = ranges; // the last range that begins at or before t
  while (high - low > 1) {
    const int middle                             = (low + high) / 2;
    (range[middle].first_tile <= t ? low : high) = middle;
  }
  const Range<Index> r      = range[low];
  const Index        window = r.begin + (t - r.first_tile) * step;
  const Cut<Index>   begin  = window == r.begin ? Cut<Index>{window, r.first_row, r.first_row} : find_cut(row_ptr, r.first_row, r.last_row, window, snap);
  const Cut<Index>   end    = r.end - window <= step ? Cut<Index>{r.end, r.last_row, r.last_row} : find_cut(row_ptr, r.first_row, r.last_row, window + step, snap);
  const Tile<Index>  described{begin.entry, end.entry, begin.next_row, end.last_row};
  tile[t] = described;
  if (described.last_row - described.first_row <= tuning::max_rows_per_entry * entries) return;
  constexpr Index piece = tuning::dirty_rows_per_block;
  const Index     first = described.first_row + 1, last = described.last_row - 1;
  const auto      pieces = static_cast<unsigned>((last - first + piece - 1) / piece);
  const unsigned  at     = atomicAdd(dirty_ranges, pieces);
  for (unsigned k = 0; k < pieces; ++k)
    dirty[at + k] = {first + static_cast<Index>(k) * piece, k + 1 == pieces ? last : first + static_cast<Index>(k + 1) * piece};
}

/// How the rows of a matrix are dealt to blocks of threads; the arrays that say so.
template <class Index> class DevicePlan {
public:
  DevicePlan() = default;

  /// `row_ptr` is on the device, `host_row_ptr` the same on the host. Both have rows + 1 entries, rows > 0, and there are nonzeros.
  DevicePlan(const Index *row_ptr, const Index *host_row_ptr, Index rows, std::size_t entry_bytes, Tiling tiling)
  {
    const Index  nonzeros = host_row_ptr[rows];
    const double mean     = static_cast<double>(nonzeros) / static_cast<double>(rows);
    lanes                 = tuning::row_lanes(mean);
    const int  per_block  = tuning::row_threads / lanes;
    const auto blocks     = static_cast<unsigned>((rows + per_block - 1) / per_block);
    const auto most       = static_cast<Index>(tuning::max_block_bytes / entry_bytes - 2 * grain);

    kernels::DeviceArray<std::uint8_t> is_wild(blocks);
    kernels::DeviceArray<BlockCounts>  counter(1);
    BlockCounts                        counts{};
    counter.upload(&counts);
    kernels::launch(classify_row_blocks<Index>, {blocks, count_threads}, row_ptr, rows, per_block, most,
                    static_cast<Index>(tuning::max_entries_per_lane * lanes), is_wild.data(), counter.data());
    counter.download(&counts, 1);
    if (counts.backwards > 0)
      throw FormatError("The row pointer decreases in " + std::to_string(counts.backwards) + " places. If the matrix has more than " +
                        std::to_string(std::numeric_limits<Index>::max()) +
                        " nonzeros, use a PETSc configured with --with-64-bit-indices.");

    const bool by_rows = tiling == Tiling::rows || (tiling == Tiling::automatic && static_cast<double>(counts.tame_entries) >=
                                                                                     tuning::tame_share * static_cast<double>(nonzeros));
    if (by_rows) {
      row_blocks   = blocks;
      tile_snap    = 1; // tiles begin where their windows do
      tile_entries = tuning::row_threads * tuning::mixed_entries_per_thread;
      capacity     = static_cast<int>(counts.largest_tame) + 2 * grain;
    }
    else tile_snap = tuning::snap(static_cast<double>(nonzeros), mean, static_cast<double>(counts.longest_row));
    if (!by_rows) cut_into_tiles({{0, 0, nonzeros, 0, rows}}, row_ptr, rows);
    else if (tiling == Tiling::automatic && counts.wild_blocks > 0) {
      cut_into_tiles(wild_ranges(is_wild, blocks, per_block, host_row_ptr, rows), row_ptr, rows);
      wild = std::move(is_wild);
    }
    capacity = (capacity + grain - 1) / grain * grain;
  }

  static constexpr int grain = 4; ///< of bulk copies

  int                                   lanes      = 1;
  unsigned                              row_blocks = 0;
  kernels::DeviceArray<std::uint8_t>    wild; ///< empty where no block is
  int                                   capacity     = 0;
  int                                   tile_entries = tuning::tile_entries; ///< of a window
  int                                   tile_snap    = 1;
  unsigned                              tiles        = 0;
  kernels::DeviceArray<Tile<Index>>     tile;
  kernels::DeviceArray<unsigned>        arrived; ///< zeros
  kernels::DeviceArray<RowRange<Index>> dirty;
  unsigned                              dirty_ranges = 0;

  /// Windows overlap by as much as a tile may begin late, and begin where all lanes' loads are aligned.
  int tile_step() const
  {
    constexpr int warp = 32;
    return tile_entries - (tile_snap - 1 + warp - 1) / warp * warp;
  }

private:
  /// Runs of wild blocks.
  static std::vector<Range<Index>> wild_ranges(const kernels::DeviceArray<std::uint8_t> &is_wild, unsigned blocks, int per_block,
                                               const Index *row_ptr, Index rows)
  {
    std::vector<std::uint8_t> wild(blocks);
    is_wild.download(wild.data(), blocks);
    std::vector<Range<Index>> ranges;
    for (unsigned b = 0; b < blocks; ++b) {
      if (!wild[b]) continue;
      const unsigned first = b;
      while (b + 1 < blocks && wild[b + 1]) ++b;
      const Index first_row = static_cast<Index>(first) * per_block;
      const Index last_row  = b + 1 == blocks ? rows : static_cast<Index>(b + 1) * per_block;
      ranges.push_back({0, row_ptr[first_row], row_ptr[last_row], first_row, last_row});
    }
    return ranges;
  }

  void cut_into_tiles(std::vector<Range<Index>> ranges, const Index *row_ptr, Index rows)
  {
    Index count = 0;
    for (Range<Index> &r : ranges) {
      r.first_tile = count;
      count += (r.end - r.begin + tile_step() - 1) / tile_step();
    }
    tiles = static_cast<unsigned>(count);
    tile  = kernels::DeviceArray<Tile<Index>>(tiles);
    arrived = kernels::DeviceArray<unsigned>(tiles);
    arrived.clear();
    kernels::DeviceArray<Range<Index>> range(ranges.size());
    range.upload(ranges.data());
    // Every tile may have one piece that is not full.
    kernels::DeviceArray<RowRange<Index>> list(tiles + static_cast<std::size_t>(rows) / tuning::dirty_rows_per_block);
    kernels::DeviceArray<unsigned>        counter(1);
    counter.upload(&dirty_ranges);
    constexpr unsigned threads = 128;
    kernels::launch(describe_tiles<Index>, {(tiles + threads - 1) / threads, threads}, row_ptr, range.data(),
                    static_cast<int>(ranges.size()), tiles, tile_entries, tile_step(), tile_snap, tile.data(), list.data(), counter.data());
    counter.download(&dirty_ranges, 1);
    if (dirty_ranges > 0) dirty = std::move(list);
  }
};

} // namespace petscspmv::aijspec
