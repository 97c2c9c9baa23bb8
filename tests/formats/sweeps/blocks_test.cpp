// Orders by coloured blocks: that they are orders, that blocks of a colour do not read each other, and which rows are together.

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "impls/sweeps/blocks.hpp"
#include "impls/sweeps/sweeps_tuning.hpp"
#include "support/matrices.hpp"
#include "swept_matrices.hpp"

namespace petscspmv::test {
namespace {

using Matrix = CsrMatrix<double, std::int32_t>;
using Order  = BlockOrder<std::int32_t>;

/// The block of each row.
std::vector<std::int32_t> block_of(const Order &order)
{
  std::vector<std::int32_t> of(order.row.size());
  for (std::size_t b = 0; b + 1 < order.block.size(); ++b)
    for (auto k = order.block[b]; k < order.block[b + 1]; ++k) of[order.row[k]] = static_cast<std::int32_t>(b);
  return of;
}

/// Empty if it is an order of coloured blocks of a matrix.
std::string wrong(const Matrix &a, const Order &order)
{
  auto sorted = order.row;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> all(static_cast<std::size_t>(a.rows));
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) return "not a permutation";
  if (order.block.back() != a.rows || order.colour.back() != std::ssize(order.block) - 1) return "some rows or blocks are left out";
  const auto block  = block_of(order);
  const auto colour = [&order](std::int32_t b) { return std::upper_bound(order.colour.begin(), order.colour.end(), b); };
  for (std::size_t b = 0; b + 1 < order.block.size(); ++b)
    if (!std::is_sorted(order.row.begin() + order.block[b], order.row.begin() + order.block[b + 1])) return "a block has another order";
  for (std::int32_t r = 0; r < a.rows; ++r)
    for (auto i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i)
      if (const auto p = block[r], q = block[a.col[i]]; p != q && colour(p) == colour(q)) return "blocks of a colour read each other";
  return "";
}

Order ordered(const Matrix &a, std::int32_t node_rows = 1)
{
  return block_order(a.view(), a.val.data(), node_rows);
}

std::int32_t largest(const Order &order)
{
  std::int32_t most = 0;
  for (std::size_t b = 0; b + 1 < order.block.size(); ++b) most = std::max(most, order.block[b + 1] - order.block[b]);
  return most;
}

/// A box of n nodes a side, with as many unknowns a node, whose couplings have a weight for each direction; 7 points, or 27.
Matrix box(std::int32_t n, bool all, std::array<double, 3> weight = {1, 1, 1}, std::int32_t unknowns = 1)
{
  Matrix a;
  a.cols = n * n * n * unknowns;
  for (std::int32_t r = 0; r < a.cols; ++r) {
    const std::int32_t        node = r / unknowns, x = node % n, y = node / n % n, z = node / n / n;
    std::vector<std::int32_t> columns;
    std::vector<double>       values;
    for (const std::int32_t k : {-1, 0, 1})
      for (const std::int32_t j : {-1, 0, 1})
        for (const std::int32_t i : {-1, 0, 1}) {
          if (!all && std::abs(i) + std::abs(j) + std::abs(k) > 1) continue;
          if (std::min({x + i, y + j, z + k}) < 0 || std::max({x + i, y + j, z + k}) >= n) continue;
          for (std::int32_t u = 0; u < unknowns; ++u) {
            columns.push_back((node + i + n * (j + n * k)) * unknowns + u);
            values.push_back(i ? weight[0] : j ? weight[1] : weight[2]);
          }
        }
    a.add_row(columns);
    std::copy(values.begin(), values.end(), a.val.end() - std::ssize(values));
  }
  return a;
}

/// The part of a matrix's weight between rows of one block.
double weight_inside(const Matrix &a, const Order &order)
{
  const auto block  = block_of(order);
  double     inside = 0, all = 0;
  for (std::int32_t r = 0; r < a.rows; ++r)
    for (auto i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) {
      if (a.col[i] == r) continue;
      all += std::abs(a.val[i]);
      if (block[r] == block[a.col[i]]) inside += std::abs(a.val[i]);
    }
  return inside / all;
}

TEST(Blocks, AreAnOrderOfAnyMatrix)
{
  for (const auto &named : matrices<double, std::int32_t>())
    if (!named.large) {
      SCOPED_TRACE(named.name);
      const auto a = swept_pattern(named.pattern());
      for (const std::int32_t node_rows : {1, 3}) {
        const Order order = ordered(a, node_rows);
        ASSERT_EQ(wrong(a, order), "");
        EXPECT_LE(largest(order), sweeps::tuning::block_rows);
        EXPECT_EQ(order.row, ordered(a, node_rows).row) << "the same matrix has the same order";
      }
    }
}

TEST(Blocks, OfAGridAreBoxesOfFewColours)
{
  for (const bool all : {false, true}) {
    const Matrix a     = box(20, all);
    const Order  order = ordered(a);
    EXPECT_EQ(wrong(a, order), "");
    EXPECT_EQ(all ? 8 : 2, std::ssize(order.colour) - 1);
    EXPECT_GT(largest(order), sweeps::tuning::block_rows / 2);
    EXPECT_GT(weight_inside(a, order), all ? 0.4 : 0.6);
  }
}

TEST(Blocks, FollowStrongCouplings)
{
  for (std::size_t strong = 0; strong < 3; ++strong) {
    std::array<double, 3> weight{1, 1, 1};
    weight[strong] = 100;
    const Matrix a = box(20, false, weight);
    EXPECT_GT(weight_inside(a, ordered(a)), 0.95) << strong;
    EXPECT_LT(weight_inside(a, block_order<double, std::int32_t>(a.view(), nullptr, 1)), 0.9) << "without values all are alike";
  }
}

TEST(Blocks, KeepTheRowsOfANodeTogether)
{
  const Matrix a     = box(12, false, {1, 1, 1}, 3);
  const Order  order = ordered(a, 3);
  EXPECT_EQ(wrong(a, order), "");
  EXPECT_EQ(2, std::ssize(order.colour) - 1);
  const auto block = block_of(order);
  for (std::int32_t r = 0; r < a.rows; r += 3) ASSERT_TRUE(block[r] == block[r + 1] && block[r] == block[r + 2]);
}

TEST(Blocks, GrowWhereNeighboursAreFarApart)
{
  const Matrix              a     = box(20, false);
  const auto                order = shuffled(a.rows);
  std::vector<std::int32_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::int32_t>(k);
  Matrix b;
  b.cols = a.cols;
  for (const auto r : order) {
    std::vector<std::int32_t> columns;
    for (auto i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) columns.push_back(place[a.col[i]]);
    std::sort(columns.begin(), columns.end());
    b.add_row(columns);
  }
  EXPECT_EQ(wrong(b, ordered(b)), "");
  EXPECT_GT(weight_inside(b, ordered(b)), 0.5);
}

} // namespace
} // namespace petscspmv::test
