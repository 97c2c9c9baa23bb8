#pragma once

/// \file repeated_device.cuh
/// Rows that repeat, on a device: a block of threads has the different rows of a tile in shared memory, and each lane goes its own way through the
/// entries of its rows.
///
/// A lane reads the words of four rows at once. Lanes whose rows are of one kind read the same entries, and x side by side. x of several entries is on
/// its way together.

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "impls/ccoo/ccoo_device_tuning.hpp"

namespace petscspmv::ccoo::device {

/// The different rows of a tile, in shared memory.
template <class S> struct RepeatedRows {
  S     *value;
  Local *offset;

  /// By all threads of a block; they wait for each other before anybody reads.
  __device__ void bring(const Product<S> &p, const image::RepeatedTile &t) const
  {
    const std::size_t first = t.entry * std::size_t(image::RepeatedTile::grain);
    for (unsigned k = threadIdx.x; k < t.entries; k += blockDim.x) {
      value[k]  = kernels::load_once(p.a.repeated_value + first + k);
      offset[k] = kernels::load_once(p.a.repeated_offset + first + k);
    }
  }

  /// The sum of a row, whose word this is; `longest` is that of the tile. Beyond the row's own entries a lane reads no x.
  __device__ S sum(const Product<S> &p, std::uint32_t word, Local row, int longest) const
  {
    constexpr int together = sizeof(S) == sizeof(double) ? tuning::device_repeated_together : tuning::device_repeated_together / 2;
    const int     length = static_cast<int>(word & image::RepeatedTile::most_entries), first = word >> image::RepeatedTile::length_bits;
    S             sum = 0;
    for (int k = 0; k < longest; k += together) {
      S x[together];
#pragma unroll
      for (int t = 0; t < together; ++t)
        if (k + t < length) x[t] = kernels::load_shared(p.x + row + offset[first + k + t]);
#pragma unroll
      for (int t = 0; t < together; ++t)
        if (k + t < length) sum += kernels::product(value[first + k + t], x[t], p.conjugate);
    }
    return sum;
  }
};

/// Tile i, by a block. `shared` has room for the entries that are kept of a tile.
template <class S> __device__ void multiply_repeated(const Product<S> &p, unsigned i, unsigned char *shared)
{
  constexpr Local           step = DeviceGroup::rows;
  const int                 lane = threadIdx.x % image::lanes, warp = threadIdx.x / image::lanes, warps = blockDim.x / image::lanes;
  const image::RepeatedTile t = load_16(p.a.repeated + i);
  const RepeatedRows<S>     rows{reinterpret_cast<S *>(shared), reinterpret_cast<Local *>(shared + p.a.most_kept * sizeof(S))};
  const auto               *words = reinterpret_cast<const uint2 *>(p.a.repeated_word + t.word) + lane;
  uint2                     four  = __ldcs(words + warp * image::lanes); // beyond the tile there are other words, or padding
  rows.bring(p, t);
  __syncthreads();
  for (int unit = warp; t.row + unit * step < t.end; unit += warps) {
    if (unit > warp) four = __ldcs(words + unit * image::lanes);
#pragma unroll 2
    for (int g = 0; g < image::groups; ++g) {
      const std::uint32_t pair = g < 2 ? four.x : four.y, word = g % 2 == 0 ? pair & 0xffff : pair >> 16;
      const Local         row = t.row + unit * step + g * image::lanes + lane;
      const S             sum = rows.sum(p, word, row, static_cast<int>(t.longest));
      if (row < t.end) p.update(row, sum);
    }
  }
}

} // namespace petscspmv::ccoo::device
