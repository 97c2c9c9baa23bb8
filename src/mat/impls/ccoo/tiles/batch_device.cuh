#pragma once

/// \file batch_device.cuh
/// Batches on a device: a block of threads takes the 1024 entries of a batch, four to a thread.
///
/// A thread reads its columns and values at places that follow from its number, as soon as it begins, the batch and its ends together with the others, and then
/// x, four loads on their way together. Products meet in shared memory; there, a row is summed by as many lanes as the batch says. Everything is
/// read once, but for x and the batch. The program is short on purpose: emptied caches have lost it, too, and what a block of threads does after its
/// loads has to come from memory meanwhile. H200, cold, matrices of 5,000 to 150,000 entries: 4.5 us, of which 3.1 are a kernel that does nothing
/// but store; with eight entries a thread 5.5 to 6, with a segmented sum over the lanes of a warp in its place 7.

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "kernels/device_block_sum.cuh"

namespace petscspmv::ccoo::device {

/// What a product with batches wants to know, and no more: it comes from memory, too.
template <class S> struct BatchProduct {
  const image::Batch         *batch;
  const std::uint16_t        *end;
  const Local                *row; ///< of the list
  const std::byte            *column, *value;
  const S                    *table;
  Parts<S>                   *part;    ///< [batches]
  unsigned                   *arrived; ///< [rows in parts] zero between products
  const S                    *x;
  kernels::DeviceRowUpdate<S> update;
  bool                        conjugate;
};

/// Numbers of `bits` bits, one for each entry of a thread, side by side.
template <int bits> struct ThreadNumbers {
  static constexpr int bytes = device_batch_each * bits / 8;
  std::uint32_t        word[(bytes + 3) / 4];

  /// Those of thread i of all batches.
  __device__ ThreadNumbers(const std::byte *all, std::size_t i)
  {
    const std::byte *const p = all + i * bytes;
    if constexpr (bytes == 2) word[0] = __ldg(reinterpret_cast<const unsigned short *>(p));
    if constexpr (bytes == 4) word[0] = __ldg(reinterpret_cast<const unsigned *>(p));
    if constexpr (bytes == 8) {
      const uint2 v = __ldg(reinterpret_cast<const uint2 *>(p));
      word[0] = v.x, word[1] = v.y;
    }
#pragma unroll
    for (int k = 0; k < bytes / 16; ++k) {
      const uint4 v   = load_piece(p + 16 * k);
      word[4 * k]     = v.x;
      word[4 * k + 1] = v.y;
      word[4 * k + 2] = v.z;
      word[4 * k + 3] = v.w;
    }
  }
  /// Number k of those that fit a word.
  __device__ std::uint32_t operator[](int k) const
  {
    if constexpr (bits == 32) return word[k];
    else return word[k * bits / 32] >> k * bits % 32 & ((1u << bits) - 1);
  }
  __device__ double as_double(int k) const { return __hiloint2double(static_cast<int>(word[2 * k + 1]), static_cast<int>(word[2 * k])); }
  __device__ double as_float(int k) const { return static_cast<double>(__uint_as_float(word[k])); }
};

/// The values of a thread.
template <Coding coding, class S> class ThreadValues {
  static constexpr int bits = coding == Coding::constant     ? 0
                              : coding == Coding::table16    ? 4
                              : coding == Coding::table256   ? 8
                              : coding == Coding::table65536 ? 16
                              : coding == Coding::single     ? 4 * sizeof(S)
                                                             : 8 * sizeof(S);

public:
  __device__ ThreadValues(const BatchProduct<S> &p, std::size_t i) : codes_(p.value, i), table_(p.table) { }
  __device__ S operator[](int k) const
  {
    constexpr bool is_real = sizeof(S) == sizeof(double);
    if constexpr (coding == Coding::constant) return kernels::load_shared(table_);
    else if constexpr (bits <= 16) return kernels::load_shared(table_ + codes_[k]);
    else if constexpr (coding == Coding::single && is_real) return codes_.as_float(k);
    else if constexpr (coding == Coding::single) return S(codes_.as_float(2 * k), codes_.as_float(2 * k + 1));
    else if constexpr (is_real) return codes_.as_double(k);
    else return S(codes_.as_double(2 * k), codes_.as_double(2 * k + 1));
  }

private:
  struct None {
    __device__ None(const std::byte *, std::size_t) { }
  };
  std::conditional_t<bits == 0, None, ThreadNumbers<bits == 0 ? 8 : bits>> codes_;
  const S                                                                 *table_;
};

/// The sum of products begin + lane, begin + lane + lanes, ... below end, over all lanes that share a row.
template <class S> __device__ S sum_of_row(const S *product, int begin, int end, int lane, int lanes)
{
  constexpr int together = 4;
  S             sum      = 0;
#pragma unroll 1
  for (int i = begin + lane; i < end; i += together * lanes) {
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (i + k * lanes < end) sum += product[i + k * lanes];
  }
  return kernels::sum_over_lanes(sum, lanes);
}

/// Rows of a batch from the products of its entries, all of which are in shared memory with the ends of rows. `row`: of the thread, if the batch has so many.
template <class S>
__device__ void sum_rows(const kernels::DeviceRowUpdate<S> &update, const image::Batch &b, const S *product, const std::uint16_t *end, Local row)
{
  const int lanes = 1 << b.lanes, lane = static_cast<int>(threadIdx.x) & (lanes - 1), rows = b.rows, together = device_batch_threads >> b.lanes;
  int       r     = static_cast<int>(threadIdx.x) >> b.lanes;
#pragma unroll 1
  for (int first = 0; first < rows; first += together, r += together, row += together) {
    const bool mine = r < rows;
    const int  next = mine ? end[r + 1] : 0;
    const S    sum  = sum_of_row(product, mine ? end[r] & ~image::Batch::elsewhere : 0, next & ~image::Batch::elsewhere, lane, lanes);
    if (mine && lane == 0 && !(next & image::Batch::elsewhere)) update(row, sum);
  }
}

/// A part of a row, by the threads that have its products; whoever is the last to leave the sum of one in memory adds them.
template <class S> __device__ void sum_part(const BatchProduct<S> &p, const image::Batch &b, S sum)
{
  unsigned *const arrived = p.arrived + (b.least >> image::Batch::part_bits);
  sum                     = kernels::block_sum<device_batch_threads>(sum);
  if (threadIdx.x >= image::lanes) return;
  unsigned last = 0;
  if (threadIdx.x == 0) {
    p.part[blockIdx.x].tail = sum;
    __threadfence();
    last = atomicAdd(arrived, 1) + 1 == b.rows;
  }
  if (__shfl_sync(~0u, last, 0) == 0) return;
  __threadfence();
  sum = 0;
  for (unsigned k = threadIdx.x; k < b.rows; k += image::lanes) sum += kernels::load_fresh(&p.part[b.end + k].tail);
  sum = kernels::sum_over_lanes(sum, image::lanes);
  if (threadIdx.x > 0) return;
  *arrived = 0; // for the next product
  p.update(b.row, sum);
}

/// A batch.
template <Coding coding, bool wide, class S> __device__ void multiply_batch(const BatchProduct<S> &p)
{
  constexpr int            each = device_batch_each, grain = image::Batch::end_grain;
  __shared__ S             product[device_batch_entries];
  __shared__ std::uint16_t end[device_batch_entries];
  const unsigned           thread = threadIdx.x;
  const std::size_t        place  = std::size_t(blockIdx.x) * device_batch_threads + thread;

  const ThreadNumbers<wide ? 32 : 16> columns(p.column, place);
  const ThreadValues<coding, S>       values(p, place);
  const image::Batch                  b = load_16(p.batch + blockIdx.x);
  S                                   v[each];
  if (b.kind == image::Batch::part) { // lanes behind its end read no x
    const int n   = static_cast<int>(b.least & ((1u << image::Batch::part_bits) - 1)) - static_cast<int>(thread) * each;
    S         sum = 0;
    if (thread == 0) asm("prefetch.global.L2 [%0];" ::"l"(p.arrived + (b.least >> image::Batch::part_bits)));
#pragma unroll
    for (int k = 0; k < each; ++k) v[k] = k < n ? kernels::load_shared(p.x + columns[k]) : S(0);
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (k < n) sum += kernels::product(values[k], v[k], p.conjugate);
    return sum_part(p, b, sum);
  }
  uint2 ends{}; // of four rows
  if (thread * grain <= b.rows) ends = __ldg(reinterpret_cast<const uint2 *>(p.end) + b.end + thread);
  Local row = b.row + static_cast<Local>(thread >> b.lanes);
  if (b.kind == image::Batch::listed && (thread >> b.lanes) < b.rows) row = __ldg(p.row + row);
#pragma unroll
  for (int k = 0; k < each; ++k) v[k] = kernels::load_shared(p.x + b.least + columns[k]);
  reinterpret_cast<uint2 *>(end)[thread] = ends;
#pragma unroll
  for (int k = 0; k < each; ++k) product[thread * each + k] = kernels::product(values[k], v[k], p.conjugate);
  __syncthreads();
  sum_rows(p.update, b, product, end, row);
}

} // namespace petscspmv::ccoo::device
