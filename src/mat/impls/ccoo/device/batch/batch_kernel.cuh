#pragma once

/// \file batch_kernel.cuh
/// Batches on a device: a thread block multiplies the 1024 entries of a batch, four to a thread.
///
/// The kernel may begin before the preceding one has ended, and waits for it before it reads x: by then the matrix is
/// on its way. 66 real matrices back to back, H200: 1.61 times the best of cuSPARSE's CSR and COO, 1.50 times if it
/// begins afterwards.
///
/// A thread loads its columns and values, at places that follow from its number, together with the batch, then x (four
/// loads in flight) and ends of rows. Products meet in shared memory, where as many lanes sum a row as the batch says.
/// Matrices of 5,000 to 150,000 entries, caches emptied: 4.5 us, of which 3.1 are a kernel that only stores; with eight
/// entries a thread 5.5, with a segmented sum over the lanes of a warp 7.

#include <type_traits>

#include "impls/ccoo/device/batch/batch_arrays.hpp"
#include "impls/ccoo/device/batch/batch_tuning.hpp"
#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/sums.cuh"

namespace petscspmv::ccoo::device {

template <class S> using Batches = View<image::BatchKind, S>;

/// What a product with batches needs, and no more: kernel arguments are loaded from memory, too.
template <class S> struct BatchProduct : Pass<S> {
  Batches<S> a;
  S         *part; ///< [batches] no_sum between products
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
  /// As numbers of that type.
  __device__ double number(int k, double) const
  {
    return __hiloint2double(static_cast<int>(word[2 * k + 1]), static_cast<int>(word[2 * k]));
  }
  __device__ double number(int k, float) const
  {
    return static_cast<double>(__uint_as_float(word[k]));
  }
};

/// The values of a thread.
template <Coding coding, class S> class ThreadValues {
  using Form                = kernels::CodingOf<coding>;
  static constexpr int bits = kernels::coded_bits<S>(coding);

public:
  __device__   ThreadValues(const BatchProduct<S> &p, std::size_t i) : codes_(p.a.batch_value, i), table_(p.a.batch_table) { }
  __device__ S operator[](int k) const
  {
    if constexpr (Form::most == 1) return kernels::load_shared(table_);
    else if constexpr (Form::most > 0) return kernels::load_shared(table_ + codes_[k]);
    else {
      constexpr typename Form::Number kind{};
      if constexpr (sizeof(S) == sizeof(double)) return codes_.number(k, kind);
      else return S(codes_.number(2 * k, kind), codes_.number(2 * k + 1, kind));
    }
  }

private:
  struct None {
    __device__ None(const std::byte *, std::size_t) { }
  };
  std::conditional_t<bits == 0, None, ThreadNumbers<bits == 0 ? 8 : bits>> codes_;
  const S                                                                 *table_;
};

/// What a lane adds of numbers begin to end - 1: begin + lane, begin + lane + lanes, ...
template <class S> __device__ S sum_of_lane(const S *number, int begin, int end, int lane, int lanes)
{
  constexpr int together = 4;
  S             sum      = 0;
#pragma unroll 1
  for (int i = begin + lane; i < end; i += together * lanes) {
#pragma unroll
    for (int k = 0; k < together; ++k)
      if (i + k * lanes < end) sum += number[i + k * lanes];
  }
  return sum;
}

/// The same of products four of which each thread has added already, by four lanes or more.
template <class S> __device__ S sum_of_lane_by_fours(const S *product, const S *four, int begin, int end, int lane, int lanes)
{
  const int first = min((begin + 3) / 4 * 4, end), last = max(end / 4 * 4, first);
  S         sum = begin + lane < first ? product[begin + lane] : S(0);
  if (last + lane < end) sum += product[last + lane];
  return sum + sum_of_lane(four, first / 4, last / 4, lane, lanes);
}

/// How the threads of a block divide the rows of a batch.
struct RowShare {
  int lanes, lane; ///< of a row, and which of them the thread is
  int first;       ///< row of the thread
  int together;    ///< rows that are summed at a time

  /// Before the wait for x. The empty instruction keeps the compiler from moving this behind it.
  __device__ explicit RowShare(const image::Batch &b)
    : lanes(1 << b.lanes), lane(static_cast<int>(threadIdx.x) & (lanes - 1)), first(static_cast<int>(threadIdx.x) >> b.lanes),
      together(device_batch_threads >> b.lanes)
  {
    asm volatile("" : "+r"(lanes), "+r"(lane), "+r"(first), "+r"(together));
  }
};

/// Rows of a batch, from sum_of(first product, one behind the last, lane, lanes) of each lane of a row. `row`: of the
/// thread, if the batch has so many.
template <class S, class SumOf>
__device__ void sum_rows(const kernels::DeviceRowUpdate<S> &update, int rows, const RowShare &share, const std::uint16_t *end, Local row,
                         const SumOf &sum_of)
{
  int r = share.first;
#pragma unroll 1
  for (int first = 0; first < rows; first += share.together, r += share.together, row += share.together) {
    const bool mine = r < rows;
    const int  next = mine ? end[r + 1] : 0;
    S          sum  = sum_of(mine ? end[r] & ~image::Batch::elsewhere : 0, next & ~image::Batch::elsewhere, share.lane, share.lanes);
    sum             = kernels::sum_over_lanes(sum, share.lanes);
    if (mine && share.lane == 0 && !(next & image::Batch::elsewhere)) update(row, sum);
  }
}

/// Marks a sum that is not there yet: a NaN; a sum that is this very NaN is written as another one.
inline constexpr long long no_sum = ~0ll, nearly_no_sum = ~1ll;

/// Leaves a number for another thread block, which sees by its bits that it is there.
__device__ inline void leave(double *p, double v)
{
  const long long bits = __double_as_longlong(v);
  __stcg(reinterpret_cast<long long *>(p), bits == no_sum ? nearly_no_sum : bits);
}
__device__ inline void leave(DeviceComplex *p, DeviceComplex v)
{
  leave(reinterpret_cast<double *>(p), v.real());
  leave(reinterpret_cast<double *>(p) + 1, v.imag());
}

/// Waits for the numbers k, k + 32, ... below `stop` that other thread blocks leave, resets them, and adds them. Four
/// loads are in flight: one at a time, a row of 46 parts took 0.4 us more, of 6.3.
template <class S> __device__ S take_sum(S *number, unsigned k, unsigned stop)
{
  constexpr int             words = sizeof(S) / sizeof(double), together = 4;
  volatile long long *const word = reinterpret_cast<volatile long long *>(number);
  const auto                at   = [&](int j) { return word + (k + j / words * image::lanes) * words + j % words; };
  const auto                has  = [&](int j) { return k + j / words * image::lanes < stop; };
  S                         sum  = 0;
  for (; k < stop; k += together * image::lanes) {
    union {
      long long bits[together * words];
      double    value[together * words];
    } taken;
    bool waits;
    do {
      waits = false;
#pragma unroll
      for (int j = 0; j < together * words; ++j) taken.bits[j] = has(j) ? *at(j) : 0;
#pragma unroll
      for (int j = 0; j < together * words; ++j) waits = waits || taken.bits[j] == no_sum;
    } while (waits);
#pragma unroll
    for (int j = 0; j < together * words; ++j)
      if (has(j)) *at(j) = no_sum; // for the next product
#pragma unroll
    for (int j = 0; j < together; ++j) {
      if constexpr (words == 1) sum += taken.value[j];
      else sum += S(taken.value[2 * j], taken.value[2 * j + 1]);
    }
  }
  return sum;
}

/// One row in parts or two, by the threads that have their products: `ended` of the one that ends here, `open` of the
/// one that goes on, or begins. The former waits for its other parts, whose thread blocks began before it: rows in
/// parts are so few that those waited for always run. Rows of 1,300 to 1,500 entries among short ones, H200: 5.5 us,
/// added by the last block to finish 5.9, by clusters of blocks of four or eight no faster.
template <class S> __device__ void sum_parts(const BatchProduct<S> &p, const image::Batch &b, S ended, S open)
{
  if (b.rows < b.least) {
    open = block_sum<device_batch_threads>(open);
    if (threadIdx.x == 0) leave(p.part + blockIdx.x, open);
    if (b.rows == 0) return;
    __syncthreads();
  }
  ended = block_sum<device_batch_threads>(ended);
  if (threadIdx.x >= image::lanes) return;
  const S others = kernels::sum_over_lanes(take_sum(p.part, b.end + threadIdx.x, blockIdx.x), image::lanes);
  if (threadIdx.x == 0) p.update(b.row, others + ended);
}

/// Prefetches to the second-level cache what will be written and waited for. rail507: 7.2 us instead of 7.6.
__device__ inline void bring(const void *p)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/// A batch of rows in parts.
template <class S, class Columns, class Values>
__device__ void multiply_parts(const BatchProduct<S> &p, const image::Batch &b, const Columns &columns, const Values &values)
{
  constexpr int each  = device_batch_each;
  const int     first = static_cast<int>(threadIdx.x) * each, n = static_cast<int>(b.least) - first, to_end = b.rows - first;
  S             v[each], ended = 0, open = 0;
  if (threadIdx.x == 0) bring(p.part + blockIdx.x);
  cudaGridDependencySynchronize();
#pragma unroll
  for (int k = 0; k < each; ++k) v[k] = k < n ? p.x[columns[k]] : S(0); // lanes behind the end read no x
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (k < n) (k < to_end ? ended : open) += values[k] * v[k];
  sum_parts(p, b, ended, open);
}

/// A batch of whole rows.
template <class S, class Columns, class Values>
__device__ void multiply_rows(const BatchProduct<S> &p, const image::Batch &b, const Columns &columns, const Values &values)
{
  constexpr int each = device_batch_each, grain = image::Batch::end_grain;
  __shared__ __align__(16) double shared[(device_batch_entries + device_batch_threads) * sizeof(S) / sizeof(double)];
  __shared__ __align__(16) std::uint16_t end[device_batch_entries];
  S *const product = reinterpret_cast<S *>(shared), *const four = product + device_batch_entries;
  const unsigned thread = threadIdx.x;

  uint2 ends{}; // of four rows
  if (thread * grain <= b.rows) ends = __ldg(reinterpret_cast<const uint2 *>(p.a.batch_end) + b.end + thread);
  const RowShare share(b);
  const int      rows = b.rows;
  Local          row  = b.row + share.first;
  if (b.kind == image::Batch::listed && share.first < rows) row = __ldg(p.a.batch_row + row);
  cudaGridDependencySynchronize();
  S v[each];
#pragma unroll
  for (int k = 0; k < each; ++k) v[k] = p.x[b.least + columns[k]];
  reinterpret_cast<uint2 *>(end)[thread] = ends;
#pragma unroll
  for (int k = 0; k < each; ++k) v[k] = values[k] * v[k];
#pragma unroll
  for (int k = 0; k < each; ++k) product[thread * each + k] = v[k];
  if (b.by_fours) four[thread] = (v[0] + v[1]) + (v[2] + v[3]);
  __syncthreads();
  if (b.by_fours)
    sum_rows(p.update, rows, share, end, row,
             [&](int begin, int stop, int lane, int lanes) { return sum_of_lane_by_fours(product, four, begin, stop, lane, lanes); });
  else
    sum_rows(p.update, rows, share, end, row,
             [&](int begin, int stop, int lane, int lanes) { return sum_of_lane(product, begin, stop, lane, lanes); });
}

/// A batch. Either branch waits for the preceding kernel: a wait before the branch made the compiler (CUDA 13.0) put
/// the loads of columns and values behind it, which took 14 % more (69 matrices back to back). Loads of x do not go
/// through the read-only cache: the preceding kernel may have written it.
template <Coding coding, bool wide, class S> __device__ void multiply_batch(const BatchProduct<S> &p)
{
  const std::size_t                   place = std::size_t(blockIdx.x) * device_batch_threads + threadIdx.x;
  const ThreadNumbers<wide ? 32 : 16> columns(p.a.batch_column, place);
  const ThreadValues<coding, S>       values(p, place);
  const image::Batch                  b = load_16(p.a.batch + blockIdx.x);
  if (b.kind == image::Batch::part) multiply_parts(p, b, columns, values);
  else multiply_rows(p, b, columns, values);
}

} // namespace petscspmv::ccoo::device
