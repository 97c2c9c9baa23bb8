#pragma once

/// \file schedule.hpp
/// The order in which sweeps do the rows of a triangle.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/csr_view.hpp"
#include "kernels/host/arena.hpp"

namespace petscspmv::sweeps {

using kernels::UnsetVector;

enum class Side { lower, upper };

/// A pattern and where its diagonal is.
template <class Index> struct Pattern {
  Index              rows;
  const Index       *row_ptr, *col;
  UnsetVector<Index> diagonal; ///< [rows] numbers of entries

  /// Throws FormatError unless columns ascend and each row has an entry on the diagonal.
  Pattern(Index rows, const Index *row_ptr, const Index *col, int threads);
  /// The same, and unless the matrix is square.
  template <class Scalar> Pattern(const CsrView<Scalar, Index> &a, int threads) : Pattern(square(a.rows, a.cols), a.row_ptr, a.col, threads)
  {
  }

  /// The entries of a row in a strict triangle.
  Index begin(Side side, Index r) const { return side == Side::lower ? row_ptr[r] : diagonal[static_cast<std::size_t>(r)] + 1; }
  Index end(Side side, Index r) const { return side == Side::lower ? diagonal[static_cast<std::size_t>(r)] : row_ptr[r + 1]; }
  Index length(Side side, Index r) const { return end(side, r) - begin(side, r); }

private:
  static Index square(Index rows, Index cols); ///< these rows
};

/// A row's level is one more than the highest level that it reads. Slots hold the rows by level, then by class of length,
/// then as in the matrix. A slice is up to 32 rows of one level and one class. With blocks, slots hold the rows block by
/// block; levels, lengths and slices are those of a block's own entries alone, and only a long row is of another class.
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

  /// Throws as refuse_if_more().
  Schedule(const Pattern<Index> &pattern, Side side, std::int64_t most_levels);
  /// `blocks`: where they begin in the pattern, and its end.
  Schedule(const Pattern<Index> &pattern, Side side, const std::vector<Index> &blocks, int threads);

  std::size_t  slices() const { return first.size() - 1; }
  std::int64_t entries() const { return others.empty() ? begin.back() : others.back(); }
};

/// With more levels in both triangles together, a symmetric sweep from a zero guess on a device is predicted to take longer
/// than PETSc's on one core with copies of the vectors.
template <class Index> std::int64_t levels_worth_a_device(const Pattern<Index> &pattern);

/// Throws FormatError if there are more levels than `most`.
void refuse_if_more(std::int64_t levels, std::int64_t most);

} // namespace petscspmv::sweeps
