#pragma once

/// \file bccoo_dots.hpp
/// Sums of the blocks of a block row: the columns of a block are vectors, or its rows.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include <algorithm>

#include "impls/bccoo/bccoo_layout.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"
#include "kernels/lanes/block_portable.hpp"
#include "kernels/lanes/unrolled.hpp"

namespace petscspmv::bccoo {

using kernels::unrolled;
using kernels::Width;

/// The shortest vector that holds n values.
constexpr int width_for(int n)
{
  return n <= 1 ? 1 : n <= 2 ? 2 : n <= 4 ? 4 : 8;
}

/// Vectors that are summed side by side, in registers.
template <class L, int width, int n> class Chains {
  using Vec = decltype(L::zero(Width<width>()));

public:
  [[gnu::always_inline]] Chains()
  {
    unrolled<n>([this](auto i) __attribute__((always_inline)) { chain_[i] = L::zero(Width<width>()); });
  }

  /// Chain number i modulo n gets a b more.
  template <int i> [[gnu::always_inline]] void add(Vec a, Vec b) { chain_[i % n] = L::mul_add(a, b, chain_[i % n]); }

  /// All of them, in pairs.
  [[gnu::always_inline]] Vec sum() { return sum<0, n>(); }

  /// Chains i, i + step, i + 2 step, ...
  template <int step, int i> [[gnu::always_inline]] Vec sum_of_every() const
  {
    if constexpr (i + step < n) return L::add(chain_[i], sum_of_every<step, i + step>());
    else return chain_[i];
  }

private:
  template <int first, int count> [[gnu::always_inline]] Vec sum()
  {
    if constexpr (count == 1) return chain_[first];
    else return L::add(sum<first, count / 2>(), sum<first + count / 2, count - count / 2>());
  }

  Vec chain_[n];
};

/// First columns of blocks of w columns, less that of the tile's least one, where block columns are kept in 16 bits:
/// they need not be written anywhere.
template <int w> struct Narrow {
  const std::byte *bits;

  [[gnu::always_inline]] std::size_t operator[](std::size_t b) const
  {
    return std::size_t(kernels::read_as<std::uint16_t>(bits + 2 * b)) * w;
  }
  [[gnu::always_inline]] Narrow operator+(std::size_t b) const { return {bits + 2 * b}; }
};

/// Blocks whose x are needed: the first columns of some, an array of them or Narrow, and those of as many blocks of the
/// next tile.
template <class First> struct Places {
  First        first;
  const Local *later; ///< null if nobody asks for them

  [[gnu::always_inline]] Places behind(std::size_t b) const { return {first + b, later ? later + b : nullptr}; }
};

/// What a product asks for before it needs it, while it sums n blocks with these values: the lines of values that are
/// some way behind, each of them (see CodedValues::prefetch), and x of as many blocks of the next tile.
template <int n, int size, class Scalar>
[[gnu::always_inline]] inline void ask_for(const Scalar *value, const Local *later, const Scalar *x)
{
  constexpr int line = 64, bytes = n * size * int(sizeof(Scalar));
  unrolled<(bytes + line - 1) / line>([&](auto i) __attribute__((always_inline)) {
    __builtin_prefetch(reinterpret_cast<const char *>(value) + tuning::values_ahead_bytes + i * line, 0, 2);
  });
  if constexpr (size >= tuning::x_ahead_values)
    unrolled<n>([&](auto u) __attribute__((always_inline)) { __builtin_prefetch(x + later[u], 0, 2); });
}

/// One block after the other, `unroll` of them at a time: add(value, x, number of the block among those at a time).
template <bool ahead, int unroll, int size, class Scalar, class First, class Add>
[[gnu::always_inline]] inline void for_blocks(const Scalar *value, Places<First> p, std::size_t n, const Scalar *x, const Add &add)
{
  std::size_t b = 0; // as long as a pointer: one of 32 bits took two instructions a block
  for (; b + unroll <= n; b += unroll, value += unroll * size) {
    if constexpr (ahead) ask_for<unroll, size>(value, p.later + b, x);
    unrolled<unroll>([&](auto u) __attribute__((always_inline)) { add(value + u * size, x + p.first[b + u], u); });
  }
  if constexpr (unroll > 1)
    for (; b < n; ++b, value += size) {
      if constexpr (ahead) ask_for<1, size>(value, p.later + b, x);
      add(value, x + p.first[b], kernels::Number<0>());
    }
}

/// sum[0 .. h - 1] of n blocks, at least one, of h x w; sum has room for longest_side. Blocks that are kept column by
/// column: a column is a vector. Lanes behind the last row of a block hold what comes after it, and are not used.
template <class L, int h, int w> struct BlockDot {
  using Scalar                = typename L::Scalar;
  static constexpr int width  = width_for(h);
  static constexpr int unroll = w == 1 ? 4 : w <= 3 ? 2 : 1;

  template <bool ahead, class First>
  [[gnu::always_inline]] static void run(const Scalar *value, Places<First> p, std::size_t n, const Scalar *x, Scalar *sum)
  {
    Chains<L, width, std::min(unroll * w, L::template chains<width>)> chains;
    for_blocks<ahead, unroll, h * w>(
      value, p, n, x, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        unrolled<w>([&](auto j) __attribute__((always_inline)) {
          chains.template add<u * w + j>(L::load(v + j * h, Width<width>()), L::set(xs[j], Width<width>()));
        });
      });
    L::store(sum, chains.sum());
  }
};

/// Blocks that are kept row by row: a row is a vector, and so is x.
template <class L, int h, int w>
requires(Shape{h, w}.by_rows()) struct BlockDot<L, h, w> {
  using Scalar                = typename L::Scalar;
  static constexpr int width  = width_for(w);
  static constexpr int unroll = h <= 2 ? 4 : h <= 4 && width <= 4 ? 2 : 1;

  template <bool ahead, class First>
  [[gnu::always_inline]] static void run(const Scalar *value, Places<First> p, std::size_t n, const Scalar *x, Scalar *sum)
  {
    Chains<L, width, unroll * h> chains;
    for_blocks<ahead, unroll, h * w>(
      value, p, n, x, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        const auto x_here = L::template load_first<w>(xs, Width<width>());
        unrolled<h>([&](auto i)
                      __attribute__((always_inline)) { chains.template add<u * h + i>(L::load(v + i * w, Width<width>()), x_here); });
      });
    L::template store_sums<w, h>(
      sum, [&](auto i) __attribute__((always_inline)) { return chains.template sum_of_every<h, i>(); });
  }
};

/// Blocks of 2 x 2: both rows are a vector. Masks instead of branches for up to three that are left over took 1.15
/// times as long on three of five meshes, and no less on the others.
template <class L> struct BlockDot<L, 2, 2> {
  using Scalar = typename L::Scalar;

  template <bool ahead, class First>
  [[gnu::always_inline]] static void run(const Scalar *value, Places<First> p, std::size_t n, const Scalar *x, Scalar *sum)
  {
    Chains<L, 4, 4> chains;
    for_blocks<ahead, 4, 4>(
      value, p, n, x, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        chains.template add<u>(L::load(v, Width<4>()), L::twice(xs));
      });
    Scalar all[4];
    L::store(all, chains.sum());
    sum[0] = all[0] + all[1];
    sum[1] = all[2] + all[3];
  }
};

} // namespace petscspmv::bccoo
