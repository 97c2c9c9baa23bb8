#pragma once

/// \file segmented_sum.hpp
/// The segmented sum of a tile: products of consecutive entries become one sum for each segment (the part of a row in the tile).
///
/// Three steps, each a function template over a type of lanes:
///   describe   row pointer -> ends of the segments in the tile (the segment descriptor)
///   products   values, columns and x -> products, in order
///   sum        products -> sums, stored one after the other (compact), in the place of the products

namespace petscspmv::kernels {

/// What describe() finds besides the descriptor.
template <class Index> struct Segments {
  int   complete; ///< segments that end in the tile; one more, perhaps without entries, is open at its end
  Index next_row; ///< the first row that does not end in the tile
};

/// Memory for the descriptor and the products of a tile.
template <class Scalar> struct TileBuffer {
  static constexpr int pad = 8; ///< lanes that may be written past the end

  Scalar *product; ///< [tile + pad]
  int    *end;     ///< [tile + 1 + pad], and end[-1] is there and 0
};

/// The segment descriptor of the tile of `n` entries from entry `begin` on: end[k] is where segment k ends in the tile.
///
/// `row` is the first row that ends after entry `begin` (or 0 if begin == 0). Rows without entries give no segment, so the
/// tile has met empty rows if next_row - row is not `complete`. The open segment ends at n, and so do `pad` more without entries.
template <class L, class Index> Segments<Index> describe_segments(const Index *row_ptr, Index rows, Index row, Index begin, int n, int *end)
{
  int   complete = 0, previous = 0;
  Index r = row;
  for (; r < rows; ++r) {
    const Index offset = row_ptr[r + 1] - begin;
    if (offset > n) break;
    end[complete] = static_cast<int>(offset);
    complete += offset != previous;
    previous = static_cast<int>(offset);
  }
  for (int k = 0; k <= L::width; ++k) end[complete + k] = n;
  return {complete, r};
}

/// out[i] = val[i] x[col[i]] for i < n. The lanes past n are not touched.
template <class L, class Index>
void entry_products(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, int n, typename L::Scalar *out)
{
  int i = 0;
  for (; i + L::width <= n; i += L::width) L::store(out + i, L::mul(L::load(val + i), L::gather(x, col + i)));
  for (; i < n; ++i) out[i] = multiply(val[i], x[col[i]]);
}

/// The sum of val[i] x[col[i]] for i < n: a tile inside one row.
template <class L, class Index>
typename L::Scalar dot_product(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, int n)
{
  constexpr int   w = L::width, ways = 4;
  typename L::Vec acc[ways] = {L::zero(), L::zero(), L::zero(), L::zero()};
  int             i         = 0;
  for (; i + ways * w <= n; i += ways * w)
    for (int k = 0; k < ways; ++k) acc[k] = L::mul_add(L::load(val + i + k * w), L::gather(x, col + i + k * w), acc[k]);
  for (; i + w <= n; i += w) acc[0] = L::mul_add(L::load(val + i), L::gather(x, col + i), acc[0]);
  typename L::Scalar sum = L::sum(L::add(L::add(acc[0], acc[1]), L::add(acc[2], acc[3])));
  for (; i < n; ++i) sum += multiply(val[i], x[col[i]]);
  return sum;
}

/// The lanes of the result add up to the sum of p[0 .. n - 1].
template <class L> typename L::Vec sum_by_lanes(const typename L::Scalar *p, int n)
{
  constexpr int   w   = L::width;
  typename L::Vec acc = L::load_first(p, n);
  if (n > 4 * w) {
    typename L::Vec other[3] = {L::load(p + w), L::load(p + 2 * w), L::load(p + 3 * w)};
    int             i        = 4 * w;
    for (; i + 4 * w <= n; i += 4 * w) {
      acc = L::add(acc, L::load(p + i));
      for (int k = 0; k < 3; ++k) other[k] = L::add(other[k], L::load(p + i + (k + 1) * w));
    }
    acc = L::add(L::add(acc, other[0]), L::add(other[1], other[2]));
    p += i - w;
    n -= i - w;
  }
  for (int i = w; i < n; i += w) acc = L::add(acc, L::load_first(p + i, n - i));
  return acc;
}

/// product[k] becomes the sum of segment k, for k < count: `width` segments at a time, compact and in place (segment k begins at k or later).
template <class L> void sum_segments(typename L::Scalar *product, const int *end, int count)
{
  for (int k = 0; k < count; k += L::width) {
    typename L::Vec lanes[L::width];
    for (int i = 0; i < L::width; ++i) {
      const int begin = end[k + i - 1];
      lanes[i]        = sum_by_lanes<L>(product + begin, end[k + i] - begin);
    }
    L::store(product + k, L::sums(lanes));
  }
}

} // namespace petscspmv::kernels
