#pragma once

/// \file rules.hpp
/// What the options and the size of a matrix ask of tiles and chunks, on the host and on a device.

#include "impls/ccoo/ccoo_options.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "kernels/coding/options.hpp"

namespace petscspmv::ccoo {

/// What both have, as it is on the host unless a device's rules say otherwise.
struct Rules {
  TileChoice           tile;
  int                  rows;                                    ///< of a tile
  std::int64_t         region = tuning::region_rows;            ///< rows that one thread looks at together
  Local                stride = 0;                              ///< no tile goes on over a multiple of this, unless it is 0
  std::int64_t         chunk;                                   ///< entries of a chunk of the paper's form,
  std::int64_t         most_chunk = tuning::most_chunk_entries; ///< of one of several rows,
  std::int64_t         piece      = tuning::piece_entries;      ///< and of one of a long row,
  Local                panel      = tuning::panel_columns;      ///< which ends with a panel of so many columns
  std::int64_t         whole      = 0;                          ///< rows with at most so many entries are not cut
  std::int64_t         alike      = 1;                          ///< chunks that are coded alike
  int                  node;                                    ///< rows of a node at most
  Columns              narrowest;
  tuning::Cost         cost;
  kernels::CodingRules coding;

protected:
  Rules(const OptionValues &options, const tuning::Cost &from_memory);
};

/// `bytes` are those of the matrix as CSR, here and below.
struct HostRules : Rules {
  HostRules(const OptionValues &options, std::int64_t bytes, bool complex);

  /// Entries that a row of a tile may have which is not cut. `entries` are those of the tile.
  std::int64_t long_limit(std::int64_t tile_rows, std::int64_t entries) const;

  std::int64_t longest; ///< that; 0: looks at the mean
  When         strips;
  StoreChoice  stores;
  bool         ahead;         ///< the matrix comes from memory, so that what it needs is prefetched
  bool         row_after_row; ///< where that suits a tile: the matrix is too large for any cache
};

struct DeviceRules : Rules {
  DeviceRules(const OptionValues &options, std::int64_t bytes);

  bool nodes = false; ///< nodes are in gather tiles, as nothing else is
};

} // namespace petscspmv::ccoo
