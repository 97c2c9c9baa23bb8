#pragma once

/// \file aijspec_device_plan.cuh
/// One pass over the row pointer on the device: whether rows are short and alike, and where the rows of tiles are.

#include <algorithm>

#include "impls/aijspec/aijspec_device_layout.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/array.cuh"
#include "kernels/rows/pointer.hpp"

namespace petscspmv::aijspec {

/// What the pass over the row pointer counts. Sums and maxima of integers: the same in any order.
struct RowCounts {
  unsigned long long backwards;     ///< rows that end before they begin
  unsigned long long alike;         ///< rows that are as long as the one before, within their block
  unsigned long long longest_row;   ///< entries
  unsigned long long largest_block; ///< entries of a block of rows
};

inline constexpr int count_threads = tuning::row_threads;

/// Makes `most` at least n. There is one address for all blocks: first it is looked whether there is anything to say.
__device__ inline void raise(unsigned long long &most, unsigned long long n)
{
  if (*static_cast<volatile unsigned long long *>(&most) < n) atomicMax(&most, n);
}

/// A block of threads looks at one block of `rows_per_block` <= count_threads rows.
template <class Index>
__global__ void __launch_bounds__(count_threads) count_rows(const Index *row_ptr, Index rows, int rows_per_block, RowCounts *counts)
{
  const Index first = Index(blockIdx.x) * rows_per_block, last = first + rows_per_block < rows ? first + rows_per_block : rows;
  const Index row    = first + threadIdx.x;
  Index       length = 0, before = -1;
  if (row < last) {
    length = row_ptr[row + 1] - row_ptr[row];
    if (row > first) before = row_ptr[row] - row_ptr[row - 1];
    if (length > 0) raise(counts->longest_row, static_cast<unsigned long long>(length));
  }
  const int backwards = __syncthreads_count(length < 0), alike = __syncthreads_count(row < last && length == before);
  if (threadIdx.x > 0) return;
  if (backwards) atomicAdd(&counts->backwards, backwards);
  atomicAdd(&counts->alike, alike);
  raise(counts->largest_block, static_cast<unsigned long long>(row_ptr[last] - row_ptr[first]));
}

/// Where tiles begin; see Tile.
template <class Index> struct Cut {
  Index entry;
  Index next_row; ///< first row of the tile that begins there
  Index last_row; ///< last_row of the tile that ends there: one more than next_row where a row is cut
};

/// The cut that belongs to the window which begins with `entry`.
template <class Index> __device__ Cut<Index> find_cut(const Index *row_ptr, Index rows, Index entry, int snap)
{
  if (entry == 0) return {0, 0, 0};
  if (entry >= row_ptr[rows]) return {row_ptr[rows], rows, rows};
  Index below = -1, above = rows; // above: the first row that begins at or after the entry
  while (above - below > 1) {
    const Index middle                        = below + (above - below) / 2;
    (row_ptr[middle] < entry ? below : above) = middle;
  }
  if (row_ptr[above] - entry < snap) return {row_ptr[above], above, above};
  return {entry, above - 1, above};
}

/// Finds the entries and rows of tile t, and lists its rows if it is dirty (in any order: each row is repaired by
/// itself).
template <class Index>
__global__ void describe_tiles(const Index *row_ptr, Index rows, unsigned tiles, int step, int snap, Tile<Index> *tile,
                               RowRange<Index> *dirty, unsigned *dirty_ranges)
{
  const std::uint64_t t = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= tiles) return;
  const Index       window = static_cast<Index>(t) * step;
  const Cut<Index>  begin  = find_cut(row_ptr, rows, window, snap);
  const Cut<Index>  end    = t + 1 < tiles ? find_cut(row_ptr, rows, window + step, snap) : find_cut(row_ptr, rows, row_ptr[rows], snap);
  const Tile<Index> described{begin.entry, end.entry, begin.next_row, end.last_row};
  tile[t] = described;
  if (!is_dirty(described)) return;
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

  /// `row_ptr` is on the device and has rows + 1 entries, rows > 0. There are nonzeros.
  DevicePlan(const Index *row_ptr, Index rows, Index nonzeros, std::size_t entry_bytes, Tiling tiling)
  {
    const double mean   = static_cast<double>(nonzeros) / static_cast<double>(rows);
    lanes               = tuning::row_lanes(mean);
    const int  in_block = tuning::row_threads / lanes;
    const auto blocks   = static_cast<unsigned>((rows + in_block - 1) / in_block);
    const auto counts   = count(row_ptr, rows, in_block, blocks);
    const auto most     = static_cast<unsigned long long>(tuning::max_block_bytes / entry_bytes - 2 * grain);
    const bool fit =
      counts.largest_block <= most && counts.longest_row <= static_cast<unsigned long long>(tuning::max_entries_per_lane) * lanes;
    const bool alike = static_cast<double>(counts.alike) >= tuning::alike_share * static_cast<double>(rows);
    if (tiling == Tiling::rows || (tiling == Tiling::automatic && fit && alike && tuning::blocks_win(mean))) {
      row_blocks = blocks;
      capacity   = (static_cast<int>(std::min(counts.largest_block, most)) + 3 * grain - 1) / grain * grain;
    } else cut_into_tiles(row_ptr, rows, nonzeros, tuning::snap(static_cast<double>(nonzeros), static_cast<double>(counts.longest_row)));
  }

  static constexpr int grain = 4; ///< of bulk copies

  int                                   lanes      = 1;
  unsigned                              row_blocks = 0;
  int                                   capacity   = 0;
  int                                   tile_step = 0, tile_snap = 0;
  unsigned                              tiles = 0;
  kernels::DeviceArray<Tile<Index>>     tile;
  kernels::DeviceArray<unsigned>        arrived; ///< zeros
  kernels::DeviceArray<RowRange<Index>> dirty;
  unsigned                              dirty_ranges = 0;

private:
  static RowCounts count(const Index *row_ptr, Index rows, int rows_per_block, unsigned blocks)
  {
    kernels::DeviceArray<RowCounts> counter(1);
    RowCounts                       counts{};
    counter.clear();
    kernels::launch(count_rows<Index>, {blocks, count_threads}, row_ptr, rows, rows_per_block, counter.data());
    counter.download(&counts, 1);
    kernels::check_row_pointer<Index>(counts.backwards);
    return counts;
  }

  void cut_into_tiles(const Index *row_ptr, Index rows, Index nonzeros, int snap)
  {
    // Windows overlap by as much as a tile may begin late, and begin where all lanes' loads are aligned.
    constexpr int warp = 32;
    tile_snap          = snap;
    tile_step          = tuning::tile_entries - (snap - 1 + warp - 1) / warp * warp;
    tiles              = static_cast<unsigned>((nonzeros + tile_step - 1) / tile_step);
    using kernels::DeviceArray;
    // Every tile may have one piece that is not full.
    const std::size_t    pieces = tiles + static_cast<std::size_t>(rows) / tuning::dirty_rows_per_block;
    kernels::DeviceBlock block(DeviceArray<Tile<Index>>::room(tiles) + DeviceArray<unsigned>::room(tiles) +
                               DeviceArray<RowRange<Index>>::room(pieces) + DeviceArray<unsigned>::room(1));
    tile    = DeviceArray<Tile<Index>>(tiles, block);
    arrived = DeviceArray<unsigned>(tiles, block);
    arrived.clear();
    DeviceArray<RowRange<Index>> list(pieces, block);
    DeviceArray<unsigned>        counter(1, block);
    counter.clear();
    constexpr unsigned threads = 128;
    kernels::launch(describe_tiles<Index>, {(tiles + threads - 1) / threads, threads}, row_ptr, rows, tiles, tile_step, tile_snap,
                    tile.data(), list.data(), counter.data());
    counter.download(&dirty_ranges, 1);
    if (dirty_ranges > 0) dirty = std::move(list);
  }
};

} // namespace petscspmv::aijspec
