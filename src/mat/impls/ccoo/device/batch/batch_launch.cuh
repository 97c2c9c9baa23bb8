#pragma once

/// \file batch_launch.cuh
/// How batches are multiplied, and take new values.

#include "impls/ccoo/device/batch/batch_kernel.cuh"
#include "impls/ccoo/device/coded.cuh"
#include "impls/ccoo/device/device_kind.cuh"
#include "kernels/device/residency.cuh"

namespace petscspmv::ccoo::device {

/// A block for each batch, all of one coding.
template <Coding coding, bool wide, class S>
__global__ void __launch_bounds__(device_batch_threads, tuning::device_batches_at_a_time / (sizeof(S) / sizeof(double)))
  batch_kernel(const __grid_constant__ BatchProduct<S> p)
{
  cudaTriggerProgrammaticLaunchCompletion();
  multiply_batch<coding, wide>(p);
}

/// Batches, and where their values are written.
template <class S> struct BatchValues {
  const image::Batch  *batch;
  const std::uint16_t *end;
  const Local         *row;
  const S             *table;
  std::byte           *value;
  std::size_t          bytes; ///< of the values of each
};

/// The entry of the matrix in place j of batch i, or -1 behind the last.
template <class S, class Index> __device__ std::int64_t entry_in_batch(const BatchValues<S> &m, unsigned i, int j, const Index *row_ptr)
{
  const image::Batch b = m.batch[i];
  if (b.kind == image::Batch::part) {
    if (j >= static_cast<int>(b.least)) return -1;
    if (b.rows > 0 && j >= b.rows) return static_cast<std::int64_t>(row_ptr[m.batch[i + 1].row]) + j - b.rows;
    return static_cast<std::int64_t>(row_ptr[b.row]) + image::entries_before(b, m.batch[b.end], i) + j;
  }
  const std::uint16_t *const end  = m.end + b.end * std::size_t(image::Batch::end_grain);
  const auto                 stop = [end](int r) { return static_cast<int>(end[r] & ~image::Batch::elsewhere); };
  if (j >= stop(b.rows)) return -1;
  int low = 0, high = b.rows - 1; // rows one of which has it
  while (low < high) {
    const int middle = (low + high) / 2;
    if (stop(middle + 1) > j) high = middle;
    else low = middle + 1;
  }
  return static_cast<std::int64_t>(row_ptr[b.kind == image::Batch::listed ? m.row[b.row + low] : b.row + low]) + j - stop(low);
}

/// The at() of this block's batch.
template <class S, class Index> struct ValuesOfBatch {
  const BatchValues<S>     &m;
  const RowsView<S, Index> &rows;

  __device__ const S *operator()(int j, int) const
  {
    const std::int64_t entry = entry_in_batch(m, blockIdx.x, j, rows.row_ptr);
    return entry < 0 ? nullptr : rows.val + entry;
  }
};

/// The table of all batches.
template <class S, class Index> __global__ void renew_batch_table_kernel(BatchValues<S> m, Coding coding, RowsView<S, Index> rows, S *table)
{
  renew_table(coding, device_batch_entries, m.value + blockIdx.x * m.bytes, ValuesOfBatch<S, Index>{m, rows}, table);
}

/// New values of batches, which have one coding. A block of threads each.
template <class S, class Index>
__global__ void fill_batches_kernel(BatchValues<S> m, Coding coding, RowsView<S, Index> rows, unsigned *misfits)
{
  const ValuesOfBatch<S, Index> at{m, rows};
  if (!rewrite_coded(coding, device_batch_entries, m.table, m.value + blockIdx.x * m.bytes, at)) *misfits = 1;
}

template <class S> struct DeviceKind<image::BatchKind, S> : IdleKind<S> {
  static bool                        wants_row_ptr(const Arrays<S> &a) { return a.batch.size() > 0; }
  template <class Image> static bool checks(const Image &m) { return m.batch.size() > 0; }
  template <class Index> static void renew(const Filling<S, Index> &f)
  {
    const auto    &a = f.arrays;
    const unsigned n = f.count(a.batch);
    if (n == 0) return;
    const Coding               coding = f.summary.batch_coding;
    const BatchValues<S>       batches{.batch = a.batch.data(),
                                       .end   = a.batch_end.data(),
                                       .row   = a.batch_row.data(),
                                       .table = a.table.data(),
                                       .value = a.batch_value.data(),
                                       .bytes = a.batch_value.bytes() / n};
    const kernels::LaunchShape shape{n, device_batch_threads};
    if (kernels::table_limit(coding) > 0)
      kernels::launch(renew_batch_table_kernel<S, Index>, shape, batches, coding, f.rows, a.table.data());
    kernels::launch(fill_batches_kernel<S, Index>, shape, batches, coding, f.rows, f.misfits);
  }
};

/// A matrix in batches. The kernel before need not have ended. `part`: what they write besides y.
template <class S>
void multiply_batches(const Arrays<S> &a, const image::Summary &summary, S *part, const S *x, const kernels::DeviceRowUpdate<S> &update)
{
  const auto            batches = static_cast<unsigned>(a.batch.size());
  const BatchProduct<S> p{.batch  = a.batch.data(),
                          .end    = a.batch_end.data(),
                          .row    = a.batch_row.data(),
                          .column = a.batch_column.data(),
                          .value  = a.batch_value.data(),
                          .table  = a.table.data(),
                          .part   = part,
                          .x      = x,
                          .update = update};
  kernels::for_each_coding([&](auto coding) {
    if constexpr (kernels::table_limit(coding) <= tuning::device_table && kernels::decoder_of(coding) == coding) {
      if (kernels::decoder_of(summary.batch_coding) != coding) return;
      const kernels::LaunchShape shape{batches, device_batch_threads};
      if (summary.batch_wide) kernels::launch_with_last(batch_kernel<coding, true, S>, shape, p);
      else kernels::launch_with_last(batch_kernel<coding, false, S>, shape, p);
    }
  });
}

/// One block of threads less than there is room for.
template <class S> std::size_t most_waiting_batches()
{
  return static_cast<std::size_t>(kernels::resident_blocks(batch_kernel<kernels::plain_coding, true, S>, device_batch_threads, 0)) - 1;
}

} // namespace petscspmv::ccoo::device
