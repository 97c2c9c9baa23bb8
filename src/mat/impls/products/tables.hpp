#pragma once

/// \file tables.hpp
/// The columns of a product's rows by hash tables in the scratch memory of teams, which is fast on a device, where
/// nothing is looked for in its large memory then. (Demouth, GTC 2012; Nagasaka, Nukada and Matsuoka, ICPP 2017.)

#include <array>
#include <cstdint>
#include <string>

#include "impls/products/crew.hpp"

namespace petscspmv::products {

namespace { // see lists.hpp

using Rank = std::uint16_t; ///< the place of a column in its row

/// Of a table's places, a power of two, how many are filled at most, so that numbers are found soon.
KOKKOS_INLINE_FUNCTION constexpr int most_in_table(int size)
{
  return size / 4 * 3;
}

/// The distinct numbers of a row's lists, of a crew (crew.hpp).
template <class Index, bool by_team> class Table {
  using Own = Crew<by_team>;

public:
  template <class Member>
  KOKKOS_FUNCTION Table(const Member &member, int size)
    : size_(size), key_(Own::template scratch<Index>(member, size)), count_(Own::template scratch<int>(member, 2)),
      rank_(Own::template scratch<Rank>(member, size))
  {
    Own::each(member, size, [&](int slot) { key_[slot] = none; });
    Own::each(member, 2, [&](int k) { count_[k] = 0; });
  }

  KOKKOS_FUNCTION int  size() const { return count_[0]; }
  KOKKOS_FUNCTION bool is_full() const { return count_[0] > most_in_table(size_); }

  /// Puts in what row v of C has, or as much as there is room for.
  template <class Member> KOKKOS_FUNCTION void take(const Member &member, const ListsOfRows<Index> &rows, Index v) const
  {
    Own::each_thread(member, rows.lists.row_ptr[v], rows.lists.row_ptr[v + 1], [&](Index t) {
      const Index u = rows.lists.col[t], first = rows.b.row_ptr[u];
      if (!is_full())
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, rows.b.row_ptr[u + 1] - first),
                             [&](Index e) { insert(rows.b.col[first + e]); });
    });
  }

  /// Writes the numbers, ascending: [size()]. Ranks are known then.
  template <class Member> KOKKOS_FUNCTION void sort(const Member &member, Index *to) const
  {
    const int n = size();
    Own::each(member, size_, [&](int slot) {
      if (key_[slot] != none) to[Kokkos::atomic_fetch_add(&count_[1], 1)] = key_[slot];
    });
    Own::each(member, size_, [&](int slot) {
      const Index key   = key_[slot];
      int         below = 0;
      for (int k = 0; key != none && k < n; ++k) below += to[k] < key;
      rank_[slot] = static_cast<Rank>(below);
    });
    Own::each(member, size_, [&](int slot) {
      if (key_[slot] != none) to[rank_[slot]] = key_[slot];
    });
  }

  KOKKOS_FUNCTION Rank rank_of(Index number) const
  {
    int slot = first_slot(number);
    while (key_[slot] != number) slot = next(slot);
    return rank_[slot];
  }

private:
  static constexpr Index none = -1;

  KOKKOS_FUNCTION int first_slot(Index number) const
  {
    return static_cast<int>(static_cast<std::uint32_t>(number) * 2654435769U >> 7) & (size_ - 1); // Knuth's multiplicative hash
  }
  KOKKOS_FUNCTION int next(int slot) const { return (slot + 1) & (size_ - 1); }

  KOKKOS_FUNCTION void insert(Index number) const
  {
    int slot = first_slot(number);
    for (int tries = 0; tries < size_; ++tries, slot = next(slot)) {
      Index there = key_[slot];
      if (there == none) there = Kokkos::atomic_compare_exchange(&key_[slot], none, number);
      if (there == none) Kokkos::atomic_inc(&count_[0]);
      if (there == none || there == number) return;
    }
    Kokkos::atomic_add(&count_[0], size_); // it is full
  }

  int    size_;
  Index *key_;   ///< [size]
  int   *count_; ///< [2] of numbers, and of those that are written
  Rank  *rank_;  ///< [size] of each key
};

/// How many columns the rows of a selection have; -1: more than there is room for.
template <class Index, bool by_team> struct CountColumns {
  ListsOfRows<Index> rows;
  const Index       *row;
  Index              n;
  int                size; ///< of tables
  Index             *count;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Table<Index, by_team> table(member, size);
    const std::int64_t          k = Crew<by_team>::number(member);
    if (k >= n) return;
    table.take(member, rows, row[k]);
    count[row[k]] = table.is_full() ? -1 : table.size();
  }
};

/// The columns of these rows of C, and the place of each product among them.
template <class Index, class Place, bool by_team> struct FillColumns {
  ListsOfRows<Index> rows;
  const Index       *row;
  Index              n;
  int                size;
  const Index       *start; ///< [rows + 1] of C's rows
  Index             *col;
  Place             *places;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Table<Index, by_team> table(member, size);
    const std::int64_t          k = Crew<by_team>::number(member);
    if (k >= n) return;
    const Index v = row[k];
    table.take(member, rows, v);
    table.sort(member, col + start[v]);
    Crew<by_team>::each_piece(member, rows.lists, rows.b, v, [&](int, Index begin, Index end, std::int64_t products) {
      Place *to = places + rows.before[v] + products;
      for (Index t = begin; t < end; ++t) {
        const Index u = rows.lists.col[t], first = rows.b.row_ptr[u], of_term = rows.b.row_ptr[u + 1] - first;
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, of_term),
                             [&](Index e) { to[e] = static_cast<Place>(table.rank_of(rows.b.col[first + e])); });
        to += of_term;
      }
    });
  }
};

/// Rows whose columns are not counted yet, and that are likely to fit into a table, or that were counted to fit.
template <class Index> struct ToCount {
  const Index        *count;
  const std::int64_t *before;
  std::int64_t        most_products;

  KOKKOS_FUNCTION bool operator()(std::int64_t v) const { return count[v] < 0 && before[v + 1] - before[v] <= most_products; }
};
template <class Index> struct ToFill {
  const Index *count;
  Index        more_than, most;

  KOKKOS_FUNCTION bool operator()(std::int64_t v) const { return count[v] > more_than && count[v] <= most; }
};

/// Which of n rows are wanted, ascending.
template <class Exec, class Index, class Wanted> Index select(const Exec &exec, Index n, const Wanted &wanted, Index *row)
{
  Index selected = 0;
  Kokkos::parallel_scan(
    "petscspmv product", indices(exec, n),
    KOKKOS_LAMBDA(const std::int64_t v, Index &before, const bool is_final) {
      if (!wanted(v)) return;
      if (is_final) row[before] = static_cast<Index>(v);
      ++before;
    },
    selected);
  return n > 0 ? selected : 0;
}

/// Sizes of tables. A row of more columns than the last has room for is nothing for places of two bytes and scratch
/// memory.
inline constexpr std::array table_sizes{64, 512, 4096};

/// Calls kernel.operator()<by_team>(), whose tables have so many places, for n rows.
template <class Index, class Exec, class Kernel>
void each_by_table(const Exec &exec, Index n, int size, CrewShape shape, const Kernel &kernel)
{
  constexpr std::size_t most  = std::size_t(40) << 10; // bytes of a team's tables: Kokkos has 48 KiB for it
  const std::size_t     bytes = 2 * sizeof(int) + static_cast<std::size_t>(size) * (sizeof(Index) + sizeof(Rank));
  if (!is_host_space<Exec> && size > table_sizes[0]) shape.lanes = 32;
  with_crew(exec, n, shape, bytes, most, kernel);
}

/// How many columns each row has: [rows.n]. Throws FormatError if one has too many.
template <class Memory, class Exec, class Index>
const Index *count_columns(const Exec &exec, Room<Memory> &room, const ListsOfRows<Index> &rows, const CrewShape &shape)
{
  auto *const count = room.template take<Index>(rows.n), *const row = room.template take<Index>(rows.n);
  each(
    exec, rows.n, KOKKOS_LAMBDA(const std::int64_t v) { count[v] = -1; });
  for (const int size : table_sizes) {
    constexpr std::int64_t products_of_a_column = 4; // 3 to 30 on levels of multigrid
    const std::int64_t     most                 = size == table_sizes.back() ? rows.longest : products_of_a_column * most_in_table(size);
    const Index            n                    = select(exec, rows.n, ToCount<Index>{count, rows.before, most}, row);
    each_by_table(exec, n, size, shape, [&]<bool by_team>() { return CountColumns<Index, by_team>{rows, row, n, size, count}; });
  }
  if (select(exec, rows.n, ToCount<Index>{count, rows.before, rows.longest}, row) > 0)
    throw FormatError("A row of a product has more than " + std::to_string(most_in_table(table_sizes.back())) +
                      " columns, too many for a multiprocessor's memory.");
  return count;
}

/// Writes the columns of rows whose numbers are known, and where each product goes.
template <class Memory, class Exec, class Index, class Place>
void fill_columns(const Exec &exec, Room<Memory> &room, const ListsOfRows<Index> &rows, const Index *count, const CrewShape &shape,
                  const Lists<Index> &c, Place *places)
{
  auto *const row    = room.template take<Index>(rows.n);
  Index       fitted = 0;
  for (const int size : table_sizes) {
    const Index most = most_in_table(size), n = select(exec, rows.n, ToFill<Index>{count, fitted, most}, row);
    each_by_table(exec, n, size, shape,
                  [&]<bool by_team>() { return FillColumns<Index, Place, by_team>{rows, row, n, size, c.start, c.number, places}; });
    fitted = most;
  }
}

} // namespace
} // namespace petscspmv::products
