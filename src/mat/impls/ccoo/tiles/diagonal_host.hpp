#pragma once

/// \file diagonal_host.hpp
/// Products of diagonal tiles on a processor core.
///
/// Lane = row. A slot costs one load of eight entries of x, and, where its values change, one of eight values; patterns are read once a run.
/// Even and odd slots have a sum each, so that two chains of additions are under way.

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/tiles/diagonal.hpp"
#include "impls/ccoo/tiles/group_writer.hpp"

namespace petscspmv::ccoo {

template <class L> class DiagonalProduct {
  using Scalar = typename L::Scalar;
  using Vec    = typename L::Vec;

public:
  DiagonalProduct(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task)
    : m_(m), t_(t), x_(task.x), write_(task.update), end_(t.row + t.rows), ahead_(task.ahead)
  {
  }

  template <Coding c> void run(const kernels::CodedValues<c, Scalar> &values)
  {
    row_                = t_.row;
    std::int64_t stream = 0;
    for (const Run *r = m_.run + t_.run, *end = r + t_.runs; r < end; ++r) {
      const Pattern &p      = m_.pattern[r->pattern];
      const auto     s      = slots_of(m_, p);
      const int      n      = static_cast<int>(r->groups);
      const Scalar  *value  = m_.pattern_value + p.first_value;
      const auto     packed = kernels::CodedValues<Coding::raw, Scalar>{reinterpret_cast<const std::byte *>(value), nullptr};
      if (p.values == PatternValues::by_slot && n == 1) one_group(s, value);
      else if (p.values == PatternValues::by_slot) p.full ? by_slot<true>(s, value, n) : by_slot<false>(s, value, n);
      else if (p.values == PatternValues::packed) p.full ? streamed<true>(s, packed, 0, 0, n) : streamed<false>(s, packed, 0, 0, n);
      else {
        p.full ? streamed<true>(s, values, stream, p.entries, n) : streamed<false>(s, values, stream, p.entries, n);
        stream += std::int64_t(n) * p.entries;
      }
    }
  }

private:
  /// `groups` groups whose values begin at q, q + step, ...
  template <bool full, Coding from>
  void streamed(const SlotView<LaneMask> &s, const kernels::CodedValues<from, Scalar> &values, std::int64_t q, std::int64_t step,
                int groups)
  {
    for (; groups > 0; --groups, q += step) {
      const Scalar *x    = x_ + row_;
      std::int64_t  at   = q;
      const auto    slot = [&](int k, Vec sum) __attribute__((always_inline))
      {
        values.prefetch(at);
        if constexpr (full) {
          const Vec v = L::values(values, at);
          at += group_rows;
          return L::mul_add(v, L::load(x + s.offset[k]), sum);
        } else {
          const LaneMask lanes = s.lanes[k];
          const Vec      v     = L::values_at(values, at, lanes);
          at += __builtin_popcount(lanes);
          return L::mul_add(v, L::load(x + s.offset[k], lanes), sum, lanes);
        }
      };
      Vec even = L::zero(), odd = L::zero();
      int k = 0;
      for (; k + 2 <= s.slots; k += 2) {
        even = slot(k, even);
        odd  = slot(k + 1, odd);
      }
      if (k < s.slots) even = slot(k, even);
      finish(L::add(even, odd));
    }
  }

  /// Groups that look like no neighbour of theirs are many where meshes are small: nothing but this loop.
  [[gnu::always_inline]] void one_group(const SlotView<LaneMask> &s, const Scalar *value)
  {
    const Scalar *const x    = x_ + row_;
    const auto          slot = [&](int k, Vec sum) __attribute__((always_inline))
    {
      return L::mul_add(L::set(value[k]), L::load(x + s.offset[k], s.lanes[k]), sum, s.lanes[k]);
    };
    Vec even = L::zero(), odd = L::zero();
    int k = 0;
    for (; k + 2 <= s.slots; k += 2) {
      even = slot(k, even);
      odd  = slot(k + 1, odd);
    }
    if (k < s.slots) even = slot(k, even);
    if (ahead_ && s.slots > 0) prefetch_x(x + s.offset[s.slots - 1]);
    finish(L::add(even, odd));
  }

  template <bool full> void by_slot(const SlotView<LaneMask> &s, const Scalar *value, int groups)
  {
    for (; groups >= L::side_by_side; groups -= L::side_by_side) by_slot<full, L::side_by_side>(s, value);
    if constexpr (L::side_by_side >= 8)
      if (groups & 4) by_slot<full, 4>(s, value);
    if constexpr (L::side_by_side >= 4)
      if (groups & 2) by_slot<full, 2>(s, value);
    if constexpr (L::side_by_side >= 2)
      if (groups & 1) by_slot<full, 1>(s, value);
  }

  /// n groups of one pattern: a slot's value is read once for all of them.
  template <bool full, int n> [[gnu::always_inline]] void by_slot(const SlotView<LaneMask> &s, const Scalar *value)
  {
    Vec        even[n], odd[n];
    const auto slot = [&](int k, Vec(&sum)[n]) __attribute__((always_inline))
    {
      const Vec      v     = L::set(value[k]);
      const Scalar  *x     = x_ + row_ + s.offset[k];
      const LaneMask lanes = s.lanes[k];
      if (ahead_ && is_stream(s, k))
#pragma GCC unroll 8
        for (int i = 0; i < n; ++i) prefetch_x(x + i * group_rows);
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i, x += group_rows)
        sum[i] = full ? L::mul_add(v, L::load(x), sum[i]) : L::mul_add(v, L::load(x, lanes), sum[i], lanes);
    };
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) even[i] = odd[i] = L::zero();
    const auto step = [&](int k, Vec(&sum)[n], Vec(&other)[n]) __attribute__((always_inline))
    {
      if constexpr (full && L::shifts && n > 1)
        if (is_triple(s, k)) {
          triple(value + k, x_ + row_ + s.offset[k], sum, other);
          return k + 3;
        }
      slot(k, sum);
      return k + 1;
    };
    for (int k = 0; k < s.slots;) {
      k = step(k, even, odd);
      if (k < s.slots) k = step(k, odd, even);
    }
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) finish(L::add(even[i], odd[i]));
  }

  static bool is_triple(const SlotView<LaneMask> &s, int k)
  {
    return k + 2 < s.slots && s.offset[k + 1] == s.offset[k] + 1 && s.offset[k + 2] == s.offset[k] + 2;
  }

  /// Three slots whose offsets are o, o + 1 and o + 2: x of the middle one is loaded, that of the others is put together from it.
  /// Loads that cross cache lines are what limits a 27-point stencil (1.22 ns a row against 1.45, AMD Zen 5).
  template <int n> [[gnu::always_inline]] void triple(const Scalar *value, const Scalar *x, Vec (&sum)[n], Vec (&other)[n]) const
  {
    const Vec left_value = L::set(value[0]), value_here = L::set(value[1]), right_value = L::set(value[2]);
    Vec       left = L::load(x), here = L::load(x + 1);
    if (ahead_)
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i) prefetch_x(x + i * group_rows);
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) {
      const bool last  = i + 1 == n;
      const Vec  next  = last ? here : L::load(x + 1 + (i + 1) * group_rows);
      const Vec  right = last ? L::load(x + 2 + i * group_rows) : L::template window<1>(here, next);
      sum[i]           = L::mul_add(right_value, right, L::mul_add(left_value, left, sum[i]));
      other[i]         = L::mul_add(value_here, here, other[i]);
      left             = L::template window<7>(here, next);
      here             = next;
    }
  }

  /// Offsets that are close to the one before read the same lines of x.
  [[gnu::always_inline]] static bool is_stream(const SlotView<LaneMask> &s, int k)
  {
    return k == 0 || s.offset[k] - s.offset[k - 1] >= group_rows;
  }
  [[gnu::always_inline]] static void prefetch_x(const Scalar *x)
  {
    __builtin_prefetch(reinterpret_cast<const char *>(x) + tuning::x_ahead_bytes);
  }

  [[gnu::always_inline]] void finish(Vec sum)
  {
    if (end_ - row_ >= group_rows) write_(row_, sum);
    else write_(row_, sum, end_ - row_);
    row_ += group_rows;
  }

  const Layout<Scalar> &m_;
  const Tile           &t_;
  const Scalar         *x_;
  const GroupWriter<L>  write_;
  const Local           end_;
  const bool            ahead_;
  Local                 row_ = 0;
};

} // namespace petscspmv::ccoo
