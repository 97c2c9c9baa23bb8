#pragma once

/// \file block_sums.hpp
/// Sums of rows of blocks: the columns of a block are vectors, or its rows.
///
/// Included by one source file for each instruction set; see isa.hpp for what that asks of this code.

#include <algorithm>

#include "impls/bccoo/block_portable.hpp"
#include "kernels/lanes/unrolled.hpp"
#include "impls/bccoo/blocks.hpp"

namespace petscspmv::bccoo {

/// How far ahead values are asked for, and x of the next run with them where a block has so many values.
inline constexpr int values_ahead_bytes = 16384, x_ahead_values = 4;

/// The shortest vector that holds n values.
constexpr int width_for(int n)
{
  return n <= 1 ? 1 : n <= 2 ? 2 : n <= 4 ? 4 : 8;
}

/// Whether the vectors of a block hold its values and nothing else.
template <int h, int w> inline constexpr bool has_full_vectors = Shape{h, w}.by_rows() ? width_for(w) == w : width_for(h) == h;

/// Vectors that are summed side by side, in registers.
template <class L, int width, int n> class Chains {
  using Vec = decltype(L::zero(Width<width>()));

public:
  [[gnu::always_inline]] Chains()
  {
    kernels::unrolled<n>([this](auto i) __attribute__((always_inline)) { chain_[i] = L::zero(Width<width>()); });
  }

  /// Chain number i modulo n gets a b more.
  template <int i> [[gnu::always_inline]] void add(Vec a, Vec b) { chain_[i % n] = L::mul_add(a, b, chain_[i % n]); }

  /// Chains first, first + step, ..., in pairs.
  template <int first = 0, int step = 1, int count = n / step> [[gnu::always_inline]] Vec sum() const
  {
    if constexpr (count == 1) return chain_[first];
    else return L::add(sum<first, step, count / 2>(), sum<first + step *(count / 2), step, count - count / 2>());
  }

private:
  Vec chain_[n];
};

/// What a product asks for before it needs it, while it sums n blocks with these values: the lines of values that are
/// some way behind, each of them (see CodedValues::prefetch), and x of as many blocks of the next run.
template <int n, int size, class Scalar, class Columns>
[[gnu::always_inline]] inline void ask_for(const Scalar *value, Columns later, const Scalar *x)
{
  constexpr int line = 64, bytes = n * size * int(sizeof(Scalar));
  kernels::unrolled<(bytes + line - 1) / line>([&](auto i) __attribute__((always_inline)) {
    __builtin_prefetch(reinterpret_cast<const char *>(value) + values_ahead_bytes + i * line, 0, 2);
  });
  if constexpr (size >= x_ahead_values)
    kernels::unrolled<n>([&](auto u) __attribute__((always_inline)) { __builtin_prefetch(x + later[u], 0, 2); });
}

/// One block after the other, `unroll` of them at a time: add(value, x, number of the block among those at a time).
template <bool ahead, int unroll, int size, class Scalar, class Columns, class Add>
[[gnu::always_inline]] inline void for_blocks(const Scalar *value, BlockPlaces<Columns, Scalar> p, std::size_t n, const Add &add)
{
  std::size_t b = 0; // as long as a pointer: one of 32 bits took two instructions a block
  for (; b + unroll <= n; b += unroll, value += unroll * size) {
    if constexpr (ahead) ask_for<unroll, size>(value, p.later + b, p.later_x);
    kernels::unrolled<unroll>([&](auto u) __attribute__((always_inline)) { add(value + u * size, p.x + p.columns[b + u], u); });
  }
  if constexpr (unroll > 1)
    for (; b < n; ++b, value += size) {
      if constexpr (ahead) ask_for<1, size>(value, p.later + b, p.later_x);
      add(value, p.x + p.columns[b], kernels::Number<0>());
    }
}

/// sum[0 .. h - 1] of n blocks, at least one, of h x w; sum has room for longest_side. Blocks that are kept column by
/// column: a column is a vector. Lanes behind the last row of a block hold what comes after it, and are not used.
template <class L, int h, int w> struct BlockDot {
  using Scalar                = typename L::Scalar;
  static constexpr int width  = width_for(h);
  static constexpr int unroll = w == 1 ? 4 : w <= 3 ? 2 : 1;

  template <bool ahead, class Places> [[gnu::always_inline]] static void run(const Scalar *value, Places p, std::size_t n, Scalar *sum)
  {
    Chains<L, width, std::min(unroll * w, L::template chains<width>)> chains;
    for_blocks<ahead, unroll, h * w>(
      value, p, n, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        kernels::unrolled<w>([&](auto j) __attribute__((always_inline)) {
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

  template <bool ahead, class Places> [[gnu::always_inline]] static void run(const Scalar *value, Places p, std::size_t n, Scalar *sum)
  {
    Chains<L, width, unroll * h> chains;
    for_blocks<ahead, unroll, h * w>(
      value, p, n, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        const auto x_here = L::template load_first<w>(xs, Width<width>());
        kernels::unrolled<h>([&](auto i) __attribute__((always_inline)) {
          chains.template add<u * h + i>(L::load(v + i * w, Width<width>()), x_here);
        });
      });
    L::template store_sums<w, h>(
      sum, [&](auto i) __attribute__((always_inline)) { return chains.template sum<i, h>(); });
  }
};

/// Blocks of 2 x 2: both rows are a vector. Masks instead of branches for up to three that are left over took 1.15
/// times as long on three of five meshes, and no less on the others.
template <class L> struct BlockDot<L, 2, 2> {
  using Scalar = typename L::Scalar;

  template <bool ahead, class Places> [[gnu::always_inline]] static void run(const Scalar *value, Places p, std::size_t n, Scalar *sum)
  {
    Chains<L, 4, 4> chains;
    for_blocks<ahead, 4, 4>(
      value, p, n, [&](const Scalar *v, const Scalar *xs, auto u) __attribute__((always_inline)) {
        chains.template add<u>(L::load(v, Width<4>()), L::twice(xs));
      });
    Scalar all[4];
    L::store(all, chains.sum());
    sum[0] = all[0] + all[1];
    sum[1] = all[2] + all[3];
  }
};

/// Writes the sums of rows of blocks to `sums`, h for each row, and asks for each nothing but where it ends: a test of
/// what else there may be to do for each took a third of a product of blocks of 2 x 2 in caches (AMD Zen 3). Bit b of
/// the words `ends` is set if block b is the last of its row.
template <class L, int h, int w, bool ahead, class Columns>
[[gnu::noinline]] void sum_block_rows(const std::byte *ends, std::uint32_t blocks, const typename L::Scalar *value,
                                      BlockPlaces<Columns, typename L::Scalar> places, typename L::Scalar *sums)
{
  using Scalar = typename L::Scalar;
  alignas(64) std::byte bytes[longest_side * sizeof(Scalar)]; // not set to zero, as an array of complex numbers would be
  auto *const           sum   = reinterpret_cast<Scalar *>(bytes);
  const std::uint32_t   words = (blocks + 63) / 64;
  std::size_t           first = 0;
  for (std::uint32_t word = 0; word < words; ++word)
    for (auto bits = kernels::read_as<std::uint64_t>(ends + std::size_t(8) * word); bits; bits &= bits - 1) {
      const std::size_t end = std::size_t(64) * word + static_cast<std::size_t>(__builtin_ctzll(bits)) + 1;
      BlockDot<L, h, w>::template run<ahead>(value + first * h * w, places + first, end - first, sum);
      kernels::unrolled<h>([&](auto i) __attribute__((always_inline)) { sums[i] = sum[i]; });
      first = end;
      sums += h;
    }
}

} // namespace petscspmv::bccoo
