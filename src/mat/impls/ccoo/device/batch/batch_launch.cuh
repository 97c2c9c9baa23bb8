#pragma once

/// \file batch_launch.cuh
/// How batches are multiplied, and take new values.

#include "impls/ccoo/device/batch/batch_kernel.cuh"
#include "impls/ccoo/device/batch/batch_tuning.hpp"
#include "impls/ccoo/device/coded.cuh"
#include "impls/ccoo/device/multiprocessor.cuh"

namespace petscspmv::ccoo::device {

/// A block for each batch, all of one coding.
template <Coding coding, bool wide, class S>
__global__ void __launch_bounds__(device_batch_threads, tuning::device_batches_at_a_time / (sizeof(S) / sizeof(double)))
  batch_kernel(const __grid_constant__ BatchProduct<S> p)
{
  cudaTriggerProgrammaticLaunchCompletion();
  multiply_batch<coding, wide>(p);
}

/// The entry of the matrix in place j of batch i, or -1 behind the last.
template <class S, class Index> __device__ std::int64_t entry_in_batch(const Batches<S> &m, unsigned i, int j, const Index *row_ptr)
{
  const image::Batch b = m.batch[i];
  if (b.kind == image::Batch::part) {
    if (j >= static_cast<int>(b.least)) return -1;
    if (b.rows > 0 && j >= b.rows) return static_cast<std::int64_t>(row_ptr[m.batch[i + 1].row]) + j - b.rows;
    return static_cast<std::int64_t>(row_ptr[b.row]) + image::entries_before(b, m.batch[b.end], i) + j;
  }
  const std::uint16_t *const end  = m.batch_end + b.end * std::size_t(image::Batch::end_grain);
  const auto                 stop = [end](int r) { return static_cast<int>(end[r] & ~image::Batch::elsewhere); };
  if (j >= stop(b.rows)) return -1;
  int low = 0, high = b.rows - 1; // rows one of which has it
  while (low < high) {
    const int middle = (low + high) / 2;
    if (stop(middle + 1) > j) high = middle;
    else low = middle + 1;
  }
  return static_cast<std::int64_t>(row_ptr[b.kind == image::Batch::listed ? m.batch_row[b.row + low] : b.row + low]) + j - stop(low);
}

/// The at() of this block's batch.
template <class S, class Index> struct ValuesOfBatch {
  const Batches<S>         &m;
  const RowsView<S, Index> &rows;

  __device__ const S *operator()(int j, int) const
  {
    const std::int64_t entry = entry_in_batch(m, blockIdx.x, j, rows.row_ptr);
    return entry < 0 ? nullptr : rows.val + entry;
  }
};

/// The table of all batches, whose values take so many bytes each.
template <class S, class Index>
__global__ void renew_batch_table_kernel(Batches<S> m, Coding coding, std::size_t bytes, RowsView<S, Index> rows, S *table)
{
  renew_table(coding, device_batch_entries, m.batch_value + blockIdx.x * bytes, ValuesOfBatch<S, Index>{m, rows}, table);
}

/// New values of batches, which have one coding. A block of threads each.
template <class S, class Index>
__global__ void fill_batches_kernel(Batches<S> m, Coding coding, std::size_t bytes, RowsView<S, Index> rows, std::byte *value,
                                    unsigned *misfits)
{
  const ValuesOfBatch<S, Index> at{m, rows};
  if (!rewrite_coded(coding, device_batch_entries, m.batch_table, value + blockIdx.x * bytes, at)) *misfits = 1;
}

template <class S> class DeviceKind<image::BatchKind, S> : public PiecesOf<image::BatchKind, S> {
public:
  /// Blocks of threads that may wait for others: one less than there is room for. Throws FormatError.
  static std::size_t most_waiting()
  {
    return static_cast<std::size_t>(resident_blocks(batch_kernel<kernels::plain_coding, true, S>, device_batch_threads, 0)) - 1;
  }

  template <class Image> void prepare(const Image &) { part_.fill(0xff); } // no_sum
  /// The kernel before need not have ended.
  void launch(const Pass<S> &p, LaunchesBeside &) const
  {
    const kernels::LaunchShape shape{this->count(arrays_.batch), device_batch_threads};
    if (shape.blocks == 0) return;
    const BatchProduct<S> product{p, this->view(), part_.data()};
    kernels::for_each_coding([&](auto coding) {
      if constexpr (kernels::table_limit(coding) <= tuning::device_table && kernels::decoder_of(coding) == coding) {
        if (kernels::decoder_of(this->counts().batch_coding) != coding) return;
        if (this->counts().batch_wide) kernels::launch_with_last(batch_kernel<coding, true, S>, shape, product);
        else kernels::launch_with_last(batch_kernel<coding, false, S>, shape, product);
      }
    });
  }

  bool                               wants_row_ptr() const { return arrays_.batch.size() > 0; }
  template <class Image> static bool checks(const Image &m) { return m.batch.size() > 0; }
  template <class Index> void        renew(const Filling<S, Index> &f)
  {
    const kernels::LaunchShape shape{this->count(arrays_.batch), device_batch_threads};
    if (shape.blocks == 0) return;
    const Coding      coding = this->counts().batch_coding;
    const std::size_t bytes  = arrays_.batch_value.bytes() / shape.blocks;
    if (kernels::table_limit(coding) > 0)
      kernels::launch(renew_batch_table_kernel<S, Index>, shape, this->view(), coding, bytes, f.rows, arrays_.batch_table.data());
    kernels::launch(fill_batches_kernel<S, Index>, shape, this->view(), coding, bytes, f.rows, arrays_.batch_value.data(), f.misfits);
  }

  template <class Image, class Visit> void for_each_scratch(const Image &m, const Visit &visit)
  {
    visit(part_, m.rows_in_parts > 0 ? m.batch.size() : 0);
  }
  bool has_scratch() const { return part_.size() > 0; }
  void add_scratch_to(Footprint &f) const { this->add_to(f, "parts of cut rows", part_.bytes()); }

private:
  using PiecesOf<image::BatchKind, S>::arrays_;

  DeviceArray<S> part_;
};

} // namespace petscspmv::ccoo::device
