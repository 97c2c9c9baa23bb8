#pragma once

/// \file schedule.hpp
/// The order in which sweeps do the rows of a triangle.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "impls/sweeps/sweeps_tuning.hpp"
#include "kernels/host/arena.hpp"

namespace petscspmv::sweeps {

using kernels::UnsetVector;

enum class Side { lower, upper };

/// A pattern and where its diagonal is.
template <class Index> struct Pattern {
  Index        rows;
  const Index *row_ptr, *col;
  const Index *diagonal; ///< [rows] numbers of entries

  std::size_t entries() const { return static_cast<std::size_t>(row_ptr[rows]); }

  /// The entries of a row in a strict triangle.
  Index begin(Side side, Index r) const { return side == Side::lower ? row_ptr[r] : diagonal[r] + 1; }
  Index end(Side side, Index r) const { return side == Side::lower ? diagonal[r] : row_ptr[r + 1]; }
  Index length(Side side, Index r) const { return end(side, r) - begin(side, r); }
};

/// Throws FormatError unless columns ascend and each row has an entry on the diagonal.
template <class Index> UnsetVector<Index> find_diagonal(Index rows, const Index *row_ptr, const Index *col, int threads);

/// A slice as it is solved in its block. By slots and entries of the block.
struct Link {
  int first, rows, begin, width;
};

/// Where x is for an entry, among those of its block; behind the last one is a zero.
using Place16 = std::uint16_t;

/// Where a block begins. All in one, for whoever solves it waits for each load before the next.
template <class Index> struct BlockBegin {
  std::int64_t entry, other; ///< of its own, and of other blocks
  Index        slot, slice;
};

/// Classes of lengths: up to 3 entries, 7, 15, 31, `long_row`, and longer. They bound what fills up shorter rows.
inline constexpr int                 length_classes = 6;
template <class Index> constexpr int length_class(Index length)
{
  return (length > 3) + (length > 7) + (length > 15) + (length > 31) + (length > tuning::long_row);
}

/// A row's level is one more than the highest level that it reads. Slots hold the rows by level, then by class of
/// length, then as in the matrix. A slice is up to 32 rows of one level and one class. With blocks, slots hold the rows
/// block by block; levels, lengths and slices are those of a block's own entries alone, and only a long row is of
/// another class.
template <class Index> struct Schedule {
  Side                      side;
  Index                     levels = 0; ///< with blocks, of the block that has most
  UnsetVector<Index>        row;        ///< [rows] of each slot
  UnsetVector<Index>        slot;       ///< [rows] of each row
  std::vector<Index>        first;      ///< [slices + 1] slots
  std::vector<std::int64_t> begin;      ///< [slices + 1] entries, if each row has the length of the longest in its slice
  std::vector<Index>        block;      ///< [blocks + 1] slices; none: there are no blocks
  UnsetVector<Index>        level;      ///< [rows] of each slot, in its block; none: there are no blocks
  UnsetVector<std::int64_t> others;     ///< [rows + 1] entries of other blocks, by slots, behind those of slices; or none

  /// Where there are more levels than that, it ends: `levels` is one more then, and nothing else is there.
  Schedule(const Pattern<Index> &pattern, Side side, std::int64_t most_levels);
  /// `blocks`: where they begin in the pattern, and its end.
  Schedule(const Pattern<Index> &pattern, Side side, const std::vector<Index> &blocks, int threads);

  std::size_t  slices() const { return first.size() - 1; }
  std::int64_t entries() const { return others.empty() ? begin.back() : others.back(); }

  /// Of all blocks, and the end of the last one.
  std::vector<BlockBegin<Index>> block_begins() const;
};

/// Bytes of a team's memory for one of these blocks, whose last one is an end, with scalars of so many, at most.
template <class Index> std::size_t most_block_bytes(const std::vector<BlockBegin<Index>> &begins, std::size_t scalar);

} // namespace petscspmv::sweeps
