#pragma once

/// \file bccoo_plan.hpp
/// What is decided before anything of size is allocated: shape, tiles, codings, tables, and how much memory the rest
/// will take.

#include <span>
#include <vector>

#include "core/footprint.hpp"
#include "core/options.hpp"
#include "impls/bccoo/bccoo_reader.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/room.hpp"

namespace petscspmv::bccoo {

/// What the options ask for.
struct Rules {
  /// `bytes` are those of the matrix as CSR.
  Rules(const OptionValues &options, std::int64_t bytes);
  /// For lanes that have a block each: the fewest bytes, and no slices.
  explicit Rules(const OptionValues &options);

  Shape                asked; ///< a side of 0 is free
  int                  slices;
  std::int64_t         tile;       ///< values
  double               near_bytes; ///< of blocks that a near cache holds
  tuning::Cost         cost;       ///< of a product, or what else is to be least
  kernels::CodingRules coding;
};

/// How the matrix is cut. Throws FormatError for a matrix with too many rows or columns, or more slices than can be
/// numbered.
template <class Scalar, class Index> Grid choose_grid(const CsrView<Scalar, Index> &a, const Rules &rules, int threads);

/// The blocks of a block row, or some of them: how many, how many entries they have, and the columns of the first one
/// and the last one.
struct BlockRow {
  std::uint32_t blocks = 0;
  Local         first = 0, last = 0;
  std::int64_t  entries = 0;
};

/// Of every block row.
struct BlockRows {
  kernels::Room<BlockRow> row;
  std::int64_t            blocks = 0; ///< of all
  std::int64_t            filled = 0; ///< block rows that have some
};
template <class Scalar, class Index> BlockRows count_blocks(const CsrView<Scalar, Index> &a, const Grid &grid, int threads);

template <class Scalar, class Index> struct Content;

template <class Scalar, class Index> struct Plan {
  using View   = CsrView<Scalar, Index>;
  using Reader = BlockReader<Scalar, Index>;

  /// Throws FormatError as choose_grid() does.
  Plan(const View &a, const OptionValues &options, int threads);

  Rules                            rules;
  Grid                             grid;
  bool                             ahead = false; ///< values and x are asked for early
  std::vector<Tile>                tiles;
  std::vector<Local>               filled; ///< numbers of the block rows that have blocks; empty if all have
  Local                            segments = 0;
  std::vector<CutRow>              cut_rows;
  Local                            cut_parts = 0; ///< of cut rows
  std::vector<std::vector<Scalar>> tables;
  std::size_t                      structure_bytes = 0, column_bytes = 0, value_bytes = 0;
  std::int64_t                     blocks = 0, zeros = 0;

  std::int64_t block_row(Local segment) const { return filled.empty() ? segment : filled[static_cast<std::size_t>(segment)]; }

  /// Sums of parts of cut block rows.
  std::size_t parts() const { return static_cast<std::size_t>(cut_parts) * static_cast<std::size_t>(grid.shape.rows); }

  /// Sums of slices that wait to be added.
  std::int64_t waiting() const { return grid.slices > 1 ? grid.all_block_rows() * grid.shape.rows : 0; }

  Footprint footprint() const;

private:
  void                    cut(const View &a, int threads);
  void                    add(Local segment, const BlockRow &some, std::uint32_t most, Local part = -1, std::uint32_t begin = 0);
  void                    cut_row(const View &a, Local segment, std::uint32_t most);
  void                    code(const View &a, int threads);
  std::span<const Scalar> values_of(const View &a, Reader &reader, const Tile &t, Content<Scalar, Index> &content) const;
  void                    lay_out();
};

} // namespace petscspmv::bccoo
