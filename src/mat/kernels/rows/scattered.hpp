#pragma once

/// \file scattered.hpp
/// Whether entries scatter x, told by the cache lines of x that they touch.
///
/// Who asks counts what it has at hand: lines of some windows of a matrix (csr_order.cpp), lines that differ from the
/// one before in a tile or a chunk (ccoo/plan), sectors of a chunk on a device (ccoo/device/chunk/chunk_order.hpp).
/// What lines cost in another order of rows is for a model of two caches to say (ccoo/order/renumbering.cpp).

#include <algorithm>
#include <cstdint>
#include <vector>

namespace petscspmv::kernels {

/// New cache lines per hundred entries from which on x counts as scattered. Stencils and bands have 2 to 10, meshes 10
/// to 35, shuffled stencils and R-MAT 87 to 99.
inline constexpr std::int64_t scattered_percent = 38;

inline bool is_scattered(std::int64_t lines, std::int64_t entries, std::int64_t percent = scattered_percent)
{
  return lines * 100 > entries * percent;
}

template <class T> void sort_and_unite(std::vector<T> &list)
{
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// The lines, of so many entries of x each, that n entries touch, ascending.
template <class Index> void lines_of(const Index *col, std::int64_t n, Index line_entries, std::vector<Index> &lines)
{
  lines.assign(col, col + n);
  for (Index &c : lines) c /= line_entries;
  sort_and_unite(lines);
}

} // namespace petscspmv::kernels
