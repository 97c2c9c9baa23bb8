/// \file layouts_test.cpp
/// Layouts that peers take their matrices in: every entry is where its format says, once.

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "generators/generator.hpp"
#include "matrix/blocks.hpp"
#include "matrix/sliced_ell.hpp"

using namespace petscspmv::bench;

namespace {

/// Entries by row and column.
using Entries = std::vector<std::tuple<Index, Index, double>>;

std::vector<double> tripled(const CsrMatrix &a)
{
  std::vector<double> values = a.val;
  for (double &v : values) v *= 3;
  return values;
}

Entries entries_of(const CsrMatrix &a, const std::vector<double> &values)
{
  Entries list;
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[std::size_t(r)]; k < a.row_ptr[std::size_t(r) + 1]; ++k)
      list.emplace_back(r, a.col[std::size_t(k)], values[std::size_t(k)]);
  return list;
}

} // namespace

TEST(SlicedEll, HoldsEveryEntryInItsRow)
{
  for (const char *call : {"5pt:7", "circuit:300,long=2,share=0.5", "lp:20x50", "rmat:6"}) {
    const CsrMatrix a      = parse_generator(call).generate();
    const auto      values = tripled(a);
    const SlicedEll s      = to_sliced_ell(a, values, 4);
    Entries         found;
    for (std::size_t slice = 0; slice + 1 < s.slice_ptr.size(); ++slice)
      for (Index k = s.slice_ptr[slice]; k < s.slice_ptr[slice + 1]; ++k)
        if (s.col[std::size_t(k)] >= 0)
          found.emplace_back(Index(slice) * 4 + (k - s.slice_ptr[slice]) % 4, s.col[std::size_t(k)], s.val[std::size_t(k)]);
        else EXPECT_EQ(s.val[std::size_t(k)], 0) << "an empty place must not contribute";
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, entries_of(a, values)) << call;
    EXPECT_EQ(Index(s.slice_ptr.size()), (a.rows + 3) / 4 + 1) << call;
    EXPECT_EQ(std::int64_t(s.val.size()), sliced_ell_places(a, 4)) << call;
  }
}

TEST(SlicedEll, ASliceIsAsWideAsItsLongestRow)
{
  CsrMatrix a;
  a.rows = a.cols = 5;
  a.row_ptr       = {0, 1, 4, 4, 5, 7};
  a.col           = {0, 0, 1, 2, 3, 0, 4};
  a.val           = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(sliced_ell_places(a, 2), 2 * 3 + 2 * 1 + 2 * 2);
  const SlicedEll s = to_sliced_ell(a, a.val, 2);
  EXPECT_EQ(s.slice_ptr, (std::vector<Index>{0, 6, 8, 12}));
  EXPECT_EQ(s.col, (std::vector<Index>{0, 0, -1, 1, -1, 2, -1, 3, 0, -1, 4, -1}));
  EXPECT_EQ(s.val, (std::vector<double>{1, 2, 0, 3, 0, 4, 0, 5, 6, 0, 7, 0}));
}

TEST(Blocks, HoldEveryEntryInItsPlace)
{
  const CsrMatrix a      = parse_generator("27pt:3,b=3").generate();
  const auto      values = tripled(a);
  const Blocks    blocks = to_blocks(a, values, 3);
  Entries         found;
  for (std::size_t row = 0; row + 1 < blocks.row_ptr.size(); ++row)
    for (Index k = blocks.row_ptr[row]; k < blocks.row_ptr[row + 1]; ++k)
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j)
          if (const double v = blocks.val[(std::size_t(k) * 3 + std::size_t(i)) * 3 + std::size_t(j)]; v != 0)
            found.emplace_back(Index(row) * 3 + i, blocks.col[std::size_t(k)] * 3 + j, v);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, entries_of(a, values));
}
