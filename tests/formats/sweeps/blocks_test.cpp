// Orders by coloured blocks: that they are orders, that blocks of a colour do not read each other, and which rows are
// together.

#include <algorithm>
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
  if (sorted != natural<std::int32_t>(static_cast<std::size_t>(a.rows))) return "not a permutation";
  if (order.block.back() != a.rows || order.colour.back() != std::ssize(order.block) - 1) return "some rows or blocks are left out";
  const auto block  = block_of(order);
  const auto colour = [&order](std::int32_t b) { return std::upper_bound(order.colour.begin(), order.colour.end(), b); };
  for (std::size_t b = 0; b + 1 < order.block.size(); ++b)
    if (!std::is_sorted(order.row.begin() + order.block[b], order.row.begin() + order.block[b + 1])) return "a block has another order";
  for (const auto &entry : a.entries())
    if (const auto p = block[entry.row], q = block[entry.col]; p != q && colour(p) == colour(q))
      return "blocks of a colour read each other";
  return "";
}

Order ordered(const Matrix &a, std::int32_t node_rows = 1)
{
  return block_order(a.view(), a.val.data(), node_rows, {});
}

std::int32_t largest(const Order &order)
{
  std::int32_t most = 0;
  for (std::size_t b = 0; b + 1 < order.block.size(); ++b) most = std::max(most, order.block[b + 1] - order.block[b]);
  return most;
}

/// A box of n nodes a side, with as many unknowns a node; 7 points, or 27.
Matrix box(std::int32_t n, bool all, std::int32_t unknowns = 1)
{
  return Patterns<double, std::int32_t>::box(n, n, all ? 3 : 1, unknowns);
}

/// The part of a matrix's weight between rows of one block.
double weight_inside(const Matrix &a, const Order &order)
{
  const auto block  = block_of(order);
  double     inside = 0, all = 0;
  for (auto [r, c, v] : a.entries()) {
    if (c == r) continue;
    all += std::abs(v);
    if (block[r] == block[c]) inside += std::abs(v);
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
    EXPECT_GE(largest(order), sweeps::tuning::least_block_rows / 2);
    EXPECT_GT(weight_inside(a, order), all ? 0.4 : 0.6);
  }
}

TEST(Blocks, FollowStrongCouplings)
{
  for (const std::int32_t strong : {1, 20, 400}) { // to the neighbours in one direction
    Matrix a = box(20, false);
    for (auto [r, c, v] : a.entries()) v = std::abs(c - r) == strong ? 100 : 1;
    EXPECT_GT(weight_inside(a, ordered(a)), 0.95) << strong;
    EXPECT_LT(weight_inside(a, block_order<double, std::int32_t>(a.view(), nullptr, 1, {})), 0.9) << "without values all are alike";
  }
}

TEST(Blocks, KeepTheRowsOfANodeTogether)
{
  const Matrix a = box(12, false, 3);
  for (const std::int32_t told : {3, 1}) {
    const Order order = ordered(a, told);
    EXPECT_EQ(wrong(a, order), "");
    EXPECT_EQ(2, std::ssize(order.colour) - 1);
    const auto block = block_of(order);
    for (std::int32_t r = 0; r < a.rows; r += 3) ASSERT_TRUE(block[r] == block[r + 1] && block[r] == block[r + 2]);
  }
}

TEST(Blocks, GrowWhereNeighboursAreFarApart)
{
  const Matrix a = box(20, false), b = permuted(a, shuffled(a.rows));
  EXPECT_EQ(wrong(b, ordered(b)), "");
  EXPECT_GT(weight_inside(b, ordered(b)), 0.5);
}

} // namespace
} // namespace petscspmv::test
