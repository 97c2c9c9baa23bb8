#pragma once

/// \file plan.hpp
/// What is decided before anything of size is allocated: the tiles and chunks, the pool of patterns, the tables, and
/// how much memory the rest will take.

#include <span>
#include <type_traits>
#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "core/footprint.hpp"
#include "impls/ccoo/plan/known_groups.hpp"
#include "impls/ccoo/plan/pool.hpp"
#include "impls/ccoo/plan/strips.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "kernels/coding/tables.hpp"

namespace petscspmv::ccoo {

/// What the options ask of tiles and chunks.
struct Rules {
  /// On the host. `bytes` are those of the matrix as CSR, `cost_from_memory` is that of a matrix which comes from
  /// there.
  Rules(const OptionValues &options, std::int64_t bytes, const tuning::Cost &cost_from_memory);
  static Rules on_device(const OptionValues &options, std::int64_t bytes);

  TileChoice           tile;
  bool                 on_host = true;  ///< else for a device
  bool                 nodes   = false; ///< on a device: nodes are in gather tiles, as nothing else is
  int                  rows;            ///< of a tile
  std::int64_t         region;          ///< rows that one thread looks at together
  Local                stride = 0;      ///< no tile goes on over a multiple of this, unless it is 0
  std::int64_t         chunk;           ///< entries of a chunk of the paper's form,
  std::int64_t         most_chunk;      ///< of one of several rows,
  std::int64_t         piece;           ///< and of one of a long row,
  Local                panel;           ///< which ends with a panel of so many columns
  std::int64_t         whole = 0;       ///< rows with at most so many entries are not cut
  std::int64_t         alike = 1;       ///< chunks that are coded alike
  std::int64_t         longest;         ///< entries of a row that is not cut; 0: looks at the mean
  int                  node;            ///< rows of a node at most
  Columns              narrowest;
  When                 strips;
  StoreChoice          stores;
  bool                 ahead;         ///< the matrix comes from memory, so that what it needs is prefetched
  bool                 row_after_row; ///< where that suits a tile: the matrix is too large for any cache
  tuning::Cost         cost;
  kernels::CodingRules coding;
};

/// True if x[second] is in another cache line than x[first], as far as one can say without knowing where x begins.
template <class Index> bool is_far(Index first, Index second)
{
  constexpr Index line = 8;
  return second < first || second - first >= line;
}

/// Entries that a row of a tile may have. `entries` are those of the tile.
std::int64_t long_limit(const Rules &rules, std::int64_t rows, std::int64_t entries);

/// Rows that go into chunks.
struct RowRange {
  Local first, last; ///< last: one behind
  bool  is_long;     ///< one row with very many entries
};

/// A part of the matrix whose tables are its own.
template <class Scalar, class Group> struct Region {
  std::vector<Tile>                tiles;
  std::vector<Run>                 runs;
  std::vector<Local>               lines;
  PatternPool<Scalar, Group>       pool;
  std::vector<std::vector<Scalar>> tables;
  std::vector<RowRange>            chunked; ///< ascending
  std::vector<KnownGroup>          known;   ///< one of each pattern that has all values
};

/// The tiles of rows first .. last - 1. `other`: nothing, or another region that has been planned, whose groups may come
/// again.
template <class Scalar, class Index, class Group>
Region<Scalar, Group> plan_region(const CsrView<Scalar, Index> &a, const Rules &rules, Local first, Local last,
                                  const Region<Scalar, Group> &other);

/// `Group` says for which memory space.
template <class Scalar, class Index, class Group = HostGroup> struct Plan {
  using Mask     = typename Group::Mask;
  using SlotView = ccoo::SlotView<Mask>;

  /// By `rules`, for the space that they are for. Throws FormatError for a matrix with too many rows or columns.
  Plan(const CsrView<Scalar, Index> &a, const Rules &rules, int threads);
  /// On the host.
  Plan(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads) requires std::is_same_v<Group, HostGroup>;

  Rules                            rules;
  Local                            rows, cols;
  bool                             streams; ///< x and y do not fit the caches
  std::vector<Tile>                tiles;
  std::vector<Run>                 runs;
  std::vector<Local>               lines; ///< of x, that gather tiles read
  PatternPool<Scalar, Group>       pool;
  std::vector<std::uint32_t>       tile_strips; ///< numbers of strips, tile by tile; on the host only
  StripPool<Scalar>                strips;
  std::vector<std::vector<Scalar>> tables;
  std::vector<Chunk>               chunks;      ///< in the order in which they are done: pieces of long rows come last, panel by panel
  std::vector<Index>               chunk_begin; ///< first entry of each chunk
  std::size_t                      structure_bytes = 0, column_bytes = 0, value_bytes = 0;

  Footprint   footprint() const;
  std::size_t bytes_taken() const; ///< without structure, columns and values

  /// Takes the values of a diagonal tile away from its patterns.
  void stream_values(Tile &t);
  void add_tables(std::vector<std::vector<Scalar>> &&more);

private:
  /// Adds the tables of some pieces, whose numbers they are so far.
  template <class Piece> void add_tables(std::vector<std::vector<Scalar>> &&more, std::span<Piece> pieces);

  void                       plan_regions(const CsrView<Scalar, Index> &a, int threads);
  void                       join(std::vector<Region<Scalar, Group>> &&regions, int threads);
  std::vector<std::uint32_t> patterns_of(const Tile &t) const;
  bool                       take_strips(Tile &t, const std::vector<std::uint32_t> &patterns);
  void                       add_strips();
  void                       cut(const CsrView<Scalar, Index> &a, const std::vector<RowRange> &ranges, int threads);
  void                       order_by_panels();
  std::size_t                end_of_alike(std::size_t i, std::size_t end) const;
  void                       code_chunks(const CsrView<Scalar, Index> &a, int threads);
  void                       lay_out();
};

} // namespace petscspmv::ccoo
