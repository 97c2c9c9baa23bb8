#pragma once

/// \file csr_transpose.cuh
/// The transpose of a CSR matrix, made on the device. Its index is the pattern itself where that is its own mirror
/// image, else a stable sort of the entries by column.

#include <algorithm>
#include <bit>
#include <cstdint>

#include <cub/device/device_radix_sort.cuh>

#include "core/footprint.hpp"
#include "core/runtime.hpp"
#include "impls/csr/csr_kokkos.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/scalar.cuh"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv::csr {

using kernels::DeviceArray;
using kernels::DeviceBlock;
using kernels::launch;
using kernels::one_thread_each;

namespace transpose_detail {

inline constexpr int entries_a_thread = 4;

template <class Index> kernels::LaunchShape one_thread_for_some(Index n)
{
  return one_thread_each((n + (entries_a_thread - 1)) / entries_a_thread);
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

/// The row with entry i, which is one of below .. above - 1.
template <class Index> __device__ Index row_between(const Index *row_ptr, Index below, Index above, Index i)
{
  while (above - below > 1) {
    const Index middle                     = below + (above - below) / 2;
    (row_ptr[middle] <= i ? below : above) = middle;
  }
  return below;
}

/// The row with entry i, `row` being that of an entry before it: most often the same or the next.
template <class Index> __device__ Index row_from(const Index *row_ptr, Index row, Index rows, Index i)
{
  Index step = 1;
  for (; step < rows - row && row_ptr[row + step] <= i; step *= 2) row += step;
  return row_between(row_ptr, row, min(row + step, rows), i);
}

/// out[i] = of(i, row of entry i), for the entries of this thread: neighbours, so that it searches for one row only,
/// and writes them together.
template <class Index, class Of> __device__ void fill_entries(const Index *row_ptr, Index rows, Index n, Index *out, Of of)
{
  struct alignas(sizeof(Index) * entries_a_thread) Some {
    Index of[entries_a_thread];
  };
  const std::size_t first = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) * entries_a_thread;
  if (first >= static_cast<std::size_t>(n)) return;
  const Index from = static_cast<Index>(first);
  const int   most = n - from < entries_a_thread ? static_cast<int>(n - from) : entries_a_thread;
  Index       row  = row_between(row_ptr, Index(0), rows, from);
  Some        some;
#pragma unroll
  for (int k = 0; k < entries_a_thread; ++k)
    if (k < most) {
      row        = row_from(row_ptr, row, rows, from + k);
      some.of[k] = of(from + k, row);
    }
  if (most == entries_a_thread) *reinterpret_cast<Some *>(out + from) = some;
  else
    for (int k = 0; k < entries_a_thread; ++k)
      if (k < most) out[from + k] = some.of[k];
}

template <class Index> __global__ void rows_of_entries(const Index *row_ptr, Index rows, Index n, Index *row)
{
  fill_entries(row_ptr, rows, n, row, [](Index, Index r) { return r; });
}

/// mirrored[i] = the entry in the row and the column that are column and row of entry i. If one has none, or the
/// columns of a row do not ascend, *without is 1, and what is in `mirrored` worth nothing.
template <class Index>
__global__ void find_mirrored(const Index *row_ptr, const Index *col, Index rows, Index n, Index *mirrored, int *without)
{
  if (*static_cast<volatile int *>(without)) return;
  fill_entries(row_ptr, rows, n, mirrored, [=](Index i, Index row) {
    const Index c = __ldg(col + i), end = __ldg(row_ptr + c + 1);
    Index       at = __ldg(row_ptr + c), count = end - at;
    while (count > 0) {
      const Index half = count / 2;
      const bool  left = __ldg(col + at + half) >= row;
      at               = left ? at : at + half + 1;
      count            = left ? half : count - half - 1;
    }
    const bool ascends = i == __ldg(row_ptr + row) || __ldg(col + i - 1) < c;
    if (at == end || __ldg(col + at) != row || !ascends) *without = 1;
    return at;
  });
}

/// key[i] = col[i], entry[i] = i.
template <class Index> __global__ void number_entries(const Index *col, Index n, Index *key, Index *entry)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  key[i]   = kernels::load_once(col + i);
  entry[i] = i;
}

/// to[i] = from[index[i]]: each thread has several on their way at a time.
template <class T, class Index> __global__ void gather(const T *from, const Index *index, Index n, T *to)
{
  const std::size_t first = std::size_t(blockIdx.x) * blockDim.x * entries_a_thread + threadIdx.x, end = static_cast<std::size_t>(n);
  Index             at[entries_a_thread];
  T                 value[entries_a_thread];
#pragma unroll
  for (int k = 0; k < entries_a_thread; ++k) at[k] = kernels::load_once(index + min(first + k * blockDim.x, end - 1));
#pragma unroll
  for (int k = 0; k < entries_a_thread; ++k) value[k] = from[at[k]];
#pragma unroll
  for (int k = 0; k < entries_a_thread; ++k)
    if (const std::size_t i = first + k * blockDim.x; i < end) to[i] = value[k];
}

} // namespace transpose_detail

/// A^T as CSR: row c holds the entries of column c, in the order of the rows of A. S is the device's scalar.
template <class S, class Index> struct TransposedIndex {
  DeviceArray<Index> row_ptr; ///< [cols + 1]; like `col`, not there if A^T has the pattern of A
  DeviceArray<Index> col;     ///< [nonzeros] rows of A
  DeviceArray<Index> entry;   ///< [nonzeros] which entry of A each is
  DeviceArray<S>     val;     ///< [nonzeros] room for the values

  /// Of a matrix with entries; `nonzeros` are there, and nothing of them leaves the device.
  TransposedIndex(const Index *a_row_ptr, const Index *a_col, Index rows, Index cols, Index nonzeros)
  {
    using Numbers       = DeviceArray<Index>;
    const std::size_t n = static_cast<std::size_t>(nonzeros);
    DeviceBlock       block(Numbers::room(n) + DeviceArray<int>::room(1) + std::max(DeviceArray<S>::room(n), Numbers::room(2 * n)));
    entry = Numbers(n, block);
    DeviceArray<int> without(1, block);
    if (rows != cols || !is_mirrored(a_row_ptr, a_col, rows, without)) {
      DeviceBlock before_values = block;
      sort(a_row_ptr, a_col, rows, cols, Numbers(2 * n, before_values).data());
    }
    val = DeviceArray<S>(n, block);
  }

  bool has_pattern_of_a() const { return row_ptr.size() == 0; }

  /// The values of A, where A^T has them.
  void gather_values(const S *a_val, S *to) const
  {
    launch(transpose_detail::gather<S, Index>, transpose_detail::one_thread_for_some(count()), a_val, entry.data(), count(), to);
  }

private:
  Index count() const { return static_cast<Index>(entry.size()); }

  /// Fills `entry` if the pattern is its own mirror image, as those of most meshes are.
  bool is_mirrored(const Index *a_row_ptr, const Index *a_col, Index rows, DeviceArray<int> &without)
  {
    using namespace transpose_detail;
    int one_has_none = 0;
    without.clear();
    launch(find_mirrored<Index>, one_thread_for_some(count()), a_row_ptr, a_col, rows, count(), entry.data(), without.data());
    without.download(&one_has_none, 1);
    return !one_has_none;
  }

  /// Makes the other arrays, with `spare` for twice as many numbers as there are entries.
  void sort(const Index *a_row_ptr, const Index *a_col, Index rows, Index cols, Index *spare)
  {
    using namespace transpose_detail;
    constexpr int     bits_a_pass = 8; // of CUB's; with another number, the result would be copied to where it belongs
    const int         bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(cols) - 1))); // in which columns differ
    const std::size_t n = entry.size(), pointers = static_cast<std::size_t>(cols) + 1;
    std::size_t       bytes = 0;
    cub::DoubleBuffer<Index> key, number;
    const auto               pass = [&](void *space) {
      kernels::check_cuda(cub::DeviceRadixSort::SortPairs(space, bytes, key, number, count(), 0, bits, kernels::current_stream()),
                                        "sort the columns of a matrix");
    };
    pass(nullptr);
    DeviceBlock block(DeviceArray<Index>::room(pointers) + DeviceArray<Index>::room(n) + DeviceArray<char>::room(bytes));
    row_ptr = DeviceArray<Index>(pointers, block);
    col     = DeviceArray<Index>(n, block);
    DeviceArray<char> space(bytes, block);
    const bool        odd = (bits + bits_a_pass - 1) / bits_a_pass % 2 == 1;
    key                   = odd ? cub::DoubleBuffer<Index>(spare, col.data()) : cub::DoubleBuffer<Index>(col.data(), spare);
    number                = odd ? cub::DoubleBuffer<Index>(spare + n, entry.data()) : cub::DoubleBuffer<Index>(entry.data(), spare + n);
    launch(number_entries<Index>, one_thread_each(count()), a_col, count(), key.Current(), number.Current());
    pass(space.data());
    if (number.Current() != entry.data()) {
      col.upload(key.Current());
      entry.upload(number.Current());
    }
    launch(first_of_each<Index>, one_thread_each(cols + 1), col.data(), count(), cols, row_ptr.data());
    // Neighbours search in the same places; where entries are in the order of columns, each would search for itself.
    launch(rows_of_entries<Index>, one_thread_for_some(count()), a_row_ptr, rows, count(), spare);
    launch(gather<Index, Index>, one_thread_for_some(count()), spare, entry.data(), count(), col.data());
  }
};

/// A transpose that has the values of its matrix when it is asked to.
template <class Scalar, class Index> class DeviceTranspose {
  using Kept   = PiecesOfRows<Scalar, Index, kernels::KokkosDevice::Memory>;
  using S      = typename Kept::S;
  using Memory = kernels::KokkosMemory<kernels::KokkosDevice>;

public:
  static constexpr bool is_made_anew = false; ///< for new values

  Kept kept;

  /// `deal(row pointer on the host, rows)` is a matrix without entries.
  template <class Deal>
  DeviceTranspose(const Memory &, const Kept &a, Index cols, const Deal &deal)
    : index_(a.row_ptr.data(), a.col.data(), static_cast<Index>(a.row_ptr.extent(0)) - 1, cols, static_cast<Index>(a.col.extent(0)))
  {
    if (index_.has_pattern_of_a()) kept = a;
    else {
      kept         = deal(runtime::from_device<Index>(index_.row_ptr.data(), index_.row_ptr.size()).data(), cols);
      kept.row_ptr = shown(index_.row_ptr);
      kept.col     = shown(index_.col);
    }
    kept.val = shown(index_.val);
  }

  /// Looked at before each product: a graph that has one is given new values with the refresh.
  bool has_values()
  {
    recorded_ |= runtime::is_recording();
    return gathered_;
  }
  void gather(const Kept &a)
  {
    index_.gather_values(a.val.data(), index_.val.data());
    gathered_ = !runtime::is_recording(); // else it is not done yet
  }

  /// The matrix has new values, and its arrays may have moved. Whether the transpose's have, too.
  bool follow(const Kept &a)
  {
    const bool moved = index_.has_pattern_of_a() && (a.row_ptr.data() != kept.row_ptr.data() || a.col.data() != kept.col.data());
    if (moved) {
      kept.row_ptr = a.row_ptr;
      kept.col     = a.col;
    }
    gathered_ = false;
    if (recorded_) gather(a);
    return moved;
  }

  void add_to(Footprint &f) const
  {
    if (index_.has_pattern_of_a()) kernels::add_array(f, "transposed values", kept.val);
    else kernels::add_arrays(f, "transposed ", kept, false);
    f.arrays.push_back({"entries of the transposed", index_.entry.bytes(), false});
  }

private:
  template <class T> static auto shown(const DeviceArray<T> &array)
  {
    return kernels::borrowed_array<kernels::KokkosDevice::Memory>(static_cast<const T *>(array.data()), array.size());
  }

  TransposedIndex<S, Index> index_;
  bool                      gathered_ = false;
  bool                      recorded_ = false; ///< products, in a graph
};

} // namespace petscspmv::csr
