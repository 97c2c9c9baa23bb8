#pragma once

/// \file chunk_kernel.cuh
/// Chunks on a device: a warp multiplies the 512 entries of a chunk, sixteen to a lane, and sums them by rows.
///
/// A lane loads its columns and coded values, 16 bytes at a time, and a word of bits that says where rows end; then x,
/// sixteen loads in flight. It adds its entries in order; what is open at its end goes to the next lanes by one scan
/// over the warp. Sums wait in shared memory so that y is written in order, all of them or (hot.cuh) as many as fit.
/// The parts of a row in several chunks are added in the order of these, by the last chunk to finish or by another
/// kernel.

#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/chunk/chunk_tuning.hpp"
#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/sums.cuh"

namespace petscspmv::ccoo::device {

/// The parts of cut rows that a chunk has.
template <class S> struct Parts {
  S head, tail; ///< of the row that began before, of the one that goes on
};

/// Chunks, and what a product writes besides y.
template <class S> struct Chunks : View<image::ChunkKind, S> {
  S        *hot_x;   ///< [hot columns] x of these, side by side
  Parts<S> *part;    ///< [chunks]
  unsigned *arrived; ///< [cut rows] zero between products
};

// Work of blocks of threads that stay: consecutive things, as many for each block, and of those of a block the next one
// for a warp that is done with one.

/// What is the work of this block of n things.
struct DeviceShare {
  unsigned first, last;

  __device__ explicit DeviceShare(unsigned n) : first(at(n, blockIdx.x)), last(at(n, blockIdx.x + 1)) { }

private:
  __device__ static unsigned at(unsigned n, unsigned block) { return static_cast<unsigned>(std::uint64_t(n) * block / gridDim.x); }
};

/// The next number for a warp, from what the warps of a block count in shared memory. Before, all its lanes have done
/// what they had to do.
__device__ inline unsigned take_next(unsigned &next)
{
  unsigned mine = 0;
  __syncwarp();
  if (threadIdx.x % 32 == 0) mine = atomicAdd(&next, 1);
  return __shfl_sync(~0u, mine, 0);
}

/// Numbers part * n .. part * n + n - 1 of the sixteen of a lane, each of `bytes` bytes.
template <int bytes, int n> struct LanePieces {
  static constexpr int pieces = n * bytes / image::piece;
  static_assert(pieces > 0);
  uint4 piece[pieces];

  __device__ explicit LanePieces(const std::byte *of_chunk, int lane, int part)
  {
#pragma unroll
    for (int k = 0; k < pieces; ++k) piece[k] = load_piece(of_chunk + ((part * pieces + k) * image::lanes + lane) * image::piece);
  }
  /// Four bytes of them.
  __device__ std::uint32_t word(int i) const
  {
    const uint4 p = piece[i / 4];
    return i % 4 == 0 ? p.x : i % 4 == 1 ? p.y : i % 4 == 2 ? p.z : p.w;
  }
};

/// The same as unsigned numbers.
template <int bytes, int n = image::each> struct LaneCodes : private LanePieces<bytes, n> {
  __device__ explicit LaneCodes(const std::byte *of_chunk, int lane, int part = 0) : LanePieces<bytes, n>(of_chunk, lane, part) { }
  __device__ std::uint32_t operator[](int k) const
  {
    const std::uint32_t word = LanePieces<bytes, n>::word(k * bytes / 4);
    if constexpr (bytes == 4) return word;
    else return word >> k * bytes % 4 * 8 & (bytes == 2 ? 0xffff : 0xff);
  }
};

/// The same as values, whose parts are numbers of such a type.
template <class Number, int n, class S> struct LaneNumbers : private LanePieces<int(sizeof(Number) * sizeof(S) / sizeof(double)), n> {
  using Pieces = LanePieces<int(sizeof(Number) * sizeof(S) / sizeof(double)), n>;
  using Pieces::piece;

  __device__ explicit LaneNumbers(const std::byte *of_chunk, int lane, int part = 0) : Pieces(of_chunk, lane, part) { }
  __device__ S operator[](int k) const
  {
    if constexpr (sizeof(S) == sizeof(double)) return number(k, Number());
    else return S(number(2 * k, Number()), number(2 * k + 1, Number()));
  }

private:
  __device__ double number(int i, double) const
  {
    const uint4 p = piece[i / 2];
    return i % 2 == 0 ? __hiloint2double(p.y, p.x) : __hiloint2double(p.w, p.z);
  }
  __device__ double number(int i, float) const { return static_cast<double>(__uint_as_float(Pieces::word(i))); }
};
template <int n, class S> using RawValues = LaneNumbers<double, n, S>;

/// The values of a lane.
template <class S> struct LaneValues {
  /// Calls visit(k, value) in the order in which they are added. `raw`: all chunks of the matrix are.
  template <bool raw, class Visit> __device__ static void for_each(const image::Chunk &c, const Chunks<S> &a, int lane, const Visit &visit)
  {
    const std::byte *const of_chunk = a.value + c.value * image::piece;
    const S *const         table    = a.table + c.table;
    const auto             all      = [&visit](const auto &value) {
#pragma unroll
      for (int k = 0; k < image::each; ++k) visit(k, value(k));
    };
    const auto numbers = [&](auto number) {
      const LaneNumbers<decltype(number), image::each, S> values(of_chunk, lane);
      all([&values](int k) { return values[k]; });
    };
    if constexpr (raw) return numbers(0.0);
    kernels::visit_coding<true>(kernels::decoder_of(static_cast<Coding>(c.coding)), [&](auto coding) {
      using Form = kernels::CodingOf<coding>;
      if constexpr (Form::most == 0) numbers(typename Form::Number());
      else if constexpr (Form::most == 1) {
        const S value = kernels::load_shared(table);
        all([value](int) { return value; });
      } else if constexpr (Form::most == 16) { // others are not on a device
        const uint2 codes = __ldg(reinterpret_cast<const uint2 *>(of_chunk) + lane);
        all([&](int k) { return kernels::load_shared(table + ((k < 8 ? codes.x : codes.y) >> k % 8 * 4 & 15)); });
      }
    });
  }
};

/// Columns part * n .. part * n + n - 1 of a lane, from the chunk's least one on.
template <int n> struct LaneColumns {
  std::uint32_t column[n];

  __device__ explicit LaneColumns(bool wide, const std::byte *of_chunk, int lane, int part = 0)
  {
    if (wide) load<4>(of_chunk, lane, part);
    else load<2>(of_chunk, lane, part);
  }
  __device__ std::uint32_t operator[](int k) const { return column[k]; }

private:
  template <int bytes> __device__ void load(const std::byte *of_chunk, int lane, int part)
  {
    const LaneCodes<bytes, n> codes(of_chunk, lane, part);
#pragma unroll
    for (int k = 0; k < n; ++k) column[k] = codes[k];
  }
};

/// The row of segment k.
template <class S> __device__ Local row_of(const Chunks<S> &a, const image::Chunk &c, int k)
{
  return c.row + (c.gaps ? Local(__ldg(a.gap + c.gap + k)) : k);
}

/// The rows of lane l of a warp: that of segment k + l of a chunk, and the empty ones up to the next one.
struct SegmentRows {
  int row, next; ///< from the chunk's first one; if there is no next one, it is the row after this one

  template <class S> __device__ SegmentRows(const Chunks<S> &a, const image::Chunk &c, int k, int lane) : row(k + lane), next(k + lane + 1)
  {
    if (!c.gaps) return;
    const std::uint16_t *const gap = a.gap + c.gap;
    if (k + lane < c.segments) row = __ldg(gap + k + lane);
    next = k + lane + 1 < c.segments ? __ldg(gap + k + lane + 1) : row + 1;
  }

  /// Writes the rows without entries: a few by the lane that has them, many by all lanes.
  template <class S> __device__ void write_empty(const Pass<S> &p, const image::Chunk &c, int lane) const
  {
    constexpr int few = 8;
    if (!c.gaps) return;
    for (std::uint32_t many = __ballot_sync(~0u, next - row - 1 > few); many; many &= many - 1) {
      const int from = __ffs(static_cast<int>(many)) - 1, last = __shfl_sync(~0u, next, from);
      for (int r = __shfl_sync(~0u, row, from) + 1 + lane; r < last; r += image::lanes) p.update.empty(c.row + r);
    }
    if (next - row - 1 > few) return;
    for (int r = row + 1; r < next; ++r) p.update.empty(c.row + r);
  }
};

/// Adds the parts of a cut row: by a warp, or by one thread.
template <int lanes, class S> __device__ void join(const Chunks<S> &a, const Pass<S> &p, const image::CutRow &cut, int lane)
{
  S sum = 0;
#pragma unroll 4
  for (unsigned t = cut.first + lane; t < cut.last; t += lanes) sum += kernels::load_fresh(&a.part[t].tail);
  sum = kernels::sum_over_lanes(sum, lanes);
  if (lane == 0) p.update(cut.row, sum + kernels::load_fresh(&a.part[cut.last].head));
}

/// After a chunk has stored its part of a cut row: the last one to do so adds all parts.
template <class S> __device__ void arrive(const Chunks<S> &a, const Pass<S> &p, unsigned number, int lane)
{
  const image::CutRow cut  = a.cut[number];
  unsigned            last = 0;
  if (lane == 0) last = atomicAdd(a.arrived + number, 1) == cut.last - cut.first;
  if (__shfl_sync(~0u, last, 0) == 0) return;
  __threadfence();
  if (lane == 0) a.arrived[number] = 0; // for the next product
  join<image::lanes>(a, p, cut, lane);
}

/// Adds the parts of a cut row that has many, by a block of threads: some of them are in flight together.
template <class S> __device__ void join_by_block(const Chunks<S> &a, const Pass<S> &p, const image::CutRow &cut)
{
  constexpr int threads = tuning::device_join_threads, together = tuning::device_join_together;
  const S       head = threadIdx.x == 0 ? kernels::load_fresh(&a.part[cut.last].head) : S(0);
  S             sum  = 0;
  for (unsigned t = cut.first + threadIdx.x; t < cut.last; t += threads * together) {
    S tail[together];
#pragma unroll
    for (int k = 0; k < together; ++k) tail[k] = t + k * threads < cut.last ? kernels::load_fresh(&a.part[t + k * threads].tail) : S(0);
#pragma unroll
    for (int k = 0; k < together; ++k) sum += tail[k];
  }
  sum = block_sum<threads>(sum);
  if (threadIdx.x == 0) p.update(cut.row, sum + head);
}

/// Blocks of threads that add the parts of all cut rows.
template <class S> __host__ __device__ unsigned short_join_blocks(const Chunks<S> &a)
{
  return (a.short_cuts + tuning::device_join_threads - 1) / tuning::device_join_threads;
}
template <class S> unsigned join_blocks(const Chunks<S> &a)
{
  return short_join_blocks(a) + a.cut.size() - a.short_cuts;
}

/// Adds the parts of all cut rows: those of few parts by a thread each, the others by a block of threads each. Which
/// row that is does not have to wait for the chunks.
template <class S> __device__ void join_all(const Chunks<S> &a, const Pass<S> &p)
{
  const unsigned short_blocks = short_join_blocks(a);
  const bool     is_short     = blockIdx.x < short_blocks;
  const unsigned k            = is_short ? blockIdx.x * blockDim.x + threadIdx.x : a.short_cuts + blockIdx.x - short_blocks;
  const bool     is_there     = !is_short || k < a.short_cuts;
  image::CutRow  cut{};
  if (is_there) cut = a.cut[__ldg(a.cut_order + k)];
  cudaGridDependencySynchronize();
  if (!is_short) join_by_block(a, p, cut);
  else if (is_there) join<1>(a, p, cut, 0);
}

/// Sums that wait in shared memory until y is written in order: those of all rows of a chunk.
inline constexpr unsigned all_sums = ~0U;

/// The sums of a chunk's rows, by a warp whose lanes add their entries one after the other. So many of them wait in
/// shared memory; those of further rows are written to y as they come, each of which has to wait for the number of its
/// row.
template <unsigned most, class S> class ChunkSums {
public:
  /// `end`: bit k says that entry k of this lane is the last of its row. `sums` is in shared memory.
  __device__ ChunkSums(const Chunks<S> &a, const Pass<S> &p, const image::Chunk &c, unsigned i, std::uint32_t end, S *sums, int lane)
    : a_(a), p_(p), c_(c), sums_(sums), chunk_(i), end_(end), lane_(lane)
  {
    const int ends = __popc(end);
    up_to_         = kernels::scan_over_lanes(ends, lane);
    first_         = up_to_ - ends;
    next_          = first_;
  }

  /// Entries from `from` on: v[0], v[1], ...
  template <int n> __device__ void add(int from, const S (&v)[n])
  {
#pragma unroll
    for (int k = 0; k < n; ++k) {
      sum_ += v[k];
      if (end_ >> (from + k) & 1) {
        if (waits(next_)) sums_[next_] = sum_; // the first one, too: so few instructions need no branch
        else if (next_ == first_) head_ = sum_;
        else p_.update(row_of(a_, c_, next_), sum_);
        ++next_;
        sum_ = 0;
      }
    }
  }

  /// After all entries: what is open in one lane goes on in the next ones. `rows` are those of the first segments.
  __device__ void close(SegmentRows rows)
  {
    OpenSum<S> open{sum_, end_ != 0};
    open.scan(lane_);
    const S before = open.before(lane_);
    if (end_ != 0) {
      head_ = before + (waits(first_) ? sums_[first_] : head_);
      if (c_.continues && first_ == 0) a_.part[chunk_].head = head_;
      else if (waits(first_)) sums_[first_] = head_;
      else p_.update(row_of(a_, c_, first_), head_);
    }
    if (c_.goes_on && lane_ == image::lanes - 1) a_.part[chunk_].tail = open.sum;
    const int all = __shfl_sync(~0u, up_to_, image::lanes - 1);
    __syncwarp();
    for (int k = 0;;) {
      if (const int mine = k + lane_; mine < all && waits(mine) && !(mine == 0 && c_.continues)) p_.update(c_.row + rows.row, sums_[mine]);
      rows.write_empty(p_, c_, lane_);
      if ((k += image::lanes) >= c_.segments) break;
      rows = SegmentRows(a_, c_, k, lane_);
    }
  }

private:
  __device__ static bool waits([[maybe_unused]] int segment)
  {
    if constexpr (most == all_sums) return true;
    else return static_cast<unsigned>(segment) < most;
  }

  const Chunks<S>    &a_;
  const Pass<S>      &p_;
  const image::Chunk &c_;
  S *const            sums_;
  const unsigned      chunk_;
  const std::uint32_t end_;
  const int           lane_;
  int                 up_to_, first_, next_; ///< ends up to this lane, in those below, and before the next entry
  S                   head_ = 0, sum_ = 0;   ///< up to the lane's first end, where that does not wait, and since its last
};

/// Chunk i, by a warp. `sums` is in shared memory, one for each row that may end in a chunk: written as they come, sums
/// take a sector each (rows of two entries, H200: 489 us instead of 241). `raw`: all chunks of the matrix are; `joins`:
/// the last chunk of a cut row adds its parts.
template <bool raw, bool joins, class S> __device__ void multiply_chunk(const Chunks<S> &a, const Pass<S> &p, unsigned i, S *sums)
{
  const int           lane = threadIdx.x % image::lanes;
  const image::Chunk  c    = load_16(a.chunk + i);
  const std::uint32_t end  = __ldg(a.end + i * image::lanes + lane);
  S                   v[image::each]; // products

  const LaneColumns<image::each> columns(c.wide, a.column + c.column * image::piece, lane);
  const S *const                 x = p.x + c.least;
  LaneValues<S>::template for_each<raw>(c, a, lane, [&](int k, S value) { v[k] = value; });
#pragma unroll
  for (int k = 0; k < image::each; ++k) v[k] *= kernels::load_shared(x + columns[k]);
  ChunkSums<all_sums, S> rows(a, p, c, i, end, sums, lane);
  rows.add(0, v);
  rows.close(SegmentRows(a, c, 0, lane));
  if constexpr (joins) {
    if (!c.continues && !c.goes_on) return;
    __threadfence();
    __syncwarp();
    const int cuts = 1 + (c.goes_on && c.continues && c.segments > 1);
    for (int k = 0; k < cuts; ++k) arrive(a, p, c.cut + k, lane);
  }
}

} // namespace petscspmv::ccoo::device
