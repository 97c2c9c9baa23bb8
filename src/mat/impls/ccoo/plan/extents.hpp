#pragma once

/// \file extents.hpp
/// How far a tile goes: so many rows as the rules say, whole nodes where there are any.

#include <algorithm>

#include "core/csr_view.hpp"
#include "impls/ccoo/plan/rules.hpp"

namespace petscspmv::ccoo {

/// A tile of rows from `row` on and before `last`, as far as it goes, with the rows of its nodes. A tile without nodes
/// does not end in the middle of one, which would break all that follow.
template <class Group, class View> typename Group::Tile begin_tile(const View &a, const Rules &rules, Local row, Local last)
{
  typename Group::Tile t{row, std::min<Local>(rules.rows, last - row)};
  const auto           length    = [&](Local r) { return a.row_ptr[r + 1] - a.row_ptr[r]; };
  const auto           continues = [&](Local r) { // a node
    const auto *const before = a.col + a.row_ptr[r - 1], *const own = a.col + a.row_ptr[r];
    return length(r - 1) == length(r) && std::equal(before, own, own);
  };
  const auto whole_nodes = [&](int b) { // rows of the tile if all of them are in nodes of b rows, else 0
    const Local n = row + t.rows < last ? t.rows / (Group::rows * b) * (Group::rows * b) : t.rows;
    if (n == 0 || n % b != 0) return 0;
    for (Local i = 0; i < n; ++i)
      if (i % b != 0 && !continues(row + i)) return 0;
    return n;
  };
  if (rules.stride > 0) t.rows = std::min<Local>(t.rows, rules.stride - row % rules.stride);
  for (int b = rules.node; b > 1; --b)
    if (const Local n = whole_nodes(b); n > 0) {
      t.rows        = n;
      t.gather.node = static_cast<std::uint8_t>(b);
      return t;
    }
  if (row + t.rows == last || t.rows <= 2 * rules.node) return t;
  for (Local n = t.rows; n > t.rows - rules.node; --n)
    if (length(row + n) == 0 || !continues(row + n)) {
      t.rows = n;
      break;
    }
  return t;
}

} // namespace petscspmv::ccoo
