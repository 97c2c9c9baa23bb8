#pragma once

/// \file strip_host.hpp
/// Products of strips on a processor core.
///
/// Lane = row. `side_by_side` groups have a sum each in registers, which is as many chains of additions as a core can
/// keep going; a slot is read once for all of them, x by one load for each group. y is written once, strip after strip.

#include <algorithm>

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/tiles/group_writer.hpp"
#include "impls/ccoo/tiles/strip.hpp"

namespace petscspmv::ccoo {

template <class L> class StripProduct {
  using Scalar = typename L::Scalar;
  using Vec    = typename L::Vec;

  static constexpr int n = L::side_by_side;
  /// Which groups may have rows that lack an entry of a triple: at the ends of a grid's lines it is the first one and
  /// the last one.
  enum class Holes { none, at_ends, anywhere };

  static constexpr StripMask full   = n == strip_groups ? ~StripMask(0) : (StripMask(1) << n % strip_groups * group_rows) - 1;
  static constexpr StripMask within = full & ~(StripMask(0xff) | StripMask(0xff) << (n - 1) * group_rows);

public:
  StripProduct(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task)
    : m_(m), t_(t), x_(task.x), write_(task.update, task.streams, t.row), ahead_(task.ahead)
  {
  }

  void run() const
  {
    const std::uint32_t *const number = m_.tile_strip + t_.diagonal.strip;
    const Local                end    = t_.row + t_.rows;
    Local                      row    = t_.row;
    for (std::uint32_t i = 0; i < t_.diagonal.strips; ++i) {
      const Strip &s = m_.strip[number[i]];
      if (ahead_) prefetch(s, x_ + row);
      const StripView<Scalar> v = slots_of(m_, s);
      if (L::least_lines > 1 && __builtin_expect(has_lines(v), 0)) line_by_line(*this, v, row, end);
      else all_groups<L::least_lines == 1>(v, row, end);
      row += strip_groups * group_rows;
    }
  }

private:
  [[gnu::always_inline]] static void prefetch(const Strip &s, const Scalar *x)
  {
    for (std::uint32_t f = 0; f < s.fronts; ++f)
#pragma GCC unroll 8
      for (int i = 0; i < strip_groups; ++i)
        __builtin_prefetch(reinterpret_cast<const char *>(x + s.front[f] + i * group_rows) + tuning::x_ahead_bytes, 0, 2);
  }

  /// Whether triples are alike in as many lines as it takes.
  [[gnu::always_inline]] static bool has_lines(const StripView<Scalar> &s)
  {
    if (s.slots <= 3 * L::least_lines) return false;
    bool found = false;
    for (int k = 0; k < s.slots; ++k) found |= s.alike[k] >= L::least_lines;
    return found;
  }

  template <bool with_triples> [[gnu::always_inline]] void all_groups(const StripView<Scalar> &s, Local row, Local end) const
  {
    for (int g = 0; g < strip_groups && row < end; g += n, row += n * group_rows) groups<with_triples>(s, g, row, end);
  }

  /// A function of its own, with copies: sixteen registers do not hold the sums of other strips beside what triples
  /// take. AMD Zen 3, 7-point 96^3: 0.83 ms without triples, 0.87 beside this, 1.6 to 2.0 in one function.
  [[gnu::noinline]] static void line_by_line(StripProduct product, StripView<Scalar> s, Local row, Local end)
  {
    product.template all_groups<true>(s, row, end);
  }

  /// Lanes of group i of those side by side.
  [[gnu::always_inline]] static LaneMask of_group(StripMask lanes, int i)
  {
    return static_cast<LaneMask>(lanes >> i * group_rows);
  }

  /// Groups g .. g + n - 1 of a strip, whose first row is `row`.
  template <bool with_triples> [[gnu::always_inline]] void groups(const StripView<Scalar> &s, int g, Local row, Local end) const
  {
    Vec sum[n];
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) sum[i] = L::zero();
    const Scalar *const x     = x_ + row;
    const auto          lanes = [&s, g ](int k) __attribute__((always_inline))
    {
      return s.lanes[k] >> g * group_rows & full;
    };
    for (int k = 0; k < s.slots;) {
      if constexpr (with_triples && L::least_lines > 0)
        if (const int lines = s.alike[k]; lines >= L::least_lines) {
          const StripMask left = lanes(k), right = lanes(k + 2), both = left & right;
          if (both == full) triples<Holes::none>(s, k, lines, left, right, x, sum);
          else if ((both & within) == within) triples<Holes::at_ends>(s, k, lines, left, right, x, sum);
          else triples<Holes::anywhere>(s, k, lines, left, right, x, sum);
          k += 3 * lines;
          continue;
        }
      const StripMask here = lanes(k);
      if (here == full) slot<true>(s.value[k], x + s.offset[k], here, sum);
      else if (n == strip_groups || here != 0) slot<false>(s.value[k], x + s.offset[k], here, sum);
      ++k;
    }
    finish(sum, row, end);
  }

  template <bool all> [[gnu::always_inline]] static void slot(Scalar value, const Scalar *x, StripMask lanes, Vec (&sum)[n])
  {
    const Vec v = L::set(value);
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i, x += group_rows)
      sum[i] = all ? L::mul_add(v, L::load(x), sum[i]) : L::mul_add(v, L::load(x, of_group(lanes, i)), sum[i], of_group(lanes, i));
  }

  /// Triples that are alike, one for each of some lines of a grid. The x of the middle slots are loaded and added, line
  /// by line; those of the others are put together from the sums, for loads that cross cache lines are dear, and one
  /// number at each end; three multiplications do for all lines. 27-point 64^3, AMD Zen 4: 1.50 ns a row line by line,
  /// 0.90 with all lines at once.
  template <Holes holes>
  [[gnu::always_inline]] static void triples(const StripView<Scalar> &s, int k, int lines, StripMask left_lanes, StripMask right_lanes,
                                             const Scalar *x, Vec (&sum)[n])
  {
    const Vec  left_value = L::set(s.value[k]), value_here = L::set(s.value[k + 1]), right_value = L::set(s.value[k + 2]);
    const auto add = [](Vec value, Vec v, Vec to, StripMask lanes, int i) __attribute__((always_inline))
    {
      const bool all = holes == Holes::none || (holes == Holes::at_ends && i > 0 && i + 1 < n);
      return all ? L::mul_add(value, v, to) : L::mul_add(value, v, to, of_group(lanes, i));
    };
    const bool has_first = left_lanes & 1, has_last = right_lanes >> (n * group_rows - 1) & 1;
    const auto first = [=](const Scalar *line) __attribute__((always_inline))
    {
      return has_first ? line[0] : Scalar(0);
    };
    const auto last = [=](const Scalar *line) __attribute__((always_inline))
    {
      return has_last ? line[1 + n * group_rows] : Scalar(0);
    };
    const Scalar *line = x + s.offset[k];
    Vec           here[n];
    Scalar        before = first(line), after = last(line);
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) here[i] = L::load(line + 1 + i * group_rows);
    for (int l = 1; l < lines; ++l) {
      line = x + s.offset[k + 3 * l];
      before += first(line);
      after += last(line);
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i) here[i] = L::add(here[i], L::load(line + 1 + i * group_rows));
    }
    Vec left = L::template window<7>(L::set(before), here[0]);
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) {
      const Vec right = L::template window<1>(here[i], i + 1 == n ? L::set(after) : here[i + 1]);
      sum[i] = add(right_value, right, L::mul_add(value_here, here[i], add(left_value, left, sum[i], left_lanes, i)), right_lanes, i);
      if (i + 1 < n) left = L::template window<7>(here[i], here[i + 1]);
    }
  }

  [[gnu::always_inline]] void finish(const Vec (&sum)[n], Local row, Local end) const
  {
    if (end - row >= n * group_rows) {
#pragma GCC unroll 8
      for (int i = 0; i < n; ++i) write_(row + i * group_rows, sum[i]);
      return;
    }
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i, row += group_rows)
      if (row < end) write_(row, sum[i], std::min<int>(group_rows, end - row));
  }

  const Layout<Scalar> &m_;
  const Tile           &t_;
  const Scalar *const   x_;
  const GroupWriter<L>  write_;
  const bool            ahead_;
};

} // namespace petscspmv::ccoo
