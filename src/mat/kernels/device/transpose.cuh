#pragma once

/// \file transpose.cuh
/// The index of a transposed matrix, built on the device: a stable sort of the entries by column.

#include <algorithm>
#include <bit>
#include <cstdint>

#include <cub/device/device_radix_sort.cuh>

#include "kernels/device/launch.cuh"
#include "kernels/device/memory/array.cuh"

namespace petscspmv::kernels {

namespace transpose_detail {

template <class Index> __global__ void count_up(Index *p, Index n)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i;
}

/// out[c] = the first i with key[i] >= c, for c = 0 .. keys.
template <class Index> __global__ void first_of_each(const Index *key, Index n, Index keys, Index *out)
{
  const Index c = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c > keys) return;
  Index low = 0, count = n;
  while (count > 0) {
    const Index half = count / 2;
    const bool  left = key[low + half] >= c;
    low              = left ? low : low + half + 1;
    count            = left ? half : count - half - 1;
  }
  out[c] = low;
}

/// row[i] = the row of entry i.
template <class Index> __global__ void rows_of_entries(const Index *row_ptr, Index rows, Index n, Index *row)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Index below = 0, above = rows;
  while (above - below > 1) {
    const Index middle                     = below + (above - below) / 2;
    (row_ptr[middle] <= i ? below : above) = middle;
  }
  row[i] = below;
}

template <class T, class Index> __global__ void gather(const T *from, const Index *index, Index n, T *to)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[index[i]];
}

} // namespace transpose_detail

/// A^T as CSR, but for its values: row c holds the entries of column c, in the order of the rows of A.
template <class Index> struct TransposedIndex {
  DeviceArray<Index> row_ptr; ///< [cols + 1]
  DeviceArray<Index> col;     ///< [nonzeros] rows of A
  DeviceArray<Index> entry;   ///< [nonzeros] which entry of A each is

  /// Of a matrix with entries; `nonzeros` are there, and nothing of them leaves the device.
  TransposedIndex(const Index *a_row_ptr, const Index *a_col, Index rows, Index cols, Index nonzeros)
  {
    using namespace transpose_detail;
    const std::size_t n = static_cast<std::size_t>(nonzeros), pointers = static_cast<std::size_t>(cols) + 1;
    DeviceBlock       kept(DeviceArray<Index>::room(pointers) + 2 * DeviceArray<Index>::room(n));
    row_ptr = DeviceArray<Index>(pointers, kept);
    col     = DeviceArray<Index>(n, kept);
    entry   = DeviceArray<Index>(n, kept);

    std::size_t bytes = 0;
    const auto  sort  = [&](void *space, Index *sorted) {
      const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(cols) - 1))); // in which columns differ
      check_cuda(
          cub::DeviceRadixSort::SortPairs(space, bytes, a_col, sorted, col.data(), entry.data(), nonzeros, 0, bits, current_stream()),
          "sort the columns of a matrix");
    };
    sort(nullptr, nullptr);
    DeviceBlock        passing(DeviceArray<Index>::room(n) + DeviceArray<char>::room(bytes));
    DeviceArray<Index> sorted(n, passing);
    DeviceArray<char>  space(bytes, passing);
    launch(count_up<Index>, one_thread_each(nonzeros), col.data(), nonzeros);
    sort(space.data(), sorted.data());
    launch(first_of_each<Index>, one_thread_each(cols + 1), sorted.data(), nonzeros, cols, row_ptr.data());
    // Neighbours search in the same places; where entries are in the order of columns, each would search for itself.
    Index *const row = sorted.data();
    launch(rows_of_entries<Index>, one_thread_each(nonzeros), a_row_ptr, rows, nonzeros, row);
    launch(gather<Index, Index>, one_thread_each(nonzeros), row, entry.data(), nonzeros, col.data());
  }

  /// The values of A, where A^T has them.
  template <class Scalar> void gather_values(const Scalar *a_val, Scalar *val) const
  {
    const auto n = static_cast<Index>(entry.size());
    launch(transpose_detail::gather<Scalar, Index>, one_thread_each(n), a_val, entry.data(), n, val);
  }
};

} // namespace petscspmv::kernels
