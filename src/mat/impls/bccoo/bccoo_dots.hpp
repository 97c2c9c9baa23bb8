#pragma once

/// \file bccoo_dots.hpp
/// Sums of the blocks of a block row: a column of a block is a vector, x is the same in all of its lanes.
///
/// Included by one source file for each instruction set; see kernels/isa.hpp for what that asks of this code.

#include "impls/bccoo/bccoo_layout.hpp"
#include "kernels/block_lanes_portable.hpp"

namespace petscspmv::bccoo {

using kernels::Width;

/// The shortest vector that holds n values.
constexpr int width_for(int n)
{
  return n <= 1 ? 1 : n <= 2 ? 2 : n <= 4 ? 4 : 8;
}

/// Asks for the values that come some way behind those at `value`: n of them, a cache line each. Far ahead and to the second cache, as
/// CodedValues::prefetch.
template <int n, class Scalar> [[gnu::always_inline]] inline void prefetch_values(const Scalar *value)
{
  constexpr int ahead = 16384, line = 64;
#pragma GCC unroll 16
  for (int b = 0; b < n * static_cast<int>(sizeof(Scalar)); b += line)
    __builtin_prefetch(reinterpret_cast<const char *>(value) + ahead + b, 0, 2);
}

/// The sum of chains[0] .. chains[n - 1], in pairs.
template <class L, int n, class Vec> [[gnu::always_inline]] inline Vec sum_of(Vec (&chain)[n])
{
#pragma GCC unroll 8
  for (int half = 1; half < n; half *= 2)
#pragma GCC unroll 8
    for (int i = 0; i + half < n; i += 2 * half) chain[i] = L::add(chain[i], chain[i + half]);
  return chain[0];
}

/// sum[0 .. h - 1] of n blocks, at least one, of h x w; up to width_for(h) are written. Lanes behind the last row of a block hold what
/// comes after it, and are not used.
template <class L, int h, int w> struct BlockDot {
  using Scalar                = typename L::Scalar;
  static constexpr int width  = width_for(h);
  static constexpr int unroll = w == 1 ? 4 : w <= 3 ? 2 : 1; // blocks at a time
  static constexpr int most   = L::template chains<width>;
  static constexpr int chains = unroll * w < most ? unroll * w : most;

  [[gnu::always_inline]] static void run(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, Scalar *sum)
  {
    decltype(L::zero(Width<width>())) chain[chains];
#pragma GCC unroll 8
    for (auto &c : chain) c = L::zero(Width<width>());
    std::uint32_t b = 0;
    for (; b + unroll <= n; b += unroll, value += unroll * h * w) {
      prefetch_values<unroll * h * w>(value);
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u) add(value + u * h * w, x + first[b + static_cast<std::uint32_t>(u)], chain, u * w);
    }
    if constexpr (unroll > 1)
      for (; b < n; ++b, value += h * w) {
        prefetch_values<h * w>(value);
        add(value, x + first[b], chain, 0);
      }
    L::store(sum, sum_of<L, chains>(chain));
  }

private:
  /// One block. Its column j goes to chain (from + j) modulo `chains`.
  template <class Chain> [[gnu::always_inline]] static void add(const Scalar *value, const Scalar *x, Chain &chain, int from)
  {
#pragma GCC unroll 8
    for (int j = 0; j < w; ++j) {
      auto &c = chain[(from + j) % chains];
      c       = L::mul_add(L::load(value + j * h, Width<width>()), L::set(x[j], Width<width>()), c);
    }
  }
};

/// Blocks of two rows and an even number of columns: two columns are a vector.
template <class L, int w>
requires(w % 2 == 0) struct BlockDot<L, 2, w> {
  using Scalar                = typename L::Scalar;
  static constexpr int unroll = w == 2 ? 4 : w == 4 ? 2 : 1;
  static constexpr int most   = L::template chains<4>;
  static constexpr int chains = unroll * w / 2 < most ? unroll * w / 2 : most;

  [[gnu::always_inline]] static void run(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, Scalar *sum)
  {
    decltype(L::zero(Width<4>())) chain[chains];
#pragma GCC unroll 8
    for (auto &c : chain) c = L::zero(Width<4>());
    std::uint32_t b = 0;
    for (; b + unroll <= n; b += unroll, value += unroll * 2 * w) {
      prefetch_values<unroll * 2 * w>(value);
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u) add(value + u * 2 * w, x + first[b + static_cast<std::uint32_t>(u)], chain, u * w / 2);
    }
    if constexpr (unroll > 1)
      for (; b < n; ++b, value += 2 * w) add(value, x + first[b], chain, 0);
    Scalar all[4];
    L::store(all, sum_of<L, chains>(chain));
    sum[0] = all[0] + all[2];
    sum[1] = all[1] + all[3];
  }

private:
  template <class Chain> [[gnu::always_inline]] static void add(const Scalar *value, const Scalar *x, Chain &chain, int from)
  {
#pragma GCC unroll 8
    for (int j = 0; j < w / 2; ++j) {
      auto &c = chain[(from + j) % chains];
      c       = L::mul_add(L::load(value + 4 * j, Width<4>()), L::twice(x + 2 * j), c);
    }
  }
};

/// Blocks of one row and two, four or eight columns: these are a vector, and so is x.
template <class L, int w>
requires(w == 2 || w == 4 || w == 8) struct BlockDot<L, 1, w> {
  using Scalar                = typename L::Scalar;
  static constexpr int most   = L::template chains<w>;
  static constexpr int chains = most < 4 ? most : 4;

  [[gnu::always_inline]] static void run(const Scalar *value, const Local *first, std::uint32_t n, const Scalar *x, Scalar *sum)
  {
    const auto add = [&](std::uint32_t b, auto c) __attribute__((always_inline))
    {
      return L::mul_add(L::load(value + b * std::size_t(w), Width<w>()), L::load(x + first[b], Width<w>()), c);
    };
    decltype(L::zero(Width<w>())) chain[chains];
#pragma GCC unroll 8
    for (auto &c : chain) c = L::zero(Width<w>());
    std::uint32_t b = 0;
    for (; b + chains <= n; b += chains) {
      prefetch_values<chains * w>(value + b * std::size_t(w));
#pragma GCC unroll 8
      for (int i = 0; i < chains; ++i) chain[i] = add(b + static_cast<std::uint32_t>(i), chain[i]);
    }
    for (; b < n; ++b) chain[0] = add(b, chain[0]);
    Scalar all[w];
    L::store(all, sum_of<L, chains>(chain));
#pragma GCC unroll 8
    for (int half = w / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (int l = 0; l < half; ++l) all[l] += all[l + half];
    sum[0] = all[0];
  }
};

} // namespace petscspmv::bccoo
