#pragma once

/// \file csr_segments.hpp
/// The segmented sum of a tile: consecutive entries become one sum for each segment (the part of a row in the tile).

#include <cstddef>
#include <cstdint>

#include "kernels/lanes/prefetch.hpp"
#include "kernels/lanes/scalar.hpp"

namespace petscspmv::csr {

/// What describe_segments() finds besides the descriptor.
template <class Index> struct Segments {
  int   complete; ///< segments that end in the tile; one more, perhaps without entries, is open at its end
  Index next_row; ///< the first row that does not end in the tile
};

/// Memory for the sums of a tile and for what they are made from.
///
/// Products are kept in a ring just long enough to be read again, because more of them would push x and the streams out
/// of the nearest cache (27-point stencil from memory: a ring of 256 takes 0.54 ns an entry, a buffer of 1024 takes
/// 0.71, AMD Zen 4).
template <class Scalar> class TileBuffer {
public:
  static constexpr int most    = 4096; ///< entries of a tile, or segments
  static constexpr int ring    = 256;  ///< products, a power of two
  static constexpr int longest = 32;   ///< longest segment that is summed from the ring
  static constexpr int mirror  = 48;   ///< the first products once more behind the last, so that no segment is broken: longest + lanes

  [[gnu::always_inline]] TileBuffer() { end()[-1] = 0; }
  [[gnu::always_inline]] Scalar *product() { return reinterpret_cast<Scalar *>(product_); } ///< [ring + mirror]
  [[gnu::always_inline]] Scalar *sum() { return reinterpret_cast<Scalar *>(sum_); }         ///< [most + 1]
  [[gnu::always_inline]] int    *end() { return end_ + pad; }                               ///< [most + 1], and end()[-1], which is 0

private:
  static constexpr int pad = 16; // entries that may be written past the end

  // Not set to zero, as arrays of complex numbers would be.
  alignas(64) std::byte product_[(ring + mirror) * sizeof(Scalar)];
  alignas(64) std::byte sum_[(most + 1 + pad) * sizeof(Scalar)];
  alignas(64) int end_[pad + most + 1 + pad];
};

/// The segment descriptor of the tile of `n` entries from entry `begin` on: end[k] is where segment k ends in the tile.
///
/// `row` is the first row that ends after entry `begin` (or 0 if begin == 0). Rows without entries give no segment, so
/// the tile has met empty rows if next_row - row is not `complete`. The open segment ends at n, and so do more without
/// entries.
template <class L, class Index> Segments<Index> describe_segments(const Index *row_ptr, Index rows, Index row, Index begin, int n, int *end)
{
  int   complete = 0;
  Index r        = row;
  for (; rows - r >= L::row_block && row_ptr[r + L::row_block] - begin <= n; r += L::row_block)
    complete += L::ends_of_block(row_ptr + r, begin, end + complete);
  for (; r < rows && row_ptr[r + 1] - begin <= n; ++r) {
    end[complete] = static_cast<int>(row_ptr[r + 1] - begin);
    complete += row_ptr[r] != row_ptr[r + 1];
  }
  for (int k = 0; k <= L::width; ++k) end[complete + k] = n;
  return {complete, r};
}

/// How TileSum goes through its tile.
struct Pace {
  static constexpr int step       = 16; ///< entries multiplied between two tests
  static constexpr int ahead      = 64; ///< entries that products are ahead of sums; 32 to 128 make no difference, 256 is slower
  static constexpr int mean_limit = 20; ///< mean length from which on dot products are faster
};

/// out[i] = val[i] x[col[i]] for entries done .. done + step - 1, in the ring.
template <class L, class Index>
[[gnu::always_inline]] inline void ring_products(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, int done,
                                                 typename L::Scalar *ring)
{
  using Buffer            = TileBuffer<typename L::Scalar>;
  const int           at  = done & (Buffer::ring - 1);
  typename L::Scalar *out = ring + at;
#pragma GCC unroll 16
  for (int i = 0; i < Pace::step; i += L::width) L::products(col + done + i, val + done + i, x, out + i);
  if (at < Buffer::mirror)
    for (int i = 0; i < Pace::step; ++i) out[Buffer::ring + i] = out[i];
}

/// The same for the last entries of a tile, from `done` to `n`.
template <class L, class Index>
void last_ring_products(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, int done, int n,
                        typename L::Scalar *ring)
{
  using Buffer = TileBuffer<typename L::Scalar>;
  for (; done < n; ++done) {
    const int at = done & (Buffer::ring - 1);
    ring[at]     = kernels::multiply(val[done], x[col[done]]);
    if (at < Buffer::mirror) ring[at + Buffer::ring] = ring[at];
  }
}

/// The sum of val[i] x[col[i]] for i < n. Up to `slack` >= n columns may be looked at.
template <class L, kernels::Access access, class Index>
[[gnu::always_inline]] inline typename L::Scalar dot(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x,
                                                     std::int64_t n, std::int64_t slack)
{
  if constexpr (kernels::is_scattered(access)) return L::template gather_dot<access == kernels::Access::far>(col, val, x, n, slack);
  else return L::template dot<access != kernels::Access::cached>(col, val, x, n, slack);
}

/// The same of one row after the other, which are mostly short.
template <class L, kernels::Access access, class Index>
[[gnu::always_inline]] inline typename L::Scalar row_dot(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x,
                                                         std::int64_t n, std::int64_t slack)
{
  if constexpr (kernels::is_scattered(access)) return dot<L, access>(col, val, x, n, slack);
  else return L::template row_dot<access != kernels::Access::cached>(col, val, x, n, slack);
}

/// sum[i] becomes the dot product over the entries end[i - 1] .. end[i] - 1, for i < L::width.
template <class L, kernels::Access access, class Index>
[[gnu::always_inline]] inline void segment_dots(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x,
                                                const int *end, std::int64_t slack, typename L::Scalar *sum)
{
  if constexpr (kernels::is_scattered(access)) {
    for (int i = 0; i < L::width; ++i)
      sum[i] = dot<L, access>(col + end[i - 1], val + end[i - 1], x, end[i] - end[i - 1], slack - end[i - 1]);
  } else L::store(sum, L::template segment_dots<access != kernels::Access::cached>(col, val, x, end, slack));
}

/// The sums of the segments of one tile: buffer.sum()[k] becomes that of segment k, for k < count.
///
/// Short segments: products of consecutive entries, whatever rows they belong to, then one vector of products a segment
/// and a transposing sum, `width` segments at a time. No branch depends on the length of a single row. Products run
/// ahead of the sums, so that their loads from memory do not wait for the sums. Long segments: dot products.
///
/// `col` and `val` are the entries of the tile; `slack` >= n columns may be looked at. Inlined: called from two loops,
/// the portable one took 1.15 times as long with aijlight (AMD, tiles within the caches).
template <class L, kernels::Access access, class Index>
[[gnu::always_inline]] inline void sum_tile(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, int n,
                                            std::int64_t slack, TileBuffer<typename L::Scalar> &buffer, int count)
{
  using Scalar = typename L::Scalar;
  using Buffer = TileBuffer<Scalar>;
  static_assert(Pace::mean_limit * L::width + Pace::ahead + 2 * Pace::step <= Buffer::ring);
  constexpr int w = L::width, step = Pace::step;
  Scalar *const ring = buffer.product(), *const sum = buffer.sum();
  const int *end   = buffer.end();
  const int  whole = n / step * step;
  int        done  = 0; // entries that have been multiplied
  for (int k = 0; k < count; k += w, end += w) {
    const int begin = end[-1], stop = end[w - 1];
    if (stop - begin > Pace::mean_limit * w || L::any_longer(end, Buffer::longest)) {
      segment_dots<L, access>(col, val, x, end, slack, sum + k);
      if (done < stop) done = stop / step * step;
      continue;
    }
    const int target = stop + Pace::ahead;
    for (; done < target && done < whole; done += step) {
      if constexpr (access != kernels::Access::cached) kernels::prefetch_entries(col + done, val + done, step);
      if constexpr (access == kernels::Access::far) kernels::prefetch_x<step>(col + done, x, slack - done);
      ring_products<L>(col, val, x, done, ring);
    }
    if (done < target && done < n) {
      last_ring_products<L>(col, val, x, done, n, ring);
      done = n;
    }
    L::store(sum + k, L::segment_sums(ring, Buffer::ring - 1, end));
  }
}

} // namespace petscspmv::csr
