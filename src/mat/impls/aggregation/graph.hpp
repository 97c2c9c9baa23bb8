#pragma once

/// \file graph.hpp
/// The graph of the nodes of a matrix, and lists of distinct numbers in general.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "kernels/kokkos/memory.hpp"

namespace petscspmv::aggregation {

/// Memory for arrays that last as long as it does, in a few large pieces: a device takes as long to allocate an array, and to
/// free it, as for a sweep through a million nodes.
template <class Memory> class Room {
public:
  /// Makes a piece for arrays of so many bytes together.
  void expect(std::size_t bytes) { pieces_.push_back({kernels::new_array<char, Memory>(bytes), 0}); }

  /// n numbers that are not set.
  template <class T> T *take(std::int64_t n)
  {
    constexpr std::size_t alignment = 64, least = std::size_t(1) << 20;
    const std::size_t     bytes    = (static_cast<std::size_t>(n) * sizeof(T) + alignment - 1) / alignment * alignment;
    const auto            has_room = [bytes](const Piece &piece) { return piece.used + bytes <= piece.all.extent(0); };
    if (std::none_of(pieces_.begin(), pieces_.end(), has_room)) expect(std::max(bytes, least));
    Piece &piece = *std::find_if(pieces_.begin(), pieces_.end(), has_room);
    piece.used += bytes;
    return reinterpret_cast<T *>(piece.all.data() + piece.used - bytes);
  }

private:
  struct Piece {
    kernels::KokkosArray<char, Memory> all;
    std::size_t                        used;
  };

  std::vector<Piece> pieces_;
};

/// Calls work(i) for i = 0 .. n - 1.
template <class Exec, class Work> void each(const Exec &exec, std::int64_t n, const Work &work)
{
  Kokkos::parallel_for("petscspmv aggregation", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n), work);
}

/// The sum of what work(i, sum) adds to it.
template <class Exec, class Work> std::int64_t sum_of(const Exec &exec, std::int64_t n, const Work &work)
{
  std::int64_t sum = 0;
  Kokkos::parallel_reduce("petscspmv aggregation", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n), work, sum);
  return sum;
}

/// start[i] becomes the sum of count(k) for k < i: [n + 1]. Returns the sum of all.
template <class Exec, class Index, class Count> std::int64_t sum_before(const Exec &exec, std::int64_t n, Index *start, const Count &count)
{
  std::int64_t sum = 0;
  Kokkos::parallel_scan(
    "petscspmv aggregation", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n + 1),
    KOKKOS_LAMBDA(const std::int64_t i, std::int64_t &before, const bool is_final) {
      if (is_final) start[i] = static_cast<Index>(before);
      if (i < n) before += count(i);
    },
    sum);
  if (sum > std::numeric_limits<Index>::max()) throw FormatError("The prolongator has more entries than PetscInt can number.");
  return sum;
}

/// The first of n ascending numbers that is not below `number`.
template <class Index> KOKKOS_FUNCTION Index place_of(const Index *numbers, Index n, Index number)
{
  Index first = 0;
  while (n > 0) {
    const Index half = n / 2;
    if (numbers[first + half] < number) {
      first += half + 1;
      n -= half + 1;
    } else n = half;
  }
  return first;
}

/// Rows of columns.
template <class Index> struct Pattern {
  const Index *row_ptr, *col;

  KOKKOS_FUNCTION Index size(std::int64_t row) const { return row_ptr[row + 1] - row_ptr[row]; }
};

/// Lists of numbers.
template <class Index> struct Lists {
  Index       *start  = nullptr; ///< [lists + 1]
  Index       *number = nullptr; ///< [size]
  std::int64_t size   = 0;

  Pattern<Index> pattern() const { return {start, number}; }
};

/// For each node, the numbers that key(column) gives for the entries of its rows, ascending and each once, without those
/// below 0.
template <class Memory, class Exec, class Index, class Key>
Lists<Index> distinct(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, Index nodes, Index node_rows, std::int64_t nonzeros,
                      const Key &key)
{
  Index *const all   = room.template take<Index>(nonzeros);
  Index *const count = room.template take<Index>(nodes);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      const Index  begin = a.row_ptr[v * node_rows], end = a.row_ptr[(v + 1) * node_rows];
      Index *const list = all + begin;
      Index        n    = 0;
      for (Index e = begin; e < end; ++e) {
        const Index number = key(a.col[e]);
        if (number < 0 || (n > 0 && list[n - 1] == number)) continue;
        const Index place = place_of(list, n, number);
        if (place < n && list[place] == number) continue;
        for (Index k = n++; k > place; --k) list[k] = list[k - 1];
        list[place] = number;
      }
      count[v] = n;
    });
  Lists<Index> lists;
  Index *const start = lists.start = room.template take<Index>(nodes + 1);
  lists.size                       = sum_before(
                          exec, nodes, start, KOKKOS_LAMBDA(const std::int64_t v) { return count[v]; });
  Index *const number = lists.number = room.template take<Index>(lists.size);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      const Index *const from = all + a.row_ptr[v * node_rows];
      for (Index k = 0; k < count[v]; ++k) number[start[v] + k] = from[k];
    });
  return lists;
}

/// How many nodes are not adjacent to themselves, and how many edges have no counterpart. Columns must ascend in each row.
template <class Exec, class Index> std::pair<std::int64_t, std::int64_t> faults(const Exec &exec, const Pattern<Index> &graph, Index nodes)
{
  const auto has = KOKKOS_LAMBDA(std::int64_t row, Index column)
  {
    const Index *const list = graph.col + graph.row_ptr[row];
    const Index        n = graph.size(row), place = place_of(list, n, column);
    return place < n && list[place] == column;
  };
  const auto lonely = sum_of(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v, std::int64_t &sum) { sum += !has(v, static_cast<Index>(v)); });
  const auto single = sum_of(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v, std::int64_t &sum) {
      for (Index e = graph.row_ptr[v]; e < graph.row_ptr[v + 1]; ++e) sum += !has(graph.col[e], static_cast<Index>(v));
    });
  return {lonely, single};
}

} // namespace petscspmv::aggregation
