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
    image::Slot<S> s[together];
    S              x[together];
#pragma unroll
    for (int t = 0; t < together; ++t)
      if (k + t < length) s[t] = load_slot(slot + k + t);
#pragma unroll
    for (int t = 0; t < together; ++t)
      if (k + t < length) x[t] = kernels::load_shared(p.x + row + s[t].offset);
#pragma unroll
    for (int t = 0; t < together; ++t)
      if (k + t < length) sum += kernels::product(s[t].value, x[t], p.conjugate);
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
  const std::uint32_t word[image::groups] = {four.x, four.y, four.z, four.w};
#pragma unroll 1
  for (int g = 0; g < image::groups; ++g) {
    const Local row = u.row + g * image::lanes + lane;
    const S     sum = sum_repeated(p, word[g], row, static_cast<int>(u.longest));
    if (row < u.end) p.update(row, sum);
  }
}

} // namespace petscspmv::ccoo::device
