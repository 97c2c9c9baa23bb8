#pragma once

/// \file bccoo_spmv.hpp
/// One thread's share of y = alpha A x + beta y.
///
/// A tile's values, where they are coded, become doubles, and its columns, where they are not looked at as they are,
/// offsets into x; both stay in the nearest cache. What is left is one loop for each shape of blocks, whatever codings
/// there are.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "impls/bccoo/bccoo_columns.hpp"
#include "impls/bccoo/bccoo_dots.hpp"
#include "impls/bccoo/bccoo_kernels.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"
#include "kernels/lanes/exceptions_aside.hpp"

namespace petscspmv::bccoo {

/// Room for the columns of a tile and the next one, and for the values and the sums of a tile. Not set to zero, as an
/// array of complex numbers would be.
template <class Scalar> struct Room {
  alignas(64) Local first[2][most_tile_blocks];
  alignas(64) std::byte bytes[2][(most_tile_values + longest_side) * sizeof(Scalar)];

  [[gnu::always_inline]] Scalar *values() { return reinterpret_cast<Scalar *>(bytes[0]); }
  [[gnu::always_inline]] Scalar *sums() { return reinterpret_cast<Scalar *>(bytes[1]); }
};

/// There are kernels that look at columns where they are. Not of complex numbers, which wait for arithmetic.
template <class Scalar> inline constexpr bool has_narrow = std::is_floating_point_v<Scalar>;

/// first[b] is the first column of block b.
template <class L> [[gnu::noinline]] void read_first_columns(const Layout<typename L::Scalar> &m, const Tile &t, Local *first)
{
  const int   width = m.shape.cols;
  const Local cols  = m.cols;
  read_columns(
    t, TileView(t, m.shape, m.structure),
    m.column + t.column, [=](std::uint32_t b, Local c) __attribute__((always_inline)) { first[b] = first_column(c, width, cols); });
}

/// The values of a tile, decoded to `out` if they are coded.
template <class L>
[[gnu::noinline]] const typename L::Scalar *read_values(const Layout<typename L::Scalar> &m, const Tile &t, typename L::Scalar *out)
{
  using Scalar = typename L::Scalar;
  using Group  = typename L::Group;
  if (t.coding == Coding::raw) return reinterpret_cast<const Scalar *>(t.value);
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

/// The sums of some blocks, entry by entry, without anything that is none: they raise the floating-point exceptions of
/// a plain loop, and no others.
template <class L>
[[gnu::noinline]] void sum_entries(Shape shape, const TileView &view, std::uint32_t begin, std::uint32_t end,
                                   const typename L::Scalar *value, const Local *first, const typename L::Scalar *x,
                                   typename L::Scalar *sum)
{
  using Scalar            = typename L::Scalar;
  const std::uint64_t all = ~std::uint64_t(0) >> (64 - shape.values());
  for (int i = 0; i < shape.rows; ++i) sum[i] = Scalar(0);
  for (std::uint32_t b = begin; b < end; ++b) {
    const Scalar *v = value + b * static_cast<std::size_t>(shape.values());
    for (std::uint64_t mask = view.masks ? view.mask(b) : all; mask; mask &= mask - 1) {
      const int q = __builtin_ctzll(mask);
      sum[shape.row(q)] += kernels::multiply(v[q], x[first[b] + shape.col(q)]);
    }
  }
}

/// True if one of n numbers is a NaN.
template <class L> [[gnu::noinline]] bool any_nan(const typename L::Scalar *v, std::int64_t n)
{
  bool nan = false;
  for (std::int64_t i = 0; i < n; ++i) nan |= v[i] != v[i];
  return nan;
}

/// Rows row .. row + n - 1 of y get these sums; those that belong to no matrix are left out.
template <class L>
[[gnu::noinline]] void update_rows(const Task<typename L::Scalar> &task, std::int64_t row, const typename L::Scalar *sums, std::int64_t n)
{
  task.update(row, sums, std::min(n, task.rows - row));
}

/// The sums of a block row.
template <class L, int h, int w, bool ahead, class First>
[[gnu::always_inline]] inline void sum_row(const typename L::Scalar *value, Places<First> places, std::size_t blocks,
                                           const typename L::Scalar *x, typename L::Scalar *sums)
{
  using Scalar = typename L::Scalar;
  alignas(64) std::byte bytes[longest_side * sizeof(Scalar)]; // not set to zero, as an array of complex numbers would be
  auto *const           sum = reinterpret_cast<Scalar *>(bytes);
  BlockDot<L, h, w>::template run<ahead>(value, places, blocks, x, sum);
  unrolled<h>([&](auto i) __attribute__((always_inline)) { sums[i] = sum[i]; });
}

/// Writes the sums of the block rows of a tile to `sums`, one after the other, and asks for each nothing but where it
/// ends: a test of what else there may be to do for each took a third of a product of blocks of 2 x 2 in caches (AMD
/// Zen 3).
template <class L, int h, int w, bool ahead, class First>
[[gnu::noinline]] void sum_rows(const TileView &view, std::uint32_t blocks, const typename L::Scalar *value, Places<First> places,
                                const typename L::Scalar *x, typename L::Scalar *sums)
{
  const std::uint32_t words = (blocks + 63) / 64;
  std::size_t         first = 0;
  for (std::uint32_t word = 0; word < words; ++word)
    for (std::uint64_t bits = view.flag_word(word); bits; bits &= bits - 1) {
      const std::size_t end = std::size_t(64) * word + static_cast<std::size_t>(__builtin_ctzll(bits)) + 1;
      sum_row<L, h, w, ahead>(value + first * (h * w), places.behind(first), end - first, x, sums);
      first = end;
      sums += h;
    }
}

/// The sums of a tile that is a part of a block row.
template <class L, int h, int w, bool ahead>
[[gnu::noinline]] void sum_part(std::uint32_t blocks, const typename L::Scalar *value, Places<const Local *> places,
                                const typename L::Scalar *x, typename L::Scalar *sums)
{
  sum_row<L, h, w, ahead>(value, places, blocks, x, sums);
}

/// Whether the vectors of a block hold its values and nothing else.
template <int h, int w> inline constexpr bool has_full_vectors = Shape{h, w}.by_rows() ? width_for(w) == w : width_for(h) == h;

/// Has `sum` write n sums. False if they have to be summed entry by entry: 0 times an infinity is a NaN and invalid, 0
/// times a NaN is a NaN; what is behind the last row of a block may meet an x that is not its own.
template <class L, int h, int w, class Sum>
[[gnu::always_inline]] inline bool is_quickly_summed(const Tile &t, const typename L::Scalar *sums, std::int64_t n, const Sum &sum)
{
  if (has_full_vectors<h, w> && t.zeros == 0) {
    sum();
    return true;
  }
  const kernels::ExceptionsAside aside;
  sum();
  return !aside.raised() && !(t.zeros > 0 && any_nan<L>(sums, n));
}

/// Whether the sums of a tile, whose rows follow each other, are all that y gets. Else they go where there is room for
/// them first.
template <class L, int h> [[gnu::always_inline]] inline bool only_sums(const Tile &t, const Task<typename L::Scalar> &task)
{
  return task.update.only_stores() && (std::int64_t(t.segment) + t.segments) * h <= task.rows;
}

/// The product of a tile whose columns are looked at where they are, which saves a tenth to a sixth of a product in
/// caches. False if that cannot be, or if the tile has to be summed entry by entry: then y is not right yet.
template <class L, int h, int w>
[[gnu::always_inline]] inline bool multiply_narrow(const Layout<typename L::Scalar> &m, const Tile &t, const Task<typename L::Scalar> &task,
                                                   const typename L::Scalar *value, typename L::Scalar *room)
{
  if (t.columns != Columns::bits16 || (std::int64_t(t.most) + 1) * w > m.cols || t.part >= 0 || m.filled) return false;
  const Places<Narrow<w>>   places{{m.column + t.column}, nullptr};
  const TileView            view(t, m.shape, m.structure);
  const std::int64_t        row = std::int64_t(t.segment) * h, n = std::int64_t(t.segments) * h;
  const bool                stores = only_sums<L, h>(t, task);
  typename L::Scalar *const sums   = stores ? task.update.y() + row : room;
  const typename L::Scalar *x      = task.x + std::int64_t(t.least) * w;
  if (!is_quickly_summed<L, h, w>(
        t, sums, n, [&]() __attribute__((always_inline)) { sum_rows<L, h, w, false>(view, t.blocks, value, places, x, sums); }))
    return false;
  if (!stores) update_rows<L>(task, row, sums, n);
  return true;
}

/// The product of a tile whose columns and values have been read.
template <class L, int h, int w> class TileProduct {
  using Scalar = typename L::Scalar;

public:
  [[gnu::always_inline]] TileProduct(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task, Places<const Local *> places,
                                     const Scalar *value, Scalar *room)
    : m_(m), t_(t), task_(task), view_(t, m.shape, m.structure), places_(places), value_(value), room_(room)
  {
  }

  [[gnu::always_inline]] void run()
  {
    if constexpr (L::asks_ahead)
      if (task_.ahead && t_.coding == Coding::raw) return run<true>();
    run<false>();
  }

private:
  template <bool ahead> [[gnu::always_inline]] void run()
  {
    if (t_.part >= 0) return run_part<ahead>();
    const bool         stores = !m_.filled && only_sums<L, h>(t_, task_);
    const std::int64_t row = std::int64_t(t_.segment) * h, n = std::int64_t(t_.segments) * h;
    Scalar *const      sums  = stores ? task_.update.y() + row : room_;
    const auto         quick = [&]() __attribute__((always_inline))
    {
      sum_rows<L, h, w, ahead>(view_, t_.blocks, value_, places_, task_.x, sums);
    };
    if (!is_quickly_summed<L, h, w>(t_, sums, n, quick)) sum_exactly(sums);
    if (stores) return;
    if (m_.filled) write_filled(sums);
    else update_rows<L>(task_, row, sums, n);
  }

  template <bool ahead> [[gnu::always_inline]] void run_part() const
  {
    Scalar *const sums  = task_.part + std::int64_t(t_.part) * h;
    const auto    quick = [&]() __attribute__((always_inline))
    {
      sum_part<L, h, w, ahead>(t_.blocks, value_, places_, task_.x, sums);
    };
    if (!is_quickly_summed<L, h, w>(t_, sums, h, quick))
      sum_entries<L>(Shape{h, w}, view_, 0, t_.blocks, value_, places_.first, task_.x, sums);
  }

  [[gnu::noinline]] void sum_exactly(Scalar *sums) const
  {
    view_.for_each_segment(t_, [&](std::uint32_t k, std::uint32_t first, std::uint32_t end) {
      sum_entries<L>(Shape{h, w}, view_, first, end, value_, places_.first, task_.x, sums + std::int64_t(k) * h);
    });
  }

  /// Block rows that do not follow each other; those between them have no blocks.
  [[gnu::noinline]] void write_filled(const Scalar *sums) const
  {
    std::int64_t next = t_.segment > 0 ? m_.block_row(t_.segment - 1) + 1 : 0; // the first block row that has not been written
    for (std::uint32_t k = 0; k < t_.segments; ++k, sums += h) {
      const std::int64_t r = m_.block_row(t_.segment + static_cast<Local>(k));
      task_.update.empty(next * h, r * h);
      next = r + 1;
      update_rows<L>(task_, r * h, sums, h);
    }
  }

  const Layout<Scalar>       &m_;
  const Tile                 &t_;
  const Task<Scalar>         &task_;
  const TileView              view_;
  const Places<const Local *> places_;
  const Scalar               *value_;
  Scalar                     *room_; ///< for the sums of a tile
};

/// Where x is asked for early, the columns of a tile are read while the one before is about to be summed.
template <class L, int h, int w>
void multiply_tiles(const Layout<typename L::Scalar> &m, std::size_t first, std::size_t last, const Task<typename L::Scalar> &task)
{
  const bool               ahead = L::asks_ahead && task.ahead;
  Room<typename L::Scalar> room;
  if (ahead && first < last) {
    std::fill_n(room.first[(first + 1) % 2], most_tile_blocks, Local(0)); // a tile may have more blocks than the next one
    read_first_columns<L>(m, m.tile[first], room.first[first % 2]);
  }
  for (std::size_t i = first; i < last; ++i) {
    const Tile  &t    = m.tile[i];
    Local *const here = room.first[i % 2], *const later = room.first[(i + 1) % 2];
    const auto *values = read_values<L>(m, t, room.values());
    if (!ahead) {
      if constexpr (has_narrow<typename L::Scalar>)
        if (multiply_narrow<L, h, w>(m, t, task, values, room.sums())) continue;
      read_first_columns<L>(m, t, here);
    } else if (i + 1 < last) read_first_columns<L>(m, m.tile[i + 1], later);
    TileProduct<L, h, w>(m, t, task, {here, later}, values, room.sums()).run();
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
