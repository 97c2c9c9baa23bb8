#pragma once

/// \file chunk_device.cuh
/// Chunks on a device: a warp takes the 512 entries of a chunk, sixteen to a lane, and sums them by rows.
///
/// A lane reads its columns and coded values once, 16 bytes at a time, and one word of bits that say where rows end; then x, sixteen loads on their
/// way together. It adds its entries one after the other; what is left open at its end goes to the next lanes by one scan over the warp.
/// Sums wait in shared memory until all are there, so that y is written in order; where a chunk may have so many rows that x would lack the room,
/// they are written as they come. Rows that lie in several chunks are added by
/// whichever of these comes last, in the order of the chunks.

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "kernels/device_block_sum.cuh"
#include "kernels/device_open_sums.cuh"

namespace petscspmv::ccoo::device {

/// Sixteen numbers of a lane, each of `bytes` bytes, as unsigned ones.
template <int bytes> struct LaneCodes {
  static constexpr int pieces = image::each * bytes / 16;
  uint4                piece[pieces];

  __device__ LaneCodes(const std::byte *of_chunk, int lane)
  {
#pragma unroll
    for (int k = 0; k < pieces; ++k) piece[k] = load_piece(of_chunk + (k * image::lanes + lane) * image::piece);
  }
  __device__ std::uint32_t operator[](int k) const
  {
    const uint4         p    = piece[k * bytes / 16];
    const int           at   = k * bytes % 16;
    const std::uint32_t word = at / 4 == 0 ? p.x : at / 4 == 1 ? p.y : at / 4 == 2 ? p.z : p.w;
    if constexpr (bytes == 4) return word;
    else return word >> at % 4 * 8 & (bytes == 2 ? 0xffff : 0xff);
  }
};

/// The values of a lane.
template <class S> struct LaneValues {
  /// Calls visit(k, value) in the order in which they are added. `raw`: all chunks of the matrix are.
  template <bool raw, class Visit> __device__ static void for_each(const image::Chunk &c, const Product<S> &p, int lane, const Visit &visit)
  {
    const std::byte *const of_chunk = p.a.value + c.value * image::piece;
    const S *const         table    = p.a.table + c.table;
    if constexpr (raw) return visit_raw(of_chunk, lane, visit);
    switch (static_cast<Coding>(c.coding)) {
    case Coding::constant: {
      const S value = kernels::load_shared(table);
#pragma unroll
      for (int k = 0; k < image::each; ++k) visit(k, value);
      return;
    }
    case Coding::table16: {
      const uint2 codes = __ldg(reinterpret_cast<const uint2 *>(of_chunk) + lane);
#pragma unroll
      for (int k = 0; k < image::each; ++k) visit(k, kernels::load_shared(table + ((k < 8 ? codes.x : codes.y) >> k % 8 * 4 & 15)));
      return;
    }
    case Coding::table256:
      return look_up<1>(of_chunk, table, lane, visit);
    case Coding::table65536:
      return look_up<2>(of_chunk, table, lane, visit);
    case Coding::single:
      return visit_single(of_chunk, lane, visit);
    default:
      return visit_raw(of_chunk, lane, visit);
    }
  }

private:
  template <int bytes, class Visit> __device__ static void look_up(const std::byte *of_chunk, const S *table, int lane, const Visit &visit)
  {
    const LaneCodes<bytes> codes(of_chunk, lane);
#pragma unroll
    for (int k = 0; k < image::each; ++k) visit(k, kernels::load_shared(table + codes[k]));
  }
  template <class Visit> __device__ static void visit_single(const std::byte *of_chunk, int lane, const Visit &visit)
  {
    constexpr int               floats = sizeof(S) / sizeof(double);
    const LaneCodes<4 * floats> codes(of_chunk, lane);
    const auto                  number = [&codes](int i) {
      const uint4 p = codes.piece[i / 4];
      return static_cast<double>(__uint_as_float(i % 4 == 0 ? p.x : i % 4 == 1 ? p.y : i % 4 == 2 ? p.z : p.w));
    };
#pragma unroll
    for (int k = 0; k < image::each; ++k) {
      if constexpr (floats == 1) visit(k, number(k));
      else visit(k, S(number(2 * k), number(2 * k + 1)));
    }
  }
  template <class Visit> __device__ static void visit_raw(const std::byte *of_chunk, int lane, const Visit &visit)
  {
#pragma unroll
    for (int k = 0; k < int(image::each * sizeof(S) / image::piece); ++k) {
      const uint4  p     = load_piece(of_chunk + (k * image::lanes + lane) * image::piece);
      const double first = __hiloint2double(p.y, p.x), second = __hiloint2double(p.w, p.z);
      if constexpr (sizeof(S) == image::piece) visit(k, S(first, second));
      else {
        visit(2 * k, first);
        visit(2 * k + 1, second);
      }
    }
  }
};

/// The columns of a lane, from the chunk's least one on.
struct LaneColumns {
  std::uint32_t column[image::each];

  __device__ void load(bool wide, const std::byte *of_chunk, int lane)
  {
    if (wide) load<4>(of_chunk, lane);
    else load<2>(of_chunk, lane);
  }

private:
  template <int bytes> __device__ void load(const std::byte *of_chunk, int lane)
  {
    const LaneCodes<bytes> codes(of_chunk, lane);
#pragma unroll
    for (int k = 0; k < image::each; ++k) column[k] = codes[k];
  }
};

/// The row of segment k.
template <class S> __device__ Local row_of(const Product<S> &p, const image::Chunk &c, int k)
{
  return c.row + (c.gaps ? Local(__ldg(p.a.gap + c.gap + k)) : k);
}

/// Writes rows without entries between the rows of a chunk: a few by the lane that finds them, many by all lanes.
template <class S> __device__ void write_empty_rows(const Product<S> &p, const image::Chunk &c, int lane)
{
  constexpr int few = 8;
  if (!c.gaps) return;
  const std::uint16_t *gap = p.a.gap + c.gap;
  for (int k = 0; k + 1 < c.segments; k += image::lanes) {
    const bool is_between = k + lane + 1 < c.segments;
    int        empty      = is_between ? __ldg(gap + k + lane) + 1 : 0;
    const int  next       = is_between ? __ldg(gap + k + lane + 1) : 0;
    for (std::uint32_t many = __ballot_sync(~0u, next - empty > few); many; many &= many - 1) {
      const int from = __ffs(static_cast<int>(many)) - 1, last = __shfl_sync(~0u, next, from);
      for (int r = __shfl_sync(~0u, empty, from) + lane; r < last; r += image::lanes) p.update.empty(c.row + r);
    }
    if (next - empty <= few)
      for (; empty < next; ++empty) p.update.empty(c.row + empty);
  }
}

/// Adds the parts of a cut row: by a warp, or by one thread.
template <int lanes, class S> __device__ void join(const Product<S> &p, const image::CutRow &cut, int lane)
{
  S sum = 0;
#pragma unroll 4
  for (unsigned t = cut.first + lane; t < cut.last; t += lanes) sum += kernels::load_fresh(&p.a.part[t].tail);
  sum = kernels::sum_over_lanes(sum, lanes);
  if (lane == 0) p.update(cut.row, sum + kernels::load_fresh(&p.a.part[cut.last].head));
}

/// A chunk has left its part of a cut row in memory: if it is the last to do so, it adds all of them.
template <class S> __device__ void arrive(const Product<S> &p, unsigned number, int lane)
{
  const image::CutRow cut  = p.a.cut[number];
  unsigned            last = 0;
  if (lane == 0) last = atomicAdd(p.a.arrived + number, 1) == cut.last - cut.first;
  if (__shfl_sync(~0u, last, 0) == 0) return;
  __threadfence();
  if (lane == 0) p.a.arrived[number] = 0; // for the next product
  join<image::lanes>(p, cut, lane);
}

/// Adds the parts of a cut row that has many, by a block of threads: some of them are on their way together.
template <class S> __device__ void join_by_block(const Product<S> &p, const image::CutRow &cut)
{
  constexpr int threads = tuning::device_join_threads, together = tuning::device_join_together;
  const S       head = threadIdx.x == 0 ? kernels::load_fresh(&p.a.part[cut.last].head) : S(0);
  S             sum  = 0;
  for (unsigned t = cut.first + threadIdx.x; t < cut.last; t += threads * together) {
    S tail[together];
#pragma unroll
    for (int k = 0; k < together; ++k) tail[k] = t + k * threads < cut.last ? kernels::load_fresh(&p.a.part[t + k * threads].tail) : S(0);
#pragma unroll
    for (int k = 0; k < together; ++k) sum += tail[k];
  }
  sum = kernels::block_sum<threads>(sum);
  if (threadIdx.x == 0) p.update(cut.row, sum + head);
}

/// Blocks of threads that add the parts of all cut rows.
template <class S> __host__ __device__ unsigned short_join_blocks(const Layout<S> &a)
{
  return (a.short_cuts + tuning::device_join_threads - 1) / tuning::device_join_threads;
}
template <class S> unsigned join_blocks(const Layout<S> &a)
{
  return short_join_blocks(a) + a.cuts - a.short_cuts;
}

/// Adds the parts of all cut rows: those of few parts by a thread each, the others by a block of threads each. Which row that is does not
/// have to wait for the chunks.
template <class S> __device__ void join_all(const Product<S> &p)
{
  const unsigned short_blocks = short_join_blocks(p.a);
  const bool     is_short     = blockIdx.x < short_blocks;
  const unsigned k            = is_short ? blockIdx.x * blockDim.x + threadIdx.x : p.a.short_cuts + blockIdx.x - short_blocks;
  const bool     is_there     = !is_short || k < p.a.short_cuts;
  image::CutRow  cut{};
  if (is_there) cut = p.a.cut[__ldg(p.a.cut_order + k)];
  cudaGridDependencySynchronize();
  if (!is_short) join_by_block(p, cut);
  else if (is_there) join<1>(p, cut, 0);
}

/// Chunk i, by a warp. `sums` is in shared memory, one for each row that may end in a chunk. `raw`: all chunks of the matrix are; `joins`: the
/// last chunk of a cut row adds its parts; `stages`: there is room for sums in shared memory.
/// `hot_x`: in shared memory, x of the hot columns, where there are some.
template <bool raw, bool joins, bool stages, bool has_hot = false, class S>
__device__ void multiply_chunk(const Product<S> &p, unsigned i, S *sums, const S *hot_x = nullptr)
{
  const int           lane = threadIdx.x % image::lanes;
  const image::Chunk  c    = load_16(p.a.chunk + i);
  const std::uint32_t end  = __ldg(p.a.end + i * image::lanes + lane);
  LaneColumns         columns;
  S                   v[image::each]; // products
  columns.load(c.wide, p.a.column + c.column * image::piece, lane);
  const S *const x = p.x + c.least;
  if constexpr (has_hot) { // registers are few: x first, and values as they come
#pragma unroll
    for (int k = 0; k < image::each; ++k) {
      const std::uint32_t column = columns.column[k];
      if (column >= image::Chunk::hot_column) v[k] = hot_x[column - image::Chunk::hot_column];
      else v[k] = kernels::load_shared(x + column);
    }
    LaneValues<S>::template for_each<raw>(c, p, lane, [&](int k, S value) { v[k] = kernels::product(value, v[k], p.conjugate); });
  } else {
    LaneValues<S>::template for_each<raw>(c, p, lane, [&](int k, S value) { v[k] = value; });
#pragma unroll
    for (int k = 0; k < image::each; ++k) v[k] = kernels::product(v[k], kernels::load_shared(x + columns.column[k]), p.conjugate);
  }

  int       ends = __popc(end);
  const int mine = ends;
#pragma unroll
  for (int d = 1; d < image::lanes; d *= 2) {
    const int before = __shfl_up_sync(~0u, ends, d);
    if (lane >= d) ends += before;
  }
  const int first = ends - mine; // ends in lanes below
  int       next  = first;
  S         head = 0, sum = 0; // up to the lane's first end, and since its last
#pragma unroll
  for (int k = 0; k < image::each; ++k) {
    sum += v[k];
    if (end >> k & 1) {
      if constexpr (stages) sums[next] = sum; // the first one, too: so few instructions need no branch
      else if (next == first) head = sum;
      else p.update(row_of(p, c, next), sum);
      ++next;
      sum = 0;
    }
  }
  kernels::OpenSums<S> open{{sum}, mine > 0};
  open.scan(lane);
  const S before = open.before(lane).sum[0];
  if (mine > 0) {
    if constexpr (stages) head = sums[first];
    head = before + head;
    if (c.continues && first == 0) p.a.part[i].head = head;
    else if constexpr (stages) sums[first] = head;
    else p.update(row_of(p, c, first), head);
  }
  if (c.goes_on && lane == image::lanes - 1) p.a.part[i].tail = open.sum[0];
  if constexpr (stages) {
    const int all = __shfl_sync(~0u, ends, image::lanes - 1);
    __syncwarp();
    for (int k = lane + c.continues; k < all; k += image::lanes) p.update(row_of(p, c, k), sums[k]);
  }
  write_empty_rows(p, c, lane);
  if constexpr (joins) {
    if (!c.continues && !c.goes_on) return;
    __threadfence();
    __syncwarp();
    const int rows = 1 + (c.goes_on && c.continues && c.segments > 1);
    for (int k = 0; k < rows; ++k) arrive(p, c.cut + k, lane);
  }
}

} // namespace petscspmv::ccoo::device
