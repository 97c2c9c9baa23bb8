#pragma once

/// \file rows_alike.hpp
/// How alike rows that follow each other are, as some of them tell.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/csr_view.hpp"

namespace petscspmv::kernels {

/// Of the rows that were looked at, how many have entries and are like the row behind them in this.
struct RowsAlike {
  int looks   = 0;
  int columns = 0; ///< the same columns, as the rows of a node have
  int offsets = 0; ///< the same columns relative to the row, as stencils have
  int values  = 0;

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
    if (n == 0 || n != a.row_ptr[row + 2] - a.row_ptr[row + 1]) continue;
    const Index distance = col[n] - col[0];
    if ((distance == 0 || distance == 1) && std::equal(col, col + n, col + n, [=](Index p, Index q) { return q - p == distance; }))
      ++(distance == 0 ? alike.columns : alike.offsets);
    alike.values += std::memcmp(a.val + begin, a.val + begin + n, static_cast<std::size_t>(n) * sizeof(Scalar)) == 0;
  }
  return alike;
}

} // namespace petscspmv::kernels
