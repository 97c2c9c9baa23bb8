#pragma once

/// \file unit_image.hpp
/// How the diagonal tiles of a plan become units, and how these are decoded.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/rounding.hpp"
#include "impls/ccoo/device/unit/unit_arrays.hpp"
#include "impls/ccoo/device/unit/constants.hpp"
#include "impls/ccoo/device/unit/shared_values.hpp"
#include "impls/ccoo/tiles/diagonal.hpp"
#include "kernels/host/parallel.hpp"
#include "impls/ccoo/order/row_values.hpp"

namespace petscspmv::ccoo::image {

using DeviceSlots = SlotView<DeviceGroup::Mask>;

inline bool is_full(const DeviceSlots &s, int k)
{
  return s.lanes[k] == all_lanes<DeviceGroup::Mask>;
}

/// The slots as they are kept: full ones first.
inline std::vector<int> order_of(const DeviceSlots &s)
{
  std::vector<int> order(static_cast<std::size_t>(s.slots));
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&s](int k) { return is_full(s, k); });
  return order;
}

/// Values slot by slot, in the order in which slots are kept, of those that keeps(k) asks for; returns where they end.
/// `out` is not `values`.
template <class Scalar, class Kept, class Keeps>
Kept *order_values(const DeviceSlots &s, const std::vector<int> &order, const Scalar *values, Kept *out, const Keeps &keeps)
{
  std::vector<std::size_t> first(static_cast<std::size_t>(s.slots) + 1);
  for (int k = 0; k < s.slots; ++k)
    first[static_cast<std::size_t>(k) + 1] = first[static_cast<std::size_t>(k)] + static_cast<std::size_t>(count_lanes(s.lanes[k]));
  for (int k : order)
    if (keeps(k))
      out = std::transform(values + first[static_cast<std::size_t>(k)], values + first[static_cast<std::size_t>(k) + 1], out,
                           [](const Scalar &v) { return static_cast<Kept>(v); });
  return out;
}

/// Lanes with the slots they have, 32 slots to a word; the slots from number `full` of the order on.
inline void add_lanes(const DeviceSlots &s, const std::vector<int> &order, std::size_t full, std::vector<std::uint32_t> &out)
{
  const std::size_t first = out.size();
  out.resize(first + (order.size() - full + 31) / 32 * DeviceGroup::rows);
  for (std::size_t i = full; i < order.size(); ++i)
    for_each_lane(s.lanes[order[i]], [&](int lane) {
      out[first + (i - full) / 32 * DeviceGroup::rows + static_cast<std::size_t>(lane)] |= std::uint32_t(1) << (i - full) % 32;
    });
}

template <class Scalar, class Pool> void add_patterns(const Pool &pool, Units<Scalar> &m)
{
  for (const ccoo::Pattern &p : pool.patterns) {
    const auto s      = pool.slots(p);
    const auto values = pool.value(p);
    const auto order  = order_of(s);
    const auto full   = static_cast<std::size_t>(std::count_if(order.begin(), order.end(), [&s](int k) { return is_full(s, k); }));
    m.pattern.push_back({counted(m.slot.size(), "slots"), counted(m.lanes_of_slots.size(), "lanes of slots"),
                         p.values == PatternValues::by_slot    ? Pattern::by_slot
                         : p.values == PatternValues::streamed ? Pattern::streamed
                         : p.values == PatternValues::mixed    ? Pattern::mixed
                                                               : counted(m.pattern_value.size(), "values of patterns"),
                         p.slots, static_cast<std::uint16_t>(full)});
    m.all_by_slot        = m.all_by_slot && p.values == PatternValues::by_slot;
    std::uint32_t before = 0;
    for (int k : order) {
      const bool alone = p.values == PatternValues::mixed && !is_streamed(p, k);
      m.slot.push_back({alone || p.values == PatternValues::by_slot ? values[static_cast<std::size_t>(k)] : Scalar(0), s.offset[k],
                        alone ? Slot<Scalar>::alone : before});
      if (!alone) before += static_cast<std::uint32_t>(count_lanes(s.lanes[k]));
    }
    add_lanes(s, order, full, m.lanes_of_slots);
    if (p.values != PatternValues::packed) continue;
    m.pattern_value.resize(m.pattern_value.size() + values.size());
    order_values(s, order, values.data(), m.pattern_value.data() + m.pattern_value.size() - values.size(), [](int) { return true; });
  }
}

/// The number of the pattern without slots, which is added.
template <class Scalar> std::uint32_t add_empty_pattern(Units<Scalar> &m)
{
  m.pattern.push_back({static_cast<std::uint32_t>(m.slot.size()), 0, Pattern::by_slot, 0, 0});
  return static_cast<std::uint32_t>(m.pattern.size() - 1);
}

/// Units, but for their values.
template <class Scalar, class Index> void add_units(const Plan<Scalar, Index, DeviceGroup> &plan, Units<Scalar> &m)
{
  add_patterns(plan.pool, m);
  const std::uint32_t empty       = add_empty_pattern(m);
  std::size_t         units       = 0;
  const auto          is_in_units = [](const Tile &t) { return t.kind == Kind::diagonal || t.kind == Kind::empty; };
  for (const Tile &t : plan.tiles)
    units += is_in_units(t) ? static_cast<std::size_t>((t.rows + DeviceGroup::rows - 1) / DeviceGroup::rows) : 0;
  m.unit.reserve(units);
  m.model.resize(m.pattern.size());
  for (const Tile &t : plan.tiles) {
    if (!is_in_units(t)) continue;
    Local      row = t.row, end = t.row + t.rows;
    const auto add = [&](std::uint32_t pattern) {
      m.unit.push_back({row, std::min<Local>(row + DeviceGroup::rows, end), pattern, 0});
      row = m.unit.back().end;
      if (m.model[pattern].end == 0) m.model[pattern] = m.unit.back();
    };
    if (t.kind == Kind::empty)
      while (row < end) add(empty);
    for (const Run *r = plan.runs.data() + t.diagonal.run, *last = r + t.diagonal.runs; r < last; ++r)
      for (std::uint32_t g = 0; g < r->groups; ++g) {
        add(r->pattern);
        m.entries_in_units += plan.pool.patterns[r->pattern].entries;
      }
  }
  // Rows that are read together lie together. Only tiles between chunks come after others.
  const auto before = [](const Unit &p, const Unit &q) { return p.row < q.row; };
  if (!std::is_sorted(m.unit.begin(), m.unit.end(), before)) std::sort(m.unit.begin(), m.unit.end(), before);
}

constexpr std::size_t grains_of(std::size_t values)
{
  return (values + value_grain - 1) / value_grain;
}

/// Where units have values of their own, and which share them.
template <class Scalar, class Index> void place_values(const Source<Scalar, Index> &from, Units<Scalar> &m)
{
  const auto                              &a     = from.a;
  constexpr std::int64_t                   batch = 256;
  std::vector<std::optional<SharedValues>> shared(m.unit.size());
  kernels::try_each_batch(from.threads, std::ssize(m.unit), batch, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      if (const Unit &u = m.unit[i]; m.pattern[u.pattern].first_value == Pattern::streamed) shared[i] = find_stretches(a, u.row, u.end);
  });
  std::size_t value = 0;
  for (std::size_t i = 0; i < m.unit.size(); ++i) {
    Unit &u = m.unit[i];
    if (!has_streamed_values(m.pattern[u.pattern])) continue;
    if (shared[i]) {
      u.value = Unit::shares | counted(m.shared.size(), "units");
      m.shared.push_back(*shared[i]);
      m.shared.back().first = counted(value, "values");
      value += grains_of(shared[i]->size());
    } else {
      u.value = counted(value, "values");
      value += grains_of(from.plan.pool.patterns[u.pattern].streamed);
    }
  }
  m.rounded_units = value > 0 && from.plan.chunks.empty() && rounds_values(from);
  m.unit_value    = room_for_values<Scalar>(value * value_grain, m.rounded_units);
}

/// The place of the first value that a unit has of its own.
template <class Scalar> std::size_t first_value(const Units<Scalar> &m, const Unit &u)
{
  return (shares_values(u) ? m.shared[number_of_shared(u)].first : u.value) * value_grain;
}

/// `value`: where the values of units begin.
template <class Scalar, class Index, class Kept> void fill_units(const Source<Scalar, Index> &from, const Units<Scalar> &m, Kept *value)
{
  constexpr std::int64_t batch = 256;
  const auto            &a     = from.a;
  const auto            &plan  = from.plan;
  const RowWindow        rows(a.rows, a.rows, a.row_ptr, a.val, Index(0));
  kernels::try_each_batch(from.threads, std::ssize(m.unit), batch, [&](std::int64_t first, std::int64_t last) {
    std::vector<Scalar> natural;
    for (std::int64_t i = first; i < last; ++i) {
      const Unit &u = m.unit[static_cast<std::size_t>(i)];
      if (!has_streamed_values(m.pattern[u.pattern])) continue;
      const ccoo::Pattern &p   = plan.pool.patterns[u.pattern];
      const auto           s   = plan.pool.slots(p);
      Kept *const          out = value + first_value(m, u);
      if (shares_values(u)) {
        const SharedValues &shared = m.shared[number_of_shared(u)];
        std::fill_n(out, grains_of(shared.size()) * value_grain, Kept(0));
        fill_shared_values(a, u.row, shared, s, order_of(s), out);
        continue;
      }
      natural.resize(p.entries);
      take_group_values(rows, u.row, s, natural.data());
      Kept *const end = order_values(s, order_of(s), natural.data(), out, [&p](int k) { return is_streamed(p, k); });
      std::fill(end, out + grains_of(p.streamed) * value_grain, Kept(0));
    }
  });
}

template <class Scalar, class Kept, class Visit>
void decode_sharing_unit(const Units<Scalar> &m, const Unit &u, const Kept *value, const Visit &visit)
{
  const Pattern                               &p      = m.pattern[u.pattern];
  const auto                                   values = values_of_rows(m.shared[number_of_shared(u)], value + first_value(m, u));
  std::array<std::uint32_t, DeviceGroup::rows> partial{}; // slots of each row so far that not all have
  for_each_slot(m, p, [&](std::size_t number, const auto &lanes) {
    const auto k = static_cast<std::uint32_t>(number) - p.first_slot;
    lanes([&](int lane) {
      const auto row = static_cast<std::size_t>(lane);
      visit(u.row + lane, u.row + lane + m.slot[number].offset, Scalar(values[row][k < p.full ? k : p.full + partial[row]++]));
    });
  });
}

/// `packed`: the values that are not with slots; null: none.
template <class Scalar, class Kept, class Visit>
void decode_slots(const Units<Scalar> &m, const Unit &u, const Kept *packed, const Visit &visit)
{
  for_each_slot(m, m.pattern[u.pattern], [&](std::size_t number, const auto &lanes) {
    const Slot<Scalar> &slot  = m.slot[number];
    const Kept         *value = packed && slot.before != Slot<Scalar>::alone ? packed + slot.before : nullptr;
    lanes([&](int lane) { visit(u.row + lane, u.row + lane + slot.offset, value ? Scalar(*value++) : slot.value); });
  });
}

/// `value`: where the values of units begin.
template <class Scalar, class Kept, class Visit>
void decode_unit(const Units<Scalar> &m, const Unit &u, const Kept *value, const Visit &visit)
{
  const Pattern &p = m.pattern[u.pattern];
  if (shares_values(u)) decode_sharing_unit(m, u, value, visit);
  else if (has_streamed_values(p)) decode_slots(m, u, value + first_value(m, u), visit);
  else decode_slots(m, u, p.first_value == Pattern::by_slot ? nullptr : m.pattern_value.data() + p.first_value, visit);
}

template <> struct HostKind<UnitKind> {
  template <class Scalar, class Index> static void make(const Source<Scalar, Index> &from, Units<Scalar> &m)
  {
    add_units(from.plan, m);
    place_values(from, m);
    m.plain_units = static_cast<std::uint32_t>(m.unit.size());
    if (from.maker) m.unit_value.leave();
    else if (m.unit_value.size() > 0) with_values(m.unit_value, m.rounded_units, [&](auto *first, auto *) { fill_units(from, m, first); });
  }
  template <class Scalar, class Visit> static void decode(const Units<Scalar> &m, const Visit &visit)
  {
    with_values(m.unit_value, m.rounded_units, [&](const auto *first, const auto *) {
      for (const Unit &u : m.unit) decode_unit(m, u, first, visit);
    });
  }
  template <class Scalar, class Index> static bool renew_constants(Units<Scalar> &m, const CsrView<Scalar, Index> &a, int threads)
  {
    return ConstantsRenewal(m, a, threads).run();
  }
  /// Units as "12 (values: with patterns 6, raw 2, shared by rows 3, some of both 1)".
  template <class Scalar> static Facts facts(const Units<Scalar> &m)
  {
    const auto having = [&m](std::uint32_t values) {
      return std::count_if(m.unit.begin(), m.unit.end(), [&](const Unit &u) { return m.pattern[u.pattern].first_value == values; });
    };
    const std::ptrdiff_t shared = std::ssize(m.shared), raw = having(Pattern::streamed) - shared, both = having(Pattern::mixed);
    std::string          text;
    const auto           add = [&text](const char *name, std::ptrdiff_t n) {
      if (n > 0) text += (text.empty() ? " (values: " : ", ") + std::string(name) + " " + std::to_string(n);
    };
    add("with patterns", std::ssize(m.unit) - raw - shared - both);
    add(m.rounded_units ? "rounded to fp32" : "raw", raw);
    add("shared by rows", shared);
    add("some of both", both);
    return {{"units of 128 rows", std::to_string(m.unit.size()) + (text.empty() ? text : text + ")")},
            {"entries in units", std::to_string(m.entries_in_units)},
            {"patterns", std::to_string(m.pattern.size() - 1)}};
  }
};

} // namespace petscspmv::ccoo::image
