#pragma once

/// \file repeated_device.cuh
/// Rows that repeat, on a device: a warp takes 128 rows, four to a lane, and each lane goes its own way through the entries of its row.
///
/// A lane reads the words of its four rows at once. Lanes whose rows are of one kind read the same entries, and x side by side; where kinds change,
/// the warp reads more lines, nothing else. Entries of a row are on their way together, up to eight.

#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "impls/ccoo/tiles/diagonal_device.cuh"

namespace petscspmv::ccoo::device {

/// The sum of a row; `longest` is that of the unit. Beyond the row's own entries a lane reads neither them nor x.
template <class S> __device__ S sum_repeated(const Product<S> &p, std::uint32_t word, Local row, int longest)
{
  constexpr int         together = sizeof(S) == sizeof(double) ? tuning::device_repeated_together : tuning::device_repeated_together / 2;
  const int             length   = static_cast<int>(word & image::RepeatedUnit::most_entries);
  const image::Slot<S> *slot     = p.a.repeated_slot + (word >> image::RepeatedUnit::length_bits);
  S                     sum      = 0;
  for (int k = 0; k < longest; k += together) {
    S     value[together], x[together];
    Local offset[together];
#pragma unroll
    for (int t = 0; t < together; ++t) {
      value[t]  = S(0); // what is not there is added as zero
      x[t]      = S(0);
      offset[t] = 0;
      if (k + t < length) {
        const image::Slot<S> s = load_slot(slot + k + t);
        value[t]               = s.value;
        offset[t]              = s.offset;
      }
    }
#pragma unroll
    for (int t = 0; t < together; ++t)
      if (k + t < length) x[t] = kernels::load_shared(p.x + row + offset[t]);
#pragma unroll
    for (int t = 0; t < together; ++t) sum += kernels::product(value[t], x[t], p.conjugate);
  }
  return sum;
}

/// Unit i, by a warp.
template <class S> __device__ void multiply_repeated(const Product<S> &p, unsigned i)
{
  const int                 lane = threadIdx.x % image::lanes;
  const image::RepeatedUnit u    = load_16(p.a.repeated + i);
  const uint4               four =
    load_piece(reinterpret_cast<const std::byte *>(p.a.repeated_word + u.words * std::size_t(DeviceGroup::rows)) + lane * image::piece);
#pragma unroll 1 // few registers, many warps
  for (int g = 0; g < image::groups; ++g) {
    const std::uint32_t word = g == 0 ? four.x : g == 1 ? four.y : g == 2 ? four.z : four.w;
    const Local         row  = u.row + g * image::lanes + lane;
    const S             sum  = sum_repeated(p, word, row, static_cast<int>(u.longest));
    if (row < u.end) p.update(row, sum);
  }
}

} // namespace petscspmv::ccoo::device
