#pragma once

/// \file bccoo_spmv.hpp
/// One thread's share of y = alpha A x + beta y.
///
/// A tile's values, where they are coded, become doubles, and its columns, where they are not looked at as they are, offsets into x; both stay in the
/// nearest cache. What is left is one loop for each shape of blocks, whatever codings there are.
///
/// Included by one source file for each instruction set; see kernels/isa.hpp for what that asks of this code.

#include "impls/bccoo/bccoo_columns.hpp"
#include "impls/bccoo/bccoo_dots.hpp"
#include "impls/bccoo/bccoo_kernels.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"

namespace petscspmv::bccoo {

/// Room for the columns of a tile and the next one, and for the values and the sums of a tile. Not set to zero, as an array of complex numbers would be.
template <class Scalar> struct Room {
  alignas(64) Local first[2][most_tile_blocks];
  alignas(64) std::byte bytes[2][(most_tile_values + longest_side) * sizeof(Scalar)];

  [[gnu::always_inline]] Scalar *values() { return reinterpret_cast<Scalar *>(bytes[0]); }
  [[gnu::always_inline]] Scalar *sums() { return reinterpret_cast<Scalar *>(bytes[1]); }
};

/// There are kernels for block rows that follow each other in y. Not of complex numbers, which wait for arithmetic.
template <class Scalar> inline constexpr bool has_quick_rows = std::is_floating_point_v<Scalar>;

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

/// The sums of some blocks, entry by entry and without the zeros that are none: for rows in which a zero may have met a NaN or an infinity.
template <class L>
[[gnu::noinline]] void sum_entries(Shape shape, const TileView &view, std::uint32_t begin, std::uint32_t end,
                                   const typename L::Scalar *value, const Local *first, const typename L::Scalar *x,
                                   typename L::Scalar *sum)
{
  using Scalar = typename L::Scalar;
  for (int i = 0; i < shape.rows; ++i) sum[i] = Scalar(0);
  for (std::uint32_t b = begin; b < end; ++b) {
    const Scalar *v = value + b * static_cast<std::size_t>(shape.values());
    for (std::uint64_t mask = view.mask(b); mask; mask &= mask - 1) {
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

/// Room for the sums of a block row. Not set to zero, as an array of complex numbers would be.
template <class Scalar> struct Sums {
  alignas(64) std::byte bytes[longest_side * sizeof(Scalar)];
  [[gnu::always_inline]] Scalar       *scalars() { return reinterpret_cast<Scalar *>(bytes); }
  [[gnu::always_inline]] const Scalar *scalars() const { return reinterpret_cast<const Scalar *>(bytes); }
};

/// Writes the sums of the block rows of a tile to y, one after the other, and asks for each nothing but where it ends: a test of what else there may be to do
/// for each took a third of a product of blocks of 2 x 2 in caches (AMD Zen 3).
template <class L, int h, int w, bool ahead, class First>
[[gnu::noinline]] void sum_rows(const TileView &view, std::uint32_t blocks, const typename L::Scalar *value, Places<First> places,
                                const typename L::Scalar *x, typename L::Scalar *y)
{
  const std::uint32_t words = (blocks + 63) / 64;
  std::size_t         first = 0;
  for (std::uint32_t word = 0; word < words; ++word)
    for (std::uint64_t bits = view.flag_word(word); bits; bits &= bits - 1) {
      const std::size_t        end = std::size_t(64) * word + static_cast<std::size_t>(__builtin_ctzll(bits)) + 1;
      Sums<typename L::Scalar> sum;
      BlockDot<L, h, w>::template run<ahead>(value + first * (h * w), places.behind(first), end - first, x, sum.scalars());
      unrolled<h>([&](auto i) __attribute__((always_inline)) { y[i] = sum.scalars()[i]; });
      first = end;
      y += h;
    }
}

/// Block rows that follow each other: their sums go to y, or to `room` where y gets more than these. False if a zero that is no entry may have met an
/// infinity or a NaN: then y is not right yet.
template <class L, int h, int w, bool ahead, class First>
[[gnu::always_inline]] inline bool write_sums(const Tile &t, const TileView &view, const Task<typename L::Scalar> &task,
                                              const typename L::Scalar *value, Places<First> places, const typename L::Scalar *x,
                                              typename L::Scalar *room)
{
  const std::int64_t        row = std::int64_t(t.segment) * h, n = std::int64_t(t.segments) * h;
  const bool                only_sums = task.update.only_stores() && row + n <= task.rows;
  typename L::Scalar *const sums      = only_sums ? task.update.y() + row : room;
  sum_rows<L, h, w, ahead>(view, t.blocks, value, places, x, sums);
  if (t.zeros > 0 && any_nan<L>(sums, n)) return false;
  if (!only_sums) update_rows<L>(task, row, sums, n);
  return true;
}

/// The same for a tile whose columns are looked at where they are, which saves a tenth to a sixth of a product in caches. False if that cannot be, too.
template <class L, int h, int w>
[[gnu::always_inline]] inline bool multiply_narrow(const Layout<typename L::Scalar> &m, const Tile &t, const Task<typename L::Scalar> &task,
                                                   const typename L::Scalar *value, typename L::Scalar *room)
{
  if (t.columns != Columns::bits16 || (std::int64_t(t.most) + 1) * w > m.cols || t.part >= 0 || m.filled) return false;
  const Places<Narrow<w>> places{{m.column + t.column}, nullptr};
  return write_sums<L, h, w, false>(t, TileView(t, m.shape, m.structure), task, value, places, task.x + std::int64_t(t.least) * w, room);
}

/// The product of a tile whose columns and values have been read.
template <class L, int h, int w> class TileProduct {
  using Scalar = typename L::Scalar;

public:
  [[gnu::always_inline]] TileProduct(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task, Places<const Local *> places,
                                     const Scalar *value, Scalar *room)
    : m_(m), t_(t), task_(task), view_(t, m.shape, m.structure), places_(places), value_(value), room_(room),
      stores_(task.update.only_stores() && !(task.gaps && m.filled)), ahead_(task.ahead && t.coding == Coding::raw),
      next_(t.segment > 0 ? m.block_row(t.segment - 1) + 1 : 0)
  {
  }

  [[gnu::always_inline]] void run()
  {
    if (t_.part >= 0) return run_part();
    if constexpr (L::asks_ahead)
      if (ahead_) return run_rows<true>();
    run_rows<false>();
  }

private:
  template <bool ahead> [[gnu::always_inline]] void run_rows()
  {
    if constexpr (has_quick_rows<Scalar>)
      if (!m_.filled && write_sums<L, h, w, ahead>(t_, view_, task_, value_, places_, task_.x, room_)) return;
    run_any<ahead>();
  }

  template <bool ahead> [[gnu::noinline]] void run_any()
  {
    view_.for_each_segment(
      t_, [this](std::uint32_t k, std::uint32_t first, std::uint32_t end) __attribute__((always_inline)) {
        const Sums<Scalar> sum = dot<ahead>(first, end);
        const std::int64_t r   = m_.block_row(t_.segment + static_cast<Local>(k));
        if (stores_ && (r + 1) * h <= task_.rows)
          for (int i = 0; i < h; ++i) task_.update.y()[r * h + i] = sum.scalars()[i];
        else write(r, sum);
      });
  }

  [[gnu::noinline]] void run_part() const
  {
    const Sums<Scalar> sum = L::asks_ahead && ahead_ ? dot<L::asks_ahead>(0, t_.blocks) : dot<false>(0, t_.blocks);
    for (int i = 0; i < h; ++i) task_.part[std::int64_t(t_.part) * h + i] = sum.scalars()[i];
  }

  [[gnu::noinline]] void write(std::int64_t r, const Sums<Scalar> &sum)
  {
    if (task_.gaps && m_.filled) task_.update.empty(next_ * h, r * h);
    next_ = r + 1;
    update_rows<L>(task_, r * h, sum.scalars(), h);
  }

  template <bool ahead> [[gnu::always_inline]] Sums<Scalar> dot(std::uint32_t begin, std::uint32_t end) const
  {
    Sums<Scalar> sum;
    BlockDot<L, h, w>::template run<ahead>(value_ + begin * std::size_t(h * w), places_.behind(begin), end - begin, task_.x, sum.scalars());
    // 0 times an infinity is a NaN, too: no other sum can be wrong.
    if (t_.zeros > 0 && any_nan<L>(sum.scalars(), h))
      sum_entries<L>(Shape{h, w}, view_, begin, end, value_, places_.first, task_.x, sum.scalars());
    return sum;
  }

  const Layout<Scalar>       &m_;
  const Tile                 &t_;
  const Task<Scalar>         &task_;
  const TileView              view_;
  const Places<const Local *> places_;
  const Scalar               *value_;
  Scalar                     *room_;   ///< for the sums of a tile
  const bool                  stores_; ///< nothing but sums has to be written
  const bool                  ahead_;  ///< values and x are asked for early
  std::int64_t                next_;   ///< the first block row that has not been written
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
      if constexpr (has_quick_rows<typename L::Scalar>)
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
