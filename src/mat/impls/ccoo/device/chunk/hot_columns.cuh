#pragma once

/// \file hot_columns.cuh
/// Columns that many entries have, found on the device.

#include <algorithm>

#include <cub/device/device_radix_sort.cuh>

#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/chunk/chunk_tuning.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/array.cuh"
#include "impls/ccoo/device/memory/rows.cuh"

namespace petscspmv::ccoo::device {

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

/// Those that an image may have whose numbers have `size` bytes: as many as fit shared memory beside the sums of a
/// block's warps.
inline std::size_t most_hot_columns(std::size_t size)
{
  if (size > sizeof(double)) return 0;
  int bytes = 0;
  kernels::check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, kernels::current_device()),
                      "tell the size of its shared memory");
  constexpr std::size_t sums = std::size_t(tuning::device_hot_warps) * tuning::device_hot_sums;
  const std::size_t     room = static_cast<std::size_t>(bytes) / size;
  return std::min(tuning::device_hot_columns, room - std::min(room, sums));
}

template <class Scalar> class Maker final : public image::Maker {
public:
  explicit Maker(const DeviceRows<Scalar> &rows) : rows_(rows) { }

  std::vector<image::ColumnCount> most_frequent(const std::vector<image::ChunkOrigin> &chunks, std::size_t most) const override
  {
    std::vector<image::ColumnCount> columns;
    with_pattern(rows_, [&](const auto &rows) {
      for (const std::uint64_t key : first_keys(rows.col, static_cast<Local>(rows_.cols()), chunks, most))
        columns.push_back({static_cast<Local>(key), ~static_cast<std::uint32_t>(key >> 32)});
    });
    return columns;
  }

private:
  /// Kept for as long as this is: to free memory, CUDA waits for all that is under way, such as values.
  struct Work {
    Work() = default;
    /// For so many chunks and columns, with so many bytes for sorting.
    Work(std::size_t chunks, std::size_t cols, std::size_t bytes)
      : block(chunk.room(chunks) + times.room(cols) + key.room(cols) + sorted.room(cols) + space.room(bytes)), chunk(chunks, block),
        times(cols, block), key(cols, block), sorted(cols, block), space(bytes, block)
    {
    }

    kernels::DeviceBlock                     block;
    kernels::DeviceArray<image::ChunkOrigin> chunk;
    kernels::DeviceArray<std::uint32_t>      times;
    kernels::DeviceArray<std::uint64_t>      key, sorted;
    kernels::DeviceArray<char>               space;
  };

  template <class Index>
  std::vector<std::uint64_t> first_keys(const Index *col, Local cols, const std::vector<image::ChunkOrigin> &chunks, std::size_t most) const
  {
    const auto n    = static_cast<std::size_t>(cols);
    Work      &w    = work_;
    const auto sort = [&](void *space, std::size_t bytes) {
      kernels::check_cuda(
        cub::DeviceRadixSort::SortKeys(space, bytes, w.key.data(), w.sorted.data(), cols, 0, 64, kernels::current_stream()),
        "sort columns by how often they occur");
      return bytes;
    };
    w = Work(chunks.size(), n, sort(nullptr, 0));
    w.chunk.upload(chunks.data());
    w.times.clear();
    kernels::launch(count_columns_kernel<Index>, {static_cast<unsigned>(chunks.size()), 128}, w.chunk.data(), col, w.times.data());
    kernels::launch(frequency_keys_kernel, kernels::one_thread_each(cols), w.times.data(), cols, w.key.data());
    sort(w.space.data(), w.space.size());
    std::vector<std::uint64_t> first(std::min(most, n));
    w.sorted.download(first.data(), first.size());
    return first;
  }

  const DeviceRows<Scalar> &rows_;
  mutable Work              work_;
};

} // namespace petscspmv::ccoo::device
