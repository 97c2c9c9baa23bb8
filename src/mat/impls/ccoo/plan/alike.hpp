#pragma once

/// \file alike.hpp
/// How alike rows are: some exactly, or those that follow each other, as some of them tell.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/csr_view.hpp"

namespace petscspmv::ccoo {

/// True if rows first .. last - 1 of `a` each have the offsets of the one so many rows before: columns are compared
/// without looking where rows end, for which all of these have to have as many entries.
template <class Scalar, class Index>
bool have_offsets(const CsrView<Scalar, Index> &a, std::int32_t first, std::int32_t last, std::int32_t before)
{
  const Index begin = a.row_ptr[first], end = a.row_ptr[last], shift = begin - a.row_ptr[first - before];
  Index       differ = 0;
  for (std::int32_t row = first + 1; row <= last; ++row) differ |= (a.row_ptr[row] - a.row_ptr[row - before]) ^ shift;
  if (differ != 0) return false;
  for (Index i = begin; i < end; ++i) differ |= (a.col[i] - before) ^ a.col[i - shift];
  return differ == 0;
}

/// True if these rows, each of which has as many entries as the one so many rows before, have the values of those, bit
/// for bit.
template <class Scalar, class Index>
bool have_values(const CsrView<Scalar, Index> &a, std::int64_t first, std::int64_t last, std::int64_t before)
{
  const Index begin = a.row_ptr[first], n = a.row_ptr[last] - begin;
  return std::memcmp(a.val + begin, a.val + a.row_ptr[first - before], static_cast<std::size_t>(n) * sizeof(Scalar)) == 0;
}

/// True if one of the next rows has the values of this one: the next, or the same row of the next node.
template <class Scalar, class Index> bool has_values_again(const CsrView<Scalar, Index> &a, Index row)
{
  constexpr Index nearest = 6;
  const Index     n       = a.row_ptr[row + 1] - a.row_ptr[row];
  for (Index r = row + 1; r < a.rows && r <= row + nearest; ++r)
    if (a.row_ptr[r + 1] - a.row_ptr[r] == n && have_values(a, r, r + 1, r - row)) return true;
  return false;
}

/// Of the rows that were looked at, how many have entries and are like the row behind them in this.
struct RowsAlike {
  int looks   = 0;
  int columns = 0; ///< the same columns, as the rows of a node have
  int offsets = 0; ///< the same columns relative to the row, as stencils have
  int values  = 0; ///< those of one of the next few rows

  bool mostly(int alike) const { return 2 * alike > looks; }
};

/// At places without an order: those at equal distances may all be ends of lines of a grid.
template <class Scalar, class Index> RowsAlike look_at_rows(const CsrView<Scalar, Index> &a)
{
  constexpr std::uint32_t looks = 64, golden = 0x9e3779b1;
  RowsAlike               alike{int(looks)};
  for (std::uint32_t look = 0; look < looks && a.rows > 1; ++look) {
    const auto  row   = static_cast<Index>(std::uint64_t(look * golden) * static_cast<std::uint64_t>(a.rows - 1) >> 32);
    const Index begin = a.row_ptr[row], n = a.row_ptr[row + 1] - begin, *const col = a.col + begin;
    if (n == 0) continue;
    alike.values += has_values_again(a, row);
    if (n != a.row_ptr[row + 2] - a.row_ptr[row + 1]) continue;
    const Index distance = col[n] - col[0];
    if ((distance == 0 || distance == 1) && std::equal(col, col + n, col + n, [=](Index p, Index q) { return q - p == distance; }))
      ++(distance == 0 ? alike.columns : alike.offsets);
  }
  return alike;
}

} // namespace petscspmv::ccoo
