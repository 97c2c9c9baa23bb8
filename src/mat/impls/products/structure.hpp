#pragma once

/// \file structure.hpp
/// The patterns of a product's rows, and the place of each product of entries in its row.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "impls/products/factors.hpp"

namespace petscspmv::products {

namespace { // see lists.hpp

using HostRoom = Room<Kokkos::HostSpace>;

template <class Index> struct ProductsOfRows {
  Pattern<Index> a, b;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const { return std::int64_t(a.size(v)) * b.size(v); }
};
/// Lists that threads share by the products that they have.
template <class Index> struct SharedLists : ListsOfRows<Index> {
  int workers = 1;

  /// Where the lists of a worker begin.
  Index first_of(std::int64_t worker) const
  {
    const double share = static_cast<double>(worker) / workers;
    return worker == workers
             ? this->n
             : static_cast<Index>(place_of(this->before, std::int64_t(this->n), std::int64_t(share * static_cast<double>(this->total))));
  }
};

/// What a thread has while it goes through lists.
template <class Index> struct Marks {
  static constexpr int bits = 6; ///< of a column, or of a word, within a word

  Index         *place;  ///< [columns of C] in the row of C
  Index         *met_in; ///< [columns of C] which row has met it last
  Index         *column; ///< [longest] of each product of the list
  std::uint64_t *met;    ///< [columns / 64 + 1] a bit for each column that the list has; all 0 between lists
  std::uint64_t *words;  ///< [columns / 64^2 + 1] a bit for each word of these
  Index         *to;     ///< where the columns of the next row of C go

  static std::int64_t words_for(std::int64_t columns) { return (columns >> bits) + (columns >> 2 * bits) + 2; }

  /// Calls with(number) for each bit of a word, ascending, and clears it.
  template <class With> static void take_bits(std::uint64_t &word, Index number, const With &with)
  {
    for (std::uint64_t rest = std::exchange(word, 0); rest != 0; rest &= rest - 1)
      with(static_cast<Index>(number << bits) + static_cast<Index>(std::countr_zero(rest)));
  }
};

/// Finds the columns of a row of C, ascending, and writes down their places. Returns how many there are. Nothing here
/// is decided from entry to entry, which nobody can predict, and bits, which wait for each other, are set for distinct
/// columns alone.
template <class Index> Index find_columns(const SharedLists<Index> &rows, Index v, Marks<Index> &own)
{
  constexpr int         bits  = Marks<Index>::bits;
  const Pattern<Index> &lists = rows.lists, &b = rows.b;
  Index *const          first = own.to, *column = own.column;
  Index                 n = 0, least = rows.cols, most = -1;
  for (Index t = lists.row_ptr[v]; t < lists.row_ptr[v + 1]; ++t)
    for (Index e = b.row_ptr[lists.col[t]]; e < b.row_ptr[lists.col[t] + 1]; ++e) {
      const Index c = *column++ = b.col[e];
      first[n]                  = c;
      n += own.met_in[c] != v;
      own.met_in[c] = v;
    }
  for (Index k = 0; k < n; ++k) {
    const Index c = first[k];
    own.met[c >> bits] |= std::uint64_t(1) << (c & 63);
    own.words[c >> 2 * bits] |= std::uint64_t(1) << (c >> bits & 63);
    least = std::min(least, c);
    most  = std::max(most, c);
  }
  for (Index w = least >> 2 * bits; w <= most >> 2 * bits; ++w)
    Marks<Index>::take_bits(own.words[w], w, [&](Index word) {
      Marks<Index>::take_bits(own.met[word], word, [&](Index c) {
        own.place[c] = static_cast<Index>(own.to - first);
        *own.to++    = c;
      });
    });
  return n;
}

/// The rows of C, whose columns go to a room of their own. Calls keep(v, marks) for each, whose products' columns have
/// their places then.
template <class Exec, class Index, class Keep>
Lists<Index> find_rows(const Exec &exec, HostRoom &room, HostRoom &columns, const SharedLists<Index> &rows, const Keep &keep)
{
  HostRoom           temporary;
  const std::int64_t numbers = 2 * std::int64_t(rows.cols) + rows.longest, words = Marks<Index>::words_for(rows.cols);
  auto *const        most = (rows.workers == 1 ? columns : temporary).template take<Index>(rows.total); // most is never touched
  auto *const number = temporary.take<Index>(numbers * rows.workers), *const size = temporary.take<Index>(rows.n);
  auto *const word = temporary.take<std::uint64_t>(words * rows.workers);
  each(exec, rows.workers, [&](const std::int64_t worker) {
    const Index  first = rows.first_of(worker), end = rows.first_of(worker + 1);
    Index *const own_numbers = number + worker * numbers;
    Marks<Index> own{own_numbers,
                     own_numbers + rows.cols,
                     own_numbers + 2 * std::int64_t(rows.cols),
                     word + worker * words,
                     word + worker * words + (rows.cols >> Marks<Index>::bits) + 1,
                     most + rows.before[first]};
    std::fill_n(own.met, words, std::uint64_t(0));
    std::fill_n(own.met_in, rows.cols, Index(-1));
    for (Index v = first; v < end; ++v) {
      size[v] = find_columns(rows, v, own);
      keep(v, own);
    }
  });
  Lists<Index> made;
  made.start  = room.take<Index>(std::int64_t(rows.n) + 1);
  made.size   = sum_before(exec, rows.n, made.start, Counted<Index>{size});
  made.number = rows.workers == 1 ? most : columns.take<Index>(made.size);
  if (rows.workers > 1)
    each(exec, rows.workers, [&](const std::int64_t worker) {
      const Index first = rows.first_of(worker), end = rows.first_of(worker + 1);
      std::copy_n(most + rows.before[first], made.start[end] - made.start[first], made.number + made.start[first]);
    });
  return made;
}

/// Numbers in the fewest bits in which they fit.
using Places = std::variant<const std::uint8_t *, const std::uint16_t *, const std::uint64_t *>;

/// Makes room for n of them up to `most`, and calls fill(array).
template <class Fill> Places make_places(HostRoom &room, std::int64_t n, std::int64_t most, const Fill &fill)
{
  const auto made = [&](auto zero) -> Places {
    auto *const places = room.take<decltype(zero)>(n);
    fill(places);
    return places;
  };
  if (most < 1 << 8) return made(std::uint8_t());
  if (most < 1 << 16) return made(std::uint16_t());
  return made(std::uint64_t());
}

/// The rows of A B.
template <class Index> struct ByRows {
  Blocks<Index>      a, b;
  SharedLists<Index> rows;
  Lists<Index>       c;
  Places             places; ///< [products] twice the place in the row of C; one more if it is the first of a row of B

  // Terms of a row: its entries whose row of B has entries. Row v has room for them from a.nodes.row_ptr[v] on.
  Index *entry; ///< of A
  Index *shift; ///< product k of the row is one with entry shift + k of B
};

template <class Exec, class Index>
ByRows<Index> by_rows(const Exec &exec, HostRoom &room, HostRoom &of_columns, const Blocks<Index> &a, Index n, const Blocks<Index> &b,
                      Index b_rows, Index cols, int workers)
{
  const std::int64_t entries = std::int64_t(a.nodes.row_ptr[n]) + b.nodes.row_ptr[b_rows];
  ByRows<Index>      made{a, b, {lists_of_rows(exec, room, a.nodes, n, b.nodes, cols, entries), workers}, {}, {}, {}, {}};
  Index *const       entry = made.entry = room.take<Index>(a.nodes.row_ptr[n]);
  Index *const       shift = made.shift = room.take<Index>(a.nodes.row_ptr[n]);
  made.places                           = make_places(room, made.rows.total, 2 * made.rows.most_columns(), [&]<class Place>(Place *places) {
    made.c = find_rows(exec, room, of_columns, made.rows, [&](Index v, const Marks<Index> &marks) {
      Place *const own        = places + made.rows.before[v];
      const auto   n_products = static_cast<Index>(made.rows.before[v + 1] - made.rows.before[v]);
      for (Index k = 0; k < n_products; ++k) own[k] = static_cast<Place>(std::int64_t(2) * marks.place[marks.column[k]]);
      Index next = a.nodes.row_ptr[v], k = 0;
      for (Index t = next; t < a.nodes.row_ptr[v + 1]; ++t) {
        const Index size = b.nodes.size(a.nodes.col[t]);
        if (size == 0) continue;
        entry[next]   = t;
        shift[next++] = b.nodes.row_ptr[a.nodes.col[t]] - k;
        own[k] += 1;
        k += size;
      }
    });
  });
  return made;
}

/// The rows of A^T R, where R's rows come one after the other, and each goes to all rows of C that A has entries for: R
/// is read once. Threads have rows of C, and go through those of R that these need.
template <class Index> struct ByColumns {
  Blocks<Index>       a, r, c;
  SharedLists<Index>  columns; ///< A's
  Index               n = 0;   ///< rows of R
  const std::int64_t *first;   ///< [n + 1] where places of a row of R begin: for each node of A's row as many as R's has
  Places              places;
  Lists<Index>        c_lists;
  std::int64_t        longest = 0; ///< row of R, in nodes
};

/// R has `cols` nodes of columns.
template <class Exec, class Index>
ByColumns<Index> by_columns(const Exec &exec, HostRoom &room, HostRoom &of_columns, const Blocks<Index> &a, Index n, Index a_cols,
                            const Blocks<Index> &r_blocks, Index cols, int workers)
{
  HostRoom             temporary;
  const Pattern<Index> nodes = a.nodes, r = r_blocks.nodes;
  const std::int64_t   entries = nodes.row_ptr[n];
  const auto           columns = columns_of(exec, temporary, nodes, n, a_cols, entries);
  auto *const          first   = room.take<std::int64_t>(std::int64_t(n) + 1);
  sum_before(exec, n, first, ProductsOfRows<Index>{nodes, r});
  ByColumns<Index> made{a,
                        r_blocks,
                        {{}, a.cols, r_blocks.cols},
                        {lists_of_rows(exec, room, columns.rows, a_cols, r, cols, entries + r.row_ptr[n]), workers},
                        n,
                        first,
                        {},
                        {},
                        largest_step(exec, n, r.row_ptr)};
  made.places  = make_places(room, first[n], made.columns.most_columns(), [&]<class Place>(Place *places) {
    made.c_lists = find_rows(exec, room, of_columns, made.columns, [&](Index q, const Marks<Index> &marks) {
      const Index *column = marks.column;
      for (Index t = columns.rows.row_ptr[q]; t < columns.rows.row_ptr[q + 1]; ++t) {
        const Index  v = columns.rows.col[t], size = r.size(v);
        Place *const own = places + first[v] + std::int64_t(columns.entry[t] - nodes.row_ptr[v]) * size;
        for (Index k = 0; k < size; ++k) own[k] = static_cast<Place>(marks.place[*column++]);
      }
    });
  });
  made.c.nodes = made.c_lists.pattern();
  return made;
}

} // namespace
} // namespace petscspmv::products
