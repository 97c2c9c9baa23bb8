#pragma once

/// \file plan.hpp
/// What is decided before anything of size is allocated, as far as the host and devices have it in common: the tiles
/// and chunks, the pool of patterns, the tables. host_plan.hpp has what there is on the host besides.

#include <cstdint>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/plan/pool.hpp"
#include "impls/ccoo/plan/rules.hpp"

namespace petscspmv::ccoo {

/// Consecutive rows on a device: groups of 128 rows with patterns, rows in nodes, or nothing. Values that are not with
/// patterns are coded as those of the whole image are.
struct DeviceTile {
  /// Groups of a diagonal tile.
  struct Runs {
    std::uint32_t runs = 0; ///< how many
    std::size_t   run  = 0; ///< the first
  };
  /// The columns of a gather tile, which is one of nodes.
  struct Nodes {
    Columns      columns = Columns::bits32;
    std::uint8_t node    = 1;     ///< rows of a node
    bool         blocked = false; ///< all columns come in blocks of as many neighbours as a node has rows
    Local        least   = 0;
  };

  static constexpr Coding coding = kernels::plain_coding;

  Local         row, rows;
  Kind          kind   = Kind::empty;
  std::uint32_t values = 0;
  Runs          diagonal{};
  Nodes         gather{};
};

/// Rows that go into chunks.
struct RowRange {
  Local first, last; ///< last: one behind
  bool  is_long;     ///< one row with very many entries
};

/// True if x[second] is in another cache line than x[first], as far as one can say without knowing where x begins.
template <class Index> bool is_far(Index first, Index second)
{
  constexpr Index line = 8;
  return second < first || second - first >= line;
}

/// A part of the matrix whose tables are its own.
template <class Scalar, class Group> struct Region {
  using Tile = typename Group::Tile;

  std::vector<Tile>                tiles;
  std::vector<Run>                 runs;
  PatternPool<Scalar, Group>       pool;
  std::vector<std::vector<Scalar>> tables;
  std::vector<RowRange>            chunked; ///< ascending

  /// Puts the rows of a tile into chunks.
  void make_chunked(Tile &t)
  {
    const Local last = t.row + t.rows;
    if (!chunked.empty() && chunked.back().last == t.row && !chunked.back().is_long) chunked.back().last = last;
    else chunked.push_back({t.row, last, false});
    t      = Tile{t.row, t.rows};
    t.kind = Kind::chunked;
  }
};

/// `Group` says for which memory.
template <class Scalar, class Index, class Group> struct Plan {
  using View   = CsrView<Scalar, Index>;
  using Tile   = typename Group::Tile;
  using Rules  = typename Group::Rules;
  using Region = ccoo::Region<Scalar, Group>;

  Rules                            rules;
  Local                            rows, cols;
  std::vector<Tile>                tiles;
  std::vector<Run>                 runs;
  PatternPool<Scalar, Group>       pool;
  std::vector<std::vector<Scalar>> tables;
  std::vector<Chunk>               chunks;
  std::vector<Index>               chunk_begin; ///< first entry of each chunk

  void add_tables(std::vector<std::vector<Scalar>> &&more);

  /// Nothing but the sizes. Throws FormatError for a matrix with too many rows or columns.
  Plan(const View &a, const Rules &rules);
  /// The tiles and chunks of all rows, which are in these regions, one after the other.
  void take(const View &a, const std::vector<Region *> &regions, int threads);
  /// The chunks of these rows.
  void take_chunks(const View &a, const std::vector<RowRange> &ranges, int threads);

private:
  void join(const std::vector<Region *> &regions, int threads);
  void code_chunks(const View &a, int threads);
  /// Adds the tables of some pieces, whose numbers they are so far.
  template <class Pieces> void add_tables(std::vector<std::vector<Scalar>> &&more, Pieces &&pieces);
  std::size_t                  end_of_alike(std::size_t i, std::size_t end) const;
};

/// By `rules`. A plan for a device has nothing else.
template <class Scalar, class Index>
Plan<Scalar, Index, DeviceGroup> plan_for_device(const CsrView<Scalar, Index> &a, const DeviceRules &rules, int threads);

} // namespace petscspmv::ccoo
