#pragma once

/// \file pattern_changes.hpp
/// Another pattern in the same arrays, as PETSc writes it without a word.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_matrix.hpp"

namespace petscspmv::test {

/// Changes of a pattern with as many rows, columns and entries: what each is called, and the changed matrix. None where
/// the matrix allows of none.
template <class Scalar, class Index>
std::vector<std::pair<std::string, CsrMatrix<Scalar, Index>>> pattern_changes(const CsrMatrix<Scalar, Index> &a, unsigned seed)
{
  std::vector<std::pair<std::string, CsrMatrix<Scalar, Index>>> all;
  Random<Scalar>                                                random(seed);
  const auto                                                    add = [&](const char *name, const auto &change) {
    auto changed = a;
    change(changed);
    changed.node_ptr.clear();
    if (changed.col != a.col || changed.row_ptr != a.row_ptr) all.emplace_back(name, std::move(changed));
  };
  if (a.col.empty()) return all;
  const auto entry = static_cast<std::size_t>(random.integer(0, std::ssize(a.col) - 1));
  add("one column", [&](auto &m) { m.col[entry] = static_cast<Index>((m.col[entry] + 1) % m.cols); });
  add("two columns in turns", [&](auto &m) { std::swap(m.col[entry], m.col.back()); });
  add("all columns", [&](auto &m) {
    for (Index &c : m.col) c = static_cast<Index>(random.integer(0, m.cols - 1));
  });
  add("columns from behind", [](auto &m) { std::reverse(m.col.begin(), m.col.end()); });
  if (a.rows < 2) return all;
  const auto row = static_cast<std::size_t>(random.integer(1, a.rows - 1));
  add("an entry of the next row", [&](auto &m) { m.row_ptr[row] = std::min(m.row_ptr[row] + 1, m.row_ptr[row + 1]); });
  add("rows from behind", [](auto &m) {
    const auto before = m.row_ptr;
    for (std::size_t r = 0; r < before.size(); ++r) m.row_ptr[r] = before.back() - before[before.size() - 1 - r];
  });
  add("all in one row", [&](auto &m) {
    for (std::size_t r = 1; r < m.row_ptr.size(); ++r) m.row_ptr[r] = r <= row ? 0 : m.row_ptr.back();
  });
  return all;
}

} // namespace petscspmv::test
