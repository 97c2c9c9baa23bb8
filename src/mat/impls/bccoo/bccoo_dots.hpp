#pragma once

/// \file bccoo_dots.hpp
/// Sums of the blocks of a block row: a column of a block is a vector, x is the same in all of its lanes.
///
/// Included by one source file for each instruction set; see kernels/isa.hpp for what that asks of this code.

#include <algorithm>

#include "impls/bccoo/bccoo_layout.hpp"
#include "kernels/block_lanes_portable.hpp"
#include "kernels/unrolled.hpp"

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

private:
  template <int first, int count> [[gnu::always_inline]] Vec sum()
  {
    if constexpr (count == 1) return chain_[first];
    else return L::add(sum<first, count / 2>(), sum<first + count / 2, count - count / 2>());
  }

  Vec chain_[n];
};

/// One block after the other, `unroll` of them at a time: add(value, x, number of the block among those at a time).
template <int unroll, int size, class Scalar, class Add>
[[gnu::always_inline]] inline void for_blocks(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, const Add &add)
{
  std::uint32_t b = 0;
  for (; b + unroll <= n; b += unroll, value += unroll * size) {
    unrolled<unroll>([&](auto u) __attribute__((always_inline)) { add(value + u * size, x + first[b + u], u); });
  }
  if constexpr (unroll > 1)
    for (; b < n; ++b, value += size) add(value, x + first[b], std::integral_constant<int, 0>());
}

/// sum[0 .. h - 1] of n blocks, at least one, of h x w; up to width_for(h) are written. Lanes behind the last row of a block hold what
/// comes after it, and are not used.
template <class L, int h, int w> struct BlockDot {
  using Scalar                = typename L::Scalar;
  static constexpr int width  = width_for(h);
  static constexpr int unroll = w == 1 ? 4 : w <= 3 ? 2 : 1;

  [[gnu::always_inline]] static void run(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, Scalar *sum)
  {
    Chains<L, width, std::min(unroll * w, L::template chains<width>)> chains;
    for_blocks<unroll, h * w>(
      value, first, n, x, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        unrolled<w>([&](auto j) __attribute__((always_inline)) {
          chains.template add<u * w + j>(L::load(v + j * h, Width<width>()), L::set(xs[j], Width<width>()));
        });
      });
    L::store(sum, chains.sum());
  }
};

/// Blocks of two rows and an even number of columns: two columns are a vector.
template <class L, int w>
requires(w % 2 == 0) struct BlockDot<L, 2, w> {
  using Scalar                = typename L::Scalar;
  static constexpr int unroll = w == 2 ? 4 : w == 4 ? 2 : 1;

  [[gnu::always_inline]] static void run(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, Scalar *sum)
  {
    Chains<L, 4, std::min(unroll * w / 2, L::template chains<4>)> chains;
    for_blocks<unroll, 2 * w>(
      value, first, n, x, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        unrolled<w / 2>([&](auto j) __attribute__((always_inline)) {
          chains.template add<u *(w / 2) + j>(L::load(v + 4 * j, Width<4>()), L::twice(xs + 2 * j));
        });
      });
    Scalar all[4];
    L::store(all, chains.sum());
    sum[0] = all[0] + all[2];
    sum[1] = all[1] + all[3];
  }
};

/// Blocks of one row and two, four or eight columns: these are a vector, and so is x.
template <class L, int w>
requires(w == 2 || w == 4 || w == 8) struct BlockDot<L, 1, w> {
  using Scalar                = typename L::Scalar;
  static constexpr int unroll = std::min(4, L::template chains<w>);

  [[gnu::always_inline]] static void run(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, Scalar *sum)
  {
    Chains<L, w, unroll> chains;
    for_blocks<unroll, w>(
      value, first, n, x, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        chains.template add<u>(L::load(v, Width<w>()), L::load(xs, Width<w>()));
      });
    Scalar all[w];
    L::store(all, chains.sum());
    unrolled<w / 2>([&](auto i) __attribute__((always_inline)) { all[i] += all[i + w / 2]; });
    if constexpr (w >= 8) unrolled<w / 4>([&](auto i) __attribute__((always_inline)) { all[i] += all[i + w / 4]; });
    sum[0] = w == 2 ? all[0] : all[0] + all[1];
  }
};

} // namespace petscspmv::bccoo
