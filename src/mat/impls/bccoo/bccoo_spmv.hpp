#pragma once

/// \file bccoo_spmv.hpp
/// One thread's share of y = alpha A x + beta y.
///
/// A tile's values, where they are coded, become doubles, which stay in the nearest cache. What is left is one loop for
/// each shape of blocks (block_sums.hpp), whatever codings there are.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include <algorithm>
#include <type_traits>

#include "impls/bccoo/bccoo_kernels.hpp"
#include "impls/bccoo/block_sums.hpp"
#include "impls/bccoo/exceptions_aside.hpp"

namespace petscspmv::bccoo {

/// Room for the values and the sums of a tile. Not set to zero, as an array of complex numbers would be.
template <class Scalar> struct Room {
  alignas(64) std::byte bytes[2][(most_tile_values + longest_side) * sizeof(Scalar)];

  [[gnu::always_inline]] Scalar *values() { return reinterpret_cast<Scalar *>(bytes[0]); }
  [[gnu::always_inline]] Scalar *sums() { return reinterpret_cast<Scalar *>(bytes[1]); }
};

/// The values of a tile, decoded to `out` if they are coded.
template <class L>
[[gnu::noinline]] const typename L::Scalar *read_values(const Layout<typename L::Scalar> &m, const Tile &t, typename L::Scalar *out)
{
  using Scalar = typename L::Scalar;
  using Group  = typename L::Group;
  if (t.coding == kernels::plain_coding) return reinterpret_cast<const Scalar *>(t.value);
  const std::int64_t n = std::int64_t(t.blocks) * m.shape.values();
  kernels::with_coding(
    t.coding, t.value, m.table[t.table], [=](const auto &coded) __attribute__((always_inline)) {
      const auto values = Group::prepared(coded);
      for (std::int64_t q = 0; q < n; q += kernels::group_rows) {
        values.prefetch(q);
        Group::store(out + q, Group::values(values, q));
      }
    });
  return out;
}

/// The sums of a tile, entry by entry, without anything that is none: they raise the floating-point exceptions of a
/// plain loop, and no others.
template <class L, class Columns, class Scalar = typename L::Scalar>
[[gnu::noinline]] void sum_entries(Shape shape, const Tile &t, const TileView &view, const Scalar *value, Columns columns, const Scalar *x,
                                   Scalar *sums)
{
  view.for_each_segment(t, [&](std::uint32_t k, std::uint32_t first, std::uint32_t end) {
    Scalar *const sum = sums + std::int64_t(k) * shape.rows;
    std::fill_n(sum, shape.rows, Scalar(0));
    for (std::uint32_t b = first; b < end; ++b)
      view.for_each_entry(shape, b, [&](int q) {
        sum[shape.row(q)] += kernels::multiply(value[b * static_cast<std::size_t>(shape.values()) + q], x[columns[b] + shape.col(q)]);
      });
  });
}

/// True if one of n numbers is a NaN.
template <class L, class Scalar = typename L::Scalar> [[gnu::noinline]] bool any_nan(const Scalar *v, std::int64_t n)
{
  bool nan = false;
  for (std::int64_t i = 0; i < n; ++i) nan |= v[i] != v[i]; // NOLINT(misc-redundant-expression)
  return nan;
}

/// Rows row .. row + n - 1 of y get these sums; those that belong to no matrix are left out.
template <class L, class Scalar = typename L::Scalar>
[[gnu::noinline]] void update_rows(const Task<Scalar> &task, std::int64_t row, const Scalar *sums, std::int64_t n)
{
  task.update(row, sums, std::min(n, task.rows - row));
}

/// Block rows that do not follow each other; those between them have no blocks.
template <class L, class Scalar = typename L::Scalar>
[[gnu::noinline]] void update_filled_rows(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task, const Scalar *sums)
{
  const int    h    = m.shape.rows;
  std::int64_t next = t.segment > 0 ? m.block_row(t.segment - 1) + 1 : 0; // the first block row that has not been written
  for (std::uint32_t k = 0; k < t.segments; ++k, sums += h) {
    const std::int64_t r = m.block_row(t.segment + static_cast<Local>(k));
    task.update.empty(next * h, r * h);
    next = r + 1;
    update_rows<L>(task, r * h, sums, h);
  }
}

/// Writes the sums of a tile. With task.ahead it asks early for values, and for x of `next`, the tile behind it.
template <class L, int h, int w, class Columns>
[[gnu::always_inline]] inline void sum_tile(const Layout<typename L::Scalar> &m, const Tile &t, const Tile &next,
                                            const Task<typename L::Scalar> &task, const typename L::Scalar *value, typename L::Scalar *sums)
{
  using Scalar = typename L::Scalar;
  const TileView                     view(t, m.shape, m.structure);
  const auto                         x_of  = [&](const Tile &one) { return task.x + std::int64_t(one.least) * w; };
  const Tile                        &later = next.columns == t.columns ? next : t;
  const BlockPlaces<Columns, Scalar> places{{m.column + t.column}, {m.column + later.column}, x_of(t), x_of(later)};
  const auto                         sum = [&]() __attribute__((always_inline))
  {
    if constexpr (L::asks_ahead)
      if (task.ahead && t.coding == kernels::plain_coding) return sum_block_rows<L, h, w, true>(view.flags, t.blocks, value, places, sums);
    sum_block_rows<L, h, w, false>(view.flags, t.blocks, value, places, sums);
  };
  if (has_full_vectors<h, w> && t.zeros == 0) return sum();
  // 0 times an infinity is a NaN and invalid, 0 times a NaN is a NaN; what is behind the last row of a block may meet
  // an x that is not its own.
  bool exact;
  {
    const ExceptionsAside aside;
    sum();
    exact = aside.raised() || (t.zeros > 0 && any_nan<L>(sums, std::int64_t(t.segments) * h));
  }
  if (exact) sum_entries<L>(Shape{h, w}, t, view, value, places.columns, places.x, sums);
}

/// The product of the tiles first .. last - 1.
template <class L, int h, int w>
void multiply_tiles(const Layout<typename L::Scalar> &m, std::size_t first, std::size_t last, const Task<typename L::Scalar> &task)
{
  using Scalar = typename L::Scalar;
  Room<Scalar> room;
  for (std::size_t i = first; i < last; ++i) {
    const Tile        &t   = m.tile[i];
    const std::int64_t row = std::int64_t(t.segment) * h, n = std::int64_t(t.segments) * h;
    const bool         stores = !m.filled && task.update.only_stores() && row + n <= task.rows; // the sums are all that y gets
    const Scalar      *values = read_values<L>(m, t, room.values());
    Scalar *const      sums   = t.part >= 0 ? task.part + std::int64_t(t.part) * h : stores ? task.update.y() + row : room.sums();
    const Tile        &next   = i + 1 < m.tiles ? m.tile[i + 1] : t;
    if (t.columns == Columns::bits16) sum_tile<L, h, w, NarrowColumns<w>>(m, t, next, task, values, sums);
    else sum_tile<L, h, w, WideColumns>(m, t, next, task, values, sums);
    if (t.part >= 0 || stores) continue;
    if (m.filled) update_filled_rows<L>(m, t, task, sums);
    else update_rows<L>(task, row, sums, n);
  }
}

/// The kernel for a shape.
template <class L, int shape = 0> Multiply<typename L::Scalar> kernel_for(Shape s)
{
  if constexpr (shape + 1 < longest_side * longest_side)
    if (shape != (s.rows - 1) * longest_side + s.cols - 1) return kernel_for<L, shape + 1>(s);
  return &multiply_tiles<L, shape / longest_side + 1, shape % longest_side + 1>;
}

} // namespace petscspmv::bccoo
