#pragma once

/// \file swept_matrices.hpp
/// Matrices and orders for sweeps.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "support/matrices.hpp"

namespace petscspmv::test {

/// A pattern made square, with ascending columns and its diagonal.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> swept_pattern(const CsrMatrix<Scalar, Index> &pattern)
{
  const Index n = std::max(pattern.rows, pattern.cols);
  return Patterns<Scalar, Index>::by_rows(n, n, [&pattern](Index r) {
    auto columns = r < pattern.rows ? pattern.row(r) : std::vector<Index>();
    columns.push_back(r);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
  });
}

/// 0, 1, .. of so many rows.
template <class Index> std::vector<Index> natural(std::size_t rows)
{
  std::vector<Index> order(rows);
  std::iota(order.begin(), order.end(), Index(0));
  return order;
}

/// The same in no order.
template <class Index> std::vector<Index> shuffled(Index rows)
{
  auto order = natural<Index>(static_cast<std::size_t>(rows));
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  return order;
}

/// Where in an order each row is.
template <class Index> std::vector<Index> places(const std::vector<Index> &order)
{
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Index>(k);
  return place;
}

/// A matrix with its rows and columns in an order.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> permuted(const CsrMatrix<Scalar, Index> &a, const std::vector<Index> &order)
{
  const auto                           place = places(order);
  std::vector<std::map<Index, Scalar>> rows(order.size());
  CsrMatrix<Scalar, Index>             b;
  b.cols = a.cols;
  for (auto [r, c, v] : a.entries()) rows[place[r]][place[c]] = v;
  for (const auto &row : rows) {
    std::vector<Index> columns;
    columns.reserve(row.size());
    for (const auto &entry : row) columns.push_back(entry.first);
    b.add_row(columns);
    std::transform(row.begin(), row.end(), b.val.end() - std::ssize(row), [](const auto &entry) { return entry.second; });
  }
  return b;
}

} // namespace petscspmv::test
