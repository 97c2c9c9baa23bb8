#pragma once

/// \file diagonal_host.hpp
/// Products of diagonal tiles on a processor core.
///
/// Lane = row. A slot costs one load of eight entries of x, and, where its values change, one of eight values, else one
/// that all lanes share; patterns are read once a run. Even and odd slots have a sum each, so that two chains of
/// additions are under way.

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
    : m_(m), t_(t), x_(task.x), write_(task.update, task.streams, t.row), end_(t.row + t.rows), ahead_(task.ahead)
  {
  }

  template <class Values> void run(const Values &values)
  {
    row_                = t_.row;
    std::int64_t stream = 0;
    for (const Run *r = m_.run + t_.diagonal.run, *end = r + t_.diagonal.runs; r < end; ++r) {
      const Pattern &p      = m_.pattern[r->pattern];
      const auto     s      = slots_of(m_, p);
      const int      n      = static_cast<int>(r->groups);
      const Scalar  *value  = m_.pattern_value + p.first_value;
      const auto     packed = kernels::PlainValues<Scalar>{reinterpret_cast<const std::byte *>(value), nullptr};
      const auto     sum    = [&](const auto &from, std::int64_t q, const auto &constants) __attribute__((always_inline))
      {
        if (p.full) groups<true>(s, from, q, p.streamed, n, constants);
        else groups<false>(s, from, q, p.streamed, n, constants);
      };
      switch (p.values) {
      case PatternValues::streamed:
        sum(values, stream, NoConstants());
        break;
      case PatternValues::packed:
        sum(packed, 0, NoConstants());
        break;
      case PatternValues::by_slot:
        sum(values, 0, AllConstants{value});
        break;
      case PatternValues::mixed:
        sum(values, stream, Constants{value, p.streams});
        break;
      }
      stream += std::int64_t(n) * p.streamed;
    }
  }

private:
  /// The values of slots that have one each, and the slots that have not.
  struct Constants {
    const Scalar *value;
    std::uint32_t streams;

    bool has(int k) const { return (streams >> k & 1) == 0; }
  };
  /// All slots have, and none.
  struct AllConstants {
    const Scalar         *value;
    static constexpr bool has(int) { return true; }
  };
  struct NoConstants {
    static constexpr const Scalar *value = nullptr;
    static constexpr bool          has(int) { return false; }
  };

  /// n groups whose values begin at q, q + step, ...
  template <bool full, class Values, class Of>
  void groups(const SlotView<LaneMask> &s, const Values &values, std::int64_t q, std::int64_t step, int n, const Of &constants)
  {
    for (; n > 0; --n, q += step) {
      const Scalar *x    = x_ + row_;
      std::int64_t  at   = q;
      const auto    slot = [&](int k, Vec sum) __attribute__((always_inline))
      {
        if (constants.has(k)) {
          const Vec v = L::set(constants.value[k]);
          if constexpr (full) return L::mul_add(v, L::load(x + s.offset[k]), sum);
          else return L::mul_add(v, L::load(x + s.offset[k], s.lanes[k]), sum, s.lanes[k]);
        }
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
      if (ahead_ && s.slots > 0) prefetch_x(x + s.offset[s.slots - 1]);
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

  [[gnu::always_inline]] static void prefetch_x(const Scalar *x)
  {
    __builtin_prefetch(reinterpret_cast<const char *>(x) + tuning::x_ahead_bytes, 0, 2);
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
