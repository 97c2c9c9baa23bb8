#pragma once

/// \file bccoo_spmv.hpp
/// One thread's share of y = alpha A x + beta y.
///
/// A tile's columns become offsets into x, and its values, where they are coded, doubles; both stay in the nearest cache. What is left is one
/// loop for each shape of blocks, whatever codings there are.
///
/// Included by one source file for each instruction set; see kernels/isa.hpp for what that asks of this code.

#include "impls/bccoo/bccoo_columns.hpp"
#include "impls/bccoo/bccoo_dots.hpp"
#include "impls/bccoo/bccoo_kernels.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"

namespace petscspmv::bccoo {

/// Room for the columns of a tile and the next one, and for the values of a tile. Not set to zero, as an array of complex numbers would be.
template <class Scalar> struct Room {
  alignas(64) Local first[2][most_tile_blocks];
  alignas(64) std::byte bytes[(most_tile_values + longest_side) * sizeof(Scalar)];

  [[gnu::always_inline]] Scalar *values() { return reinterpret_cast<Scalar *>(bytes); }
};

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
    t.coding, t.value, m.table[t.table], [=](const auto &values) __attribute__((always_inline)) {
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

/// True if one of the numbers is a NaN.
template <class L, int n> [[gnu::always_inline]] inline bool any_nan(const typename L::Scalar *v)
{
  bool nan = false;
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) nan |= v[i] != v[i];
  return nan;
}

/// The product of a tile whose columns and values have been read.
template <class L, int h, int w> class TileProduct {
  using Scalar = typename L::Scalar;

public:
  [[gnu::always_inline]] TileProduct(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task, Places places, const Scalar *value)
    : m_(m), t_(t), task_(task), view_(t, m.shape, m.structure), places_(places), value_(value),
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
    view_.for_each_segment(
      t_, [this](std::uint32_t k, std::uint32_t first, std::uint32_t end) __attribute__((always_inline)) {
        const Buffer       sum = dot<ahead>(first, end);
        const std::int64_t r   = m_.block_row(t_.segment + static_cast<Local>(k));
        if (stores_ && (r + 1) * h <= task_.rows)
          for (int i = 0; i < h; ++i) task_.update.y()[r * h + i] = sum.scalars()[i];
        else write(r, sum);
      });
  }

  struct Buffer { // not set to zero, as an array of complex numbers would be
    alignas(64) std::byte bytes[longest_side * sizeof(Scalar)];
    [[gnu::always_inline]] Scalar       *scalars() { return reinterpret_cast<Scalar *>(bytes); }
    [[gnu::always_inline]] const Scalar *scalars() const { return reinterpret_cast<const Scalar *>(bytes); }
  };

  [[gnu::noinline]] void run_part() const
  {
    const Buffer sum = L::asks_ahead && ahead_ ? dot<L::asks_ahead>(0, t_.blocks) : dot<false>(0, t_.blocks);
    for (int i = 0; i < h; ++i) task_.part[std::int64_t(t_.part) * h + i] = sum.scalars()[i];
  }

  [[gnu::noinline]] void write(std::int64_t r, const Buffer &sum)
  {
    if (task_.gaps && m_.filled) task_.update.empty(next_ * h, r * h);
    next_ = r + 1;
    task_.update(r * h, sum.scalars(), next_ * h <= task_.rows ? std::int64_t(h) : task_.rows - r * h);
  }

  template <bool ahead> [[gnu::always_inline]] Buffer dot(std::uint32_t begin, std::uint32_t end) const
  {
    Buffer sum;
    BlockDot<L, h, w>::template run<ahead>(value_ + begin * std::size_t(h * w), {places_.first + begin, places_.later + begin}, end - begin,
                                           task_.x, sum.scalars());
    // 0 times an infinity is a NaN, too: no other sum can be wrong.
    if (t_.zeros > 0 && any_nan<L, h>(sum.scalars()))
      sum_entries<L>(Shape{h, w}, view_, begin, end, value_, places_.first, task_.x, sum.scalars());
    return sum;
  }

  const Layout<Scalar> &m_;
  const Tile           &t_;
  const Task<Scalar>   &task_;
  const TileView        view_;
  const Places          places_;
  const Scalar         *value_;
  const bool            stores_; ///< nothing but sums has to be written
  const bool            ahead_;  ///< values and x are asked for early
  std::int64_t          next_;   ///< the first block row that has not been written
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
    if (!ahead) read_first_columns<L>(m, t, here);
    else if (i + 1 < last) read_first_columns<L>(m, m.tile[i + 1], later);
    const auto *values = read_values<L>(m, t, room.values());
    TileProduct<L, h, w>(m, t, task, {here, later}, values).run();
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
