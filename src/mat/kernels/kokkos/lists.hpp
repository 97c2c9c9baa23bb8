#pragma once

/// \file lists.hpp
/// Lists of numbers of unequal lengths, made by a thread each: patterns of matrices, and what is like them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/csr_view.hpp"
#include "core/errors.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv::kernels {
// Each source has these for itself: nvcc keeps what it needs to copy a lambda for both sides in a place of its own in
// each object, and functions that the linker takes from another one would not find it.
namespace {

/// Memory for arrays that last as long as it does, in a few large pieces: a device takes as long to allocate an array,
/// and to free it, as for a sweep through a million nodes.
template <class Memory> class Room {
public:
  /// Makes a piece for arrays of so many bytes together.
  void expect(std::size_t bytes) { pieces_.push_back({new_array<char, Memory>(bytes), 0}); }

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
    KokkosArray<char, Memory> all;
    std::size_t               used;
  };

  std::vector<Piece> pieces_;
};

/// Calls work(i) for i = 0 .. n - 1.
template <class Exec, class Work> void each(const Exec &exec, std::int64_t n, const Work &work)
{
  Kokkos::parallel_for("petscspmv lists", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n), work);
}

/// The sum of what work(i, sum) adds to it.
template <class Exec, class Work> std::int64_t sum_of(const Exec &exec, std::int64_t n, const Work &work)
{
  std::int64_t sum = 0;
  Kokkos::parallel_reduce("petscspmv lists", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n), work, sum);
  return sum;
}

/// The largest of work(i), or 0.
template <class Exec, class Work> std::int64_t most_of(const Exec &exec, std::int64_t n, const Work &work)
{
  std::int64_t most = 0;
  Kokkos::parallel_reduce(
    "petscspmv lists", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
    KOKKOS_LAMBDA(const std::int64_t i, std::int64_t &largest) {
      const std::int64_t own = work(i);
      largest                = own > largest ? own : largest;
    },
    Kokkos::Max<std::int64_t>(most));
  return std::max<std::int64_t>(most, 0);
}

/// What sums in sum_before() and queue_sum_before() do.
template <class Index, class Count> struct SumBefore {
  std::int64_t n;
  Index       *start;
  Count        count;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t &before, bool is_final) const
  {
    if (is_final) start[i] = static_cast<Index>(before);
    if (i < n) before += count(i);
  }
};

/// start[i] becomes the sum of count(k) for k < i: [n + 1]. Does not wait.
template <class Exec, class Index, class Count> void queue_sum_before(const Exec &exec, std::int64_t n, Index *start, const Count &count)
{
  Kokkos::parallel_scan("petscspmv lists", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n + 1),
                        SumBefore<Index, Count>{n, start, count});
}

/// The same. Returns the sum of all, for which it waits.
template <class Exec, class Index, class Count> std::int64_t sum_before(const Exec &exec, std::int64_t n, Index *start, const Count &count)
{
  std::int64_t sum = 0;
  Kokkos::parallel_scan("petscspmv lists", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n + 1),
                        SumBefore<Index, Count>{n, start, count}, sum);
  if (sum > std::numeric_limits<Index>::max()) throw FormatError("A matrix that is to be made has more entries than PetscInt can number.");
  return sum;
}

/// The first of n ascending numbers that is not below `number`.
template <class Index> KOKKOS_FUNCTION Index place_of(const Index *numbers, Index n, Index number)
{
  Index first = 0;
  for (; n > 1; n -= n / 2) first = numbers[first + n / 2 - 1] < number ? first + n / 2 : first; // without a branch that nobody can predict
  return first + (n == 1 && numbers[first] < number);
}

/// Rows of columns.
template <class Index> struct Pattern {
  const Index *row_ptr = nullptr, *col = nullptr;

  KOKKOS_FUNCTION Index size(std::int64_t row) const { return row_ptr[row + 1] - row_ptr[row]; }
};

/// That of a matrix, in the memory of a place, where it must be.
template <class Place, class Scalar, class Index> Pattern<Index> pattern_at(const CsrView<Scalar, Index> &a)
{
  if constexpr (std::is_same_v<typename Place::Memory, Kokkos::HostSpace>) return {a.row_ptr, a.col};
  else return {a.device_row_ptr, a.device_col};
}

/// Lists of numbers.
template <class Index> struct Lists {
  Index       *start  = nullptr; ///< [lists + 1]
  Index       *number = nullptr; ///< [size]
  std::int64_t size   = 0;

  Pattern<Index> pattern() const { return {start, number}; }
};

/// The order of numbers.
struct Ascending {
  template <class Index> KOKKOS_FUNCTION bool operator()(Index a, Index b) const { return a < b; }
};

/// Sorts n numbers in place, whatever n is (Williams' heapsort), unless they are.
template <class Index, class Less> KOKKOS_FUNCTION void sort(Index *list, Index n, const Less &less)
{
  Index sorted = 1;
  while (sorted < n && !less(list[sorted], list[sorted - 1])) ++sorted;
  if (sorted >= n) return;
  const auto sink = [&](Index k, Index end) {
    for (Index child = 2 * k + 1; child < end; k = child, child = 2 * k + 1) {
      if (child + 1 < end && less(list[child], list[child + 1])) ++child;
      if (!less(list[k], list[child])) return;
      const Index number = list[k];
      list[k]            = list[child];
      list[child]        = number;
    }
  };
  for (Index k = n / 2; k-- > 0;) sink(k, n);
  for (Index end = n - 1; end > 0; --end) {
    const Index number = list[0];
    list[0]            = list[end];
    list[end]          = number;
    sink(0, end);
  }
}

/// Lists sorted into other arrays, each by the lanes of a thread: a number's place is how many are less. Where a thread
/// sorts by itself, all wait for the longest list, and each of its steps for the memory.
template <class Index, class Less> struct SortedByLanes {
  Lists<Index> lists;
  Index       *sorted;
  Index        n;
  Less         less;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    constexpr Index    most = 4096; // numbers, of which each is compared with all
    const std::int64_t k    = std::int64_t(member.league_rank()) * member.team_size() + member.team_rank();
    if (k >= n) return;
    const Index        size = lists.start[k + 1] - lists.start[k];
    const Index *const from = lists.number + lists.start[k];
    Index *const       to   = sorted + lists.start[k];
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, size), [&](const Index e) {
      Index place = size <= most ? 0 : e;
      for (Index other = 0; size <= most && other < size; ++other) place += less(from[other], from[e]);
      to[place] = from[e];
    });
    if (size > most) Kokkos::single(Kokkos::PerThread(member), [&] { sort(to, size, less); });
  }
};

/// Room for lists of size_of(list) numbers.
template <class Memory, class Exec, class Index, class Size>
Lists<Index> room_for(const Exec &exec, Room<Memory> &room, std::int64_t lists, const Size &size_of)
{
  Lists<Index> made;
  made.start  = room.template take<Index>(lists + 1);
  made.size   = sum_before(exec, lists, made.start, size_of);
  made.number = room.template take<Index>(made.size);
  return made;
}

/// Lists of distinct numbers, ascending: those that each_of(list, add) gives to add(number), for each list. `most` has
/// room for all that it adds: list k begins at most.start[k].
template <class Memory, class Exec, class Index, class Each>
Lists<Index> distinct(const Exec &exec, Room<Memory> &room, std::int64_t lists, const Lists<Index> &most, const Each &each_of)
{
  auto *const count = room.template take<Index>(lists);
  each(
    exec, lists, KOKKOS_LAMBDA(const std::int64_t k) {
      Index *const list = most.number + most.start[k];
      Index        n    = 0;
      each_of(k, [&](const Index number) {
        Index place = n; // of most, for many lists ascend
        if (n > 0 && number <= list[n - 1]) place = place_of(list, n, number);
        if (place < n && list[place] == number) return;
        for (Index e = n++; e > place; --e) list[e] = list[e - 1];
        list[place] = number;
      });
      count[k] = n;
    });
  const Lists<Index> made = room_for<Memory, Exec, Index>(
    exec, room, lists, KOKKOS_LAMBDA(const std::int64_t k) { return count[k]; });
  each(
    exec, lists, KOKKOS_LAMBDA(const std::int64_t k) {
      const Index *const from = most.number + most.start[k];
      for (Index e = 0; e < count[k]; ++e) made.number[made.start[k] + e] = from[e];
    });
  return made;
}

/// Numbers 0 .. n - 1 by their keys, which are below `keys`, and those of a key ascending: [n]. Keys are in this order
/// then, too. A bit after the other, the least first.
template <class Memory, class Exec, class Index>
Index *by_keys(const Exec &exec, Room<Memory> &room, Index n, std::int64_t *key, std::int64_t keys)
{
  auto *number = room.template take<Index>(n), *next = room.template take<Index>(n), *const zeros = room.template take<Index>(n + 1);
  auto *const keys_given = key, *next_key = room.template take<std::int64_t>(n);
  each(
    exec, n, KOKKOS_LAMBDA(const std::int64_t i) { number[i] = static_cast<Index>(i); });
  for (int bit = 0; (keys - 1) >> bit > 0; ++bit, std::swap(number, next), std::swap(key, next_key)) {
    const auto bit_of = KOKKOS_LAMBDA(const std::int64_t i)
    {
      return static_cast<int>(key[i] >> bit & 1);
    };
    queue_sum_before(
      exec, n, zeros, KOKKOS_LAMBDA(const std::int64_t i) { return 1 - bit_of(i); });
    each(
      exec, n, KOKKOS_LAMBDA(const std::int64_t i) {
        const Index to = bit_of(i) ? zeros[n] + static_cast<Index>(i) - zeros[i] : zeros[i]; // ones begin behind all zeros
        next[to]       = number[i];
        next_key[to]   = key[i];
      });
  }
  if (key != keys_given)
    each(
      exec, n, KOKKOS_LAMBDA(const std::int64_t i) { next_key[i] = key[i]; });
  return number;
}

/// What key(column) gives for the entries of a node of `node_rows` rows, but for numbers below 0.
template <class Index, class Key> struct KeysOfNode {
  Pattern<Index> a;
  Index          node_rows;
  Key            key;

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t v, const Add &add) const
  {
    for (Index e = a.row_ptr[v * node_rows]; e < a.row_ptr[(v + 1) * node_rows]; ++e)
      if (const Index number = key(a.col[e]); number >= 0) add(number);
  }
};

/// For each node of `node_rows` rows, the numbers that key(column) gives for the entries of its rows, without those
/// below 0.
template <class Memory, class Exec, class Index, class Key>
Lists<Index> distinct_of_rows(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, Index nodes, Index node_rows,
                              std::int64_t nonzeros, const Key &key)
{
  const Lists<Index> most =
    node_rows == 1
      ? Lists<Index>{const_cast<Index *>(a.row_ptr), room.template take<Index>(nonzeros), nonzeros}
      : room_for<Memory, Exec, Index>(
          exec, room, nodes, KOKKOS_LAMBDA(const std::int64_t v) { return a.row_ptr[(v + 1) * node_rows] - a.row_ptr[v * node_rows]; });
  return distinct(exec, room, nodes, most, KeysOfNode<Index, Key>{a, node_rows, key});
}

/// The nodes of `node_cols` columns that the rows of each node reach.
template <class Memory, class Exec, class Index>
Lists<Index> nodes_of(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, Index nodes, Index node_rows, Index node_cols,
                      std::int64_t nonzeros)
{
  return distinct_of_rows(
    exec, room, a, nodes, node_rows, nonzeros, KOKKOS_LAMBDA(const Index column) { return column / node_cols; });
}

/// The items of each group, sorted by `less`; group[item] is below 0 if it is in none.
template <class Memory, class Exec, class Index, class Less>
Lists<Index> grouped(const Exec &exec, Room<Memory> &room, std::int64_t items, Index groups, const Index *group, const Less &less)
{
  auto *const size = room.template take<Index>(groups);
  each(
    exec, groups, KOKKOS_LAMBDA(const std::int64_t g) { size[g] = 0; });
  each(
    exec, items, KOKKOS_LAMBDA(const std::int64_t item) {
      if (group[item] >= 0) Kokkos::atomic_inc(&size[group[item]]);
    });
  const Lists<Index> lists = room_for<Memory, Exec, Index>(
    exec, room, groups, KOKKOS_LAMBDA(const std::int64_t g) { return size[g]; });
  each(
    exec, items, KOKKOS_LAMBDA(const std::int64_t item) { // ascending if there is one thread, and sorted below
      const Index g = group[item];
      if (g >= 0) lists.number[lists.start[g + 1] - Kokkos::atomic_fetch_add(&size[g], Index(-1))] = static_cast<Index>(item);
    });
  if constexpr (is_host_space<Exec>) {
    each(exec, groups, [=](const std::int64_t g) { sort(lists.number + lists.start[g], lists.start[g + 1] - lists.start[g], less); });
    return lists;
  } else {
    constexpr int rows = 16, lanes = 8;
    auto *const   sorted = room.template take<Index>(lists.size);
    if (groups > 0)
      Kokkos::parallel_for("petscspmv lists", league_of_teams(exec, (std::int64_t(groups) + rows - 1) / rows, rows, lanes),
                           SortedByLanes<Index, Less>{lists, sorted, groups, less});
    return {lists.start, sorted, lists.size};
  }
}

/// The columns of a pattern: which rows have an entry in them, ascending, and which of its entries that is.
template <class Index> struct PatternByColumns {
  Pattern<Index> rows;
  const Index   *entry;
};

/// Of a pattern with so many entries.
template <class Memory, class Exec, class Index>
PatternByColumns<Index> columns_of(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, Index rows, Index cols,
                                   std::int64_t entries)
{
  auto *const row = room.template take<Index>(entries), *const row_of = room.template take<Index>(entries);
  each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      for (Index e = a.row_ptr[r]; e < a.row_ptr[r + 1]; ++e) row_of[e] = static_cast<Index>(r);
    });
  const Lists<Index> columns = grouped(exec, room, entries, cols, a.col, Ascending());
  each(
    exec, entries, KOKKOS_LAMBDA(const std::int64_t t) { row[t] = row_of[columns.number[t]]; });
  return {{columns.start, row}, columns.number};
}

/// The rows and columns of nodes: each row of a node has all columns of each node that is in its list.
template <class Memory, class Exec, class Index>
Lists<Index> expanded(const Exec &exec, Room<Memory> &room, const Pattern<Index> &near, Index rows, Index node_rows, Index node_cols)
{
  const Lists<Index> made = room_for<Memory, Exec, Index>(
    exec, room, rows, KOKKOS_LAMBDA(const std::int64_t r) { return std::int64_t(near.size(r / node_rows)) * node_cols; });
  each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      const Index *const from = near.col + near.row_ptr[r / node_rows];
      Index *const       to   = made.number + made.start[r];
      for (Index k = 0; k < made.start[r + 1] - made.start[r]; ++k) to[k] = from[k / node_cols] * node_cols + k % node_cols;
    });
  return made;
}

} // namespace
} // namespace petscspmv::kernels
