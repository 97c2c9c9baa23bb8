#pragma once

/// \file coded.cuh
/// Coded values of chunks and batches, written on the device.
///
/// New values keep the codes that the old ones had: those that had one value still do, as a rule, be it another one. So
/// a table takes its values from any entry of each code, and then all are compared with it.

#include "impls/ccoo/device/kind.hpp"
#include "impls/ccoo/device/values.cuh"

namespace petscspmv::ccoo::device {

/// The place of a value in a table of 16, or -1.
template <class S> __device__ int place_in_table(const S *table, S v)
{
  for (int k = 0; k < 16; ++k)
    if (same_bits(table[k], v)) return k;
  return -1;
}

/// Writes n values in a coding, by a block of threads; false in a thread that finds one which cannot be written so.
/// at(j, side) is the address of the value in place j where so many are kept side by side in an order of their own, or
/// null behind the last; then it is zero.
template <class S, class At> __device__ bool write_coded(Coding coding, int n, const S *table, std::byte *out, const At &at)
{
  const int first = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  bool      fits = true;
  kernels::visit_coding(coding, [&](auto c) {
    using Form             = kernels::CodingOf<c>;
    constexpr int together = image::coded_together<S>(c);
    if constexpr (Form::most <= 1) {
      for (int j = first; j < n; j += step) {
        const S *const v = at(j, together);
        if constexpr (Form::most == 0) fits = write_numbers<Form>(out, j, v ? *v : S(0)) && fits;
        else fits = fits && (!v || same_bits(table[0], *v));
      }
    } else if constexpr (Form::most == 16) {
      for (int j = first; j < n / 2; j += step) {
        int two = 0;
        for (int half = 0; half < 2; ++half) {
          const S *const v     = at(2 * j + half, together);
          const int      place = v ? place_in_table(table, *v) : 0;
          fits                 = fits && place >= 0;
          two |= (place & 15) << 4 * half;
        }
        out[j] = static_cast<std::byte>(two);
      }
    } else fits = false; // not on a device
  });
  return fits;
}

/// Calls visit(code, value) for each of n values that have codes, by a block of threads; at() as above.
template <class S, class At, class Visit>
__device__ void for_each_code(Coding coding, int n, const std::byte *codes, const At &at, const Visit &visit)
{
  const int together = image::coded_together<S>(coding);
  for (int j = static_cast<int>(threadIdx.x); j < n; j += static_cast<int>(blockDim.x))
    if (const S *const v = at(j, together)) visit(together > 1 ? static_cast<int>(codes[j / 2]) >> 4 * (j % 2) & 15 : 0, *v);
}

/// A table takes the new values of its codes.
template <class S, class At> __device__ void renew_table(Coding coding, int n, const std::byte *codes, const At &at, S *table)
{
  for_each_code<S>(coding, n, codes, at, [table](int code, S v) {
    if (!same_bits(table[code], v)) table[code] = v;
  });
}

/// Writes new values in the place of old ones; those that have codes keep them, and false says that one is not what its
/// code stands for.
template <class S, class At> __device__ bool rewrite_coded(Coding coding, int n, const S *table, std::byte *out, const At &at)
{
  if (kernels::table_limit(coding) == 0) return write_coded(coding, n, table, out, at);
  bool fits = true;
  for_each_code<S>(coding, n, out, at, [&](int code, S v) { fits = fits && same_bits(table[code], v); });
  return fits;
}

} // namespace petscspmv::ccoo::device
