#pragma once

/// \file ccoo_device_rows.cuh
/// The rows of a matrix on the device, from which images are made and refreshed there.

#include <optional>

#include <cub/device/device_radix_sort.cuh>

#include "impls/ccoo/ccoo_device.hpp"
#include "kernels/device_array.cuh"
#include "kernels/device_launch.cuh"
#include "kernels/device_scalar.cuh"
#include "kernels/device_transpose.cuh"

namespace petscspmv::ccoo::device {

/// The rows as kernels see them; null where they were not wanted. S is the device's scalar.
template <class S, class Index> struct RowsView {
  const Index *row_ptr, *col;
  const S     *val;
};

/// times[c] += the entries of these chunks in column c. A block of threads for each chunk.
template <class Index> __global__ void count_columns_kernel(const image::ChunkOrigin *chunk, const Index *col, std::uint32_t *times)
{
  const image::ChunkOrigin c = chunk[blockIdx.x];
  for (std::uint32_t k = threadIdx.x; k < c.entries; k += blockDim.x) atomicAdd(times + col[c.begin + k], 1u);
}

/// Keys that ascend as columns become less frequent, and among those of the same frequency as columns do.
__global__ inline void frequency_keys_kernel(const std::uint32_t *times, Local cols, std::uint64_t *key)
{
  const Local c = Local(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c < cols) key[c] = std::uint64_t(~times[c]) << 32 | std::uint32_t(c);
}

template <class Scalar, class Index> class Rows final : public DeviceRows<Scalar> {
  using S = typename kernels::OnDevice<Scalar>::type;

public:
  explicit Rows(const CsrView<Scalar, Index> &a) : a_(a), device_(kernels::current_device()) { }

  void bring(const RowsWanted &wanted, int threads) override
  {
    kernels::check_cuda(cudaSetDevice(device_), "choose the device"); // of this thread
    const auto n = static_cast<std::size_t>(a_.nonzeros());
    if (wanted.row_ptr) bring(a_.row_ptr, static_cast<std::size_t>(a_.rows) + 1, threads, row_ptr_, view_.row_ptr);
    if (wanted.col) bring(a_.col, n, threads, col_, view_.col);
    if (wanted.val) bring(reinterpret_cast<const S *>(a_.val), n, threads, val_, view_.val);
  }

  std::int64_t              nonzeros() const override { return a_.nonzeros(); }
  bool                      wide() const override { return sizeof(Index) == sizeof(std::int64_t); }
  const RowsView<S, Index> &view() const { return view_; }

  std::vector<image::ColumnCount> most_frequent(const std::vector<image::ChunkOrigin> &chunks, std::size_t most) const override
  {
    const auto                               cols = static_cast<Local>(a_.cols);
    const auto                               n    = static_cast<std::size_t>(cols);
    kernels::DeviceArray<image::ChunkOrigin> chunk(chunks.size());
    kernels::DeviceArray<std::uint32_t>      times(n);
    kernels::DeviceArray<std::uint64_t>      key(n), sorted(n);
    chunk.upload(chunks.data());
    times.clear();
    kernels::launch(count_columns_kernel<Index>, {static_cast<unsigned>(chunks.size()), 128}, chunk.data(), view_.col, times.data());
    kernels::launch(frequency_keys_kernel, kernels::one_thread_each(cols), times.data(), cols, key.data());
    std::size_t bytes = 0;
    const auto  sort  = [&](void *space) {
      kernels::check_cuda(cub::DeviceRadixSort::SortKeys(space, bytes, key.data(), sorted.data(), cols, 0, 64, kernels::current_stream()),
                            "sort columns by how often they occur");
    };
    sort(nullptr);
    kernels::DeviceArray<char> space(bytes);
    sort(space.data());
    std::vector<std::uint64_t> first(std::min(most, n));
    sorted.download(first.data(), first.size());
    std::vector<image::ColumnCount> columns;
    for (const std::uint64_t k : first) columns.push_back({static_cast<Local>(k), ~static_cast<std::uint32_t>(k >> 32)});
    return columns;
  }

private:
  /// Arrays that are on the device already are taken as they are.
  template <class T>
  static void bring(const T *from, std::size_t n, int threads, std::optional<kernels::DeviceArray<T>> &array, const T *&view)
  {
    if (view) return;
    if (kernels::is_on_device(from)) {
      view = from;
      return;
    }
    array.emplace(n);
    array->upload(from, threads);
    view = array->data();
  }

  CsrView<Scalar, Index>                     a_;
  int                                        device_;
  std::optional<kernels::DeviceArray<Index>> row_ptr_, col_;
  std::optional<kernels::DeviceArray<S>>     val_;
  RowsView<S, Index>                         view_{};
};

/// Calls visit(RowsView) with the type of index that the rows have.
template <class Scalar, class Visit> void with_rows(const DeviceRows<Scalar> &rows, const Visit &visit)
{
  if (rows.wide()) visit(static_cast<const Rows<Scalar, std::int64_t> &>(rows).view());
  else visit(static_cast<const Rows<Scalar, std::int32_t> &>(rows).view());
}

} // namespace petscspmv::ccoo::device
