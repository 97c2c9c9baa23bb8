#pragma once

/// \file diagonal.hpp
/// Tiles of rows that look alike when columns are counted from the diagonal: eight rows side by side share a list of
/// slots.
///
/// A slot is a column offset (column - row) and the lanes whose rows have it. x of a slot is then eight neighbouring
/// entries, read by one load; there is no column index. Four rows of a grid, with groups of four for the picture:
///
///     row 4:    3 4 5   8        slots    -1  lanes 0 1 2 .
///     row 5:    4 5 6   9                  0  lanes 0 1 2 3
///     row 6:    5 6 7                     +1  lanes 0 1 2 3
///     row 7:      7 8  11                 +4  lanes 0 1 . 3
///
/// Lists of slots, together with their values where that takes less memory, are kept once for the whole matrix
/// (patterns); a tile is a list of runs of groups with the same pattern.

#include <array>
#include <cstddef>
#include <cstdint>

#include "impls/ccoo/plan/group.hpp"
#include "impls/ccoo/ccoo_layout.hpp"

namespace petscspmv::ccoo {

template <class Scalar> [[gnu::always_inline]] inline SlotView<LaneMask> slots_of(const Layout<Scalar> &m, const Pattern &p)
{
  return {p.slots, m.slot_offset + p.first_slot, m.slot_lanes + p.first_slot};
}

/// Calls visit(slot, lane) for each entry of a group in the order in which values are kept.
template <class Mask, class Visit> void for_each_slot_lane(const SlotView<Mask> &s, const Visit &visit)
{
  for (int k = 0; k < s.slots; ++k) for_each_lane(s.lanes[k], [&](int lane) { visit(k, lane); });
}

/// True if the values of slot k are in the tile's values.
inline bool is_streamed(const Pattern &p, int k)
{
  return p.values == PatternValues::streamed || (p.values == PatternValues::mixed && (p.streams >> k & 1) != 0);
}

/// Where the values of the rows of a group begin, from `row` on, that has all its rows.
template <class Window> auto rows_of_group(const Window &a, Local row)
{
  std::array<decltype(a[0]), group_rows> first;
  for (std::size_t l = 0; l < group_rows; ++l) first[l] = a[row + static_cast<Local>(l)];
  return first;
}

/// Calls visit(slot, value) for each entry of the rows of a group, from `row` on, slot by slot.
template <class Window, class Mask, class Visit>
void for_each_group_value(const Window &a, Local row, const SlotView<Mask> &s, const Visit &visit)
{
  constexpr int  rows = 8 * sizeof(Mask);
  decltype(a[0]) next[rows];
  for (int l = 0; l < rows; ++l) next[l] = row + l < a.rows() ? a[row + l] : nullptr;
  for (int k = 0; k < s.slots; ++k) {
    if (s.lanes[k] == all_lanes<Mask>)
      for (auto &value : next) visit(k, *value++);
    else for_each_lane(s.lanes[k], [&](int l) { visit(k, *next[l]++); });
  }
}

/// These values; returns where they end.
template <class Window, class Mask, class Scalar>
Scalar *take_group_values(const Window &a, Local row, const SlotView<Mask> &s, Scalar *out)
{
  for_each_group_value(a, row, s, [&out](int, Scalar value) { *out++ = value; });
  return out;
}

/// Calls visit(pattern, row) for each group of a tile.
template <class Scalar, class Visit> void for_each_group(const Layout<Scalar> &m, const Tile &t, const Visit &visit)
{
  Local row = t.row;
  for (std::size_t s = t.diagonal.strip; s < t.diagonal.strip + t.diagonal.strips; ++s)
    for (std::size_t g = 0; g < strip_groups && row < t.row + t.rows; ++g, row += group_rows)
      visit(m.pattern[m.strip_pattern[m.tile_strip[s] * std::size_t(strip_groups) + g]], row);
  for (const Run *r = m.run + t.diagonal.run, *end = r + t.diagonal.runs; r < end; ++r)
    for (std::uint32_t g = 0; g < r->groups; ++g, row += group_rows) visit(m.pattern[r->pattern], row);
}

/// Those of the values of a group that its pattern has not; returns where they end.
template <class Window, class Scalar>
Scalar *take_streamed_values(const Window &a, Local row, const SlotView<LaneMask> &s, const Pattern &p, Scalar *out)
{
  if (p.full) {
    const auto rows = rows_of_group(a, row);
    for (int k = 0; k < s.slots; ++k)
      if (is_streamed(p, k))
        for (const Scalar *first : rows) *out++ = first[k];
    return out;
  }
  if (p.values == PatternValues::streamed) return take_group_values(a, row, s, out);
  for_each_group_value(a, row, s, [&](int k, Scalar value) {
    if (is_streamed(p, k)) *out++ = value;
  });
  return out;
}

/// The values of a tile that are not with its patterns, in the order in which they are kept.
template <class Window, class Scalar> void take_diagonal_values(const Window &a, const Layout<Scalar> &m, const Tile &t, Scalar *out)
{
  for_each_group(m, t, [&](const Pattern &p, Local row) {
    if (p.streamed > 0) out = take_streamed_values(a, row, slots_of(m, p), p, out);
  });
}

/// Calls visit(row, column, value) for each entry of a tile.
template <class Scalar, class Values, class Visit>
void decode_diagonal(const Layout<Scalar> &m, const Tile &t, const Values &values, const Visit &visit)
{
  std::int64_t q = 0;
  for_each_group(m, t, [&](const Pattern &p, Local row) {
    const auto    s     = slots_of(m, p);
    const Scalar *value = m.pattern_value + p.first_value;
    std::size_t   i     = 0;
    for_each_slot_lane(
      s, [&](int k, int l) { visit(row + l, row + l + s.offset[k], is_streamed(p, k) ? values[q++] : value[value_place(p, k, i++)]); });
  });
}

} // namespace petscspmv::ccoo
