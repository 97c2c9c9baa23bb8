#pragma once

/// \file batch_device.cuh
/// Batches on a device: a block of threads takes the 1024 entries of a batch, four to a thread.
///
/// The kernel may begin before the one in front of it has ended, and then waits for it where it first asks for x: what there is of the matrix has long been
/// there, and is on its way by then. 66 real matrices back to back: 1.61 times the best of cuSPARSE's CSR and COO, and 1.50 times in an earlier run where it began
/// afterwards.
///
/// A thread reads its columns and values at places that follow from its number, as soon as it begins, the batch together with them, and then x, four
/// loads on their way together, and ends of rows. Products meet in shared memory; there, a row is summed by as many lanes as the batch says.
/// Everything is read once, but for x and the batch. H200, cold, matrices of 5,000 to 150,000 entries: 4.5 us, of which 3.1 are a kernel that does
/// nothing but store, and 1.2 the two waits; with eight entries a thread 5.5 to 6, with a segmented sum over the lanes of a warp instead 7. Ends
/// of a thread's first row in registers took 0.1 us more; going once through the sums while x is on its way, so that the program is there, 0.5;
/// asking for the first lines of x and y ahead changed nothing; all of an x of up to 32 KB to shared memory beside columns, which then need
/// not be waited for, took 2 % more cold and 6 % back to back in the mean of 41 real matrices, 25 of which have such an x.

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
  S                          *part; ///< [batches] no_sum between products
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
  __device__ double as_double(int k) const
  {
    return __hiloint2double(static_cast<int>(word[2 * k + 1]), static_cast<int>(word[2 * k]));
  }
  __device__ double as_float(int k) const
  {
    return static_cast<double>(__uint_as_float(word[k]));
  }
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
  __device__   ThreadValues(const BatchProduct<S> &p, std::size_t i) : codes_(p.value, i), table_(p.table) { }
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
__device__ void sum_rows(const kernels::DeviceRowUpdate<S> &update, const image::Batch &b, const S *product, const std::uint16_t *end,
                         Local row)
{
  const int lanes = 1 << b.lanes, lane = static_cast<int>(threadIdx.x) & (lanes - 1), rows = b.rows,
            together = device_batch_threads >> b.lanes;
  int r              = static_cast<int>(threadIdx.x) >> b.lanes;
#pragma unroll 1
  for (int first = 0; first < rows; first += together, r += together, row += together) {
    const bool mine = r < rows;
    const int  next = mine ? end[r + 1] : 0;
    const S    sum  = sum_of_row(product, mine ? end[r] & ~image::Batch::elsewhere : 0, next & ~image::Batch::elsewhere, lane, lanes);
    if (mine && lane == 0 && !(next & image::Batch::elsewhere)) update(row, sum);
  }
}

/// What is in the place of a sum that is not there yet: a NaN, for which another one stands where a sum is that.
inline constexpr long long no_sum = ~0ll, nearly_no_sum = ~1ll;

/// Leaves a number for another block of threads: the number itself says that it is there.
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

/// Waits for a number that another block of threads leaves, and takes it away.
__device__ inline double take(double *p)
{
  volatile long long *const word = reinterpret_cast<volatile long long *>(p);
  long long                 bits;
  do bits = *word;
  while (bits == no_sum);
  *word = no_sum; // for the next product
  return __longlong_as_double(bits);
}
__device__ inline DeviceComplex take(DeviceComplex *p)
{
  return {take(reinterpret_cast<double *>(p)), take(reinterpret_cast<double *>(p) + 1)};
}

/// A part of a row, by the threads that have its products. That of the last part waits for the others, which began before it, and adds them: rows in parts
/// are so few that there is always room for those that are waited for. H200, cold, against adding by whoever is done last, who has to count: rows of 1,300
/// to 1,500 entries among short ones 5.5 us and 5.9, boyd1 10.7 and 11.7.
template <class S> __device__ void sum_part(const BatchProduct<S> &p, const image::Batch &b, S sum)
{
  const unsigned last = b.end + b.rows - 1u;
  sum                 = kernels::block_sum<device_batch_threads>(sum);
  if (blockIdx.x != last) {
    if (threadIdx.x == 0) leave(p.part + blockIdx.x, sum);
    return;
  }
  if (threadIdx.x >= image::lanes) return;
  S others = 0;
  for (unsigned k = b.end + threadIdx.x; k < last; k += image::lanes) others += take(p.part + k);
  others = kernels::sum_over_lanes(others, image::lanes);
  if (threadIdx.x == 0) p.update(b.row, others + sum);
}

/// A batch.
template <Coding coding, bool wide, class S> __device__ void multiply_batch(const BatchProduct<S> &p)
{
  constexpr int each = device_batch_each, grain = image::Batch::end_grain;
  __shared__ __align__(16) double room[device_batch_entries * sizeof(S) / sizeof(double)];
  __shared__ __align__(16) std::uint16_t end[device_batch_entries];
  S *const                               product = reinterpret_cast<S *>(room);
  const unsigned                         thread  = threadIdx.x;
  const std::size_t                      place   = std::size_t(blockIdx.x) * device_batch_threads + thread;

  const ThreadNumbers<wide ? 32 : 16> columns(p.column, place);
  const ThreadValues<coding, S>       values(p, place);
  const image::Batch                  b = load_16(p.batch + blockIdx.x);
  cudaGridDependencySynchronize();
  S v[each]; // of x, not by way of the cache for what no kernel writes: the one before may have written it while this one was there
  if (b.kind == image::Batch::part) { // lanes behind its end read no x
    const int n   = static_cast<int>(b.least) - static_cast<int>(thread) * each;
    S         sum = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) v[k] = k < n ? p.x[columns[k]] : S(0);
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
  for (int k = 0; k < each; ++k) v[k] = p.x[b.least + columns[k]];
  reinterpret_cast<uint2 *>(end)[thread] = ends;
#pragma unroll
  for (int k = 0; k < each; ++k) product[thread * each + k] = kernels::product(values[k], v[k], p.conjugate);
  __syncthreads();
  sum_rows(p.update, b, product, end, row);
}

} // namespace petscspmv::ccoo::device
