#pragma once

/// \file schedule.hpp
/// In which order the rows of a triangle are done, and what of that is at the same time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/csr_view.hpp"

namespace petscspmv::sweeps {

enum class Side { lower, upper };

/// A pattern and where its diagonal is.
template <class Index> struct Pattern {
  Index              rows;
  const Index       *row_ptr, *col;
  std::vector<Index> diagonal; ///< [rows] numbers of entries

  /// Throws FormatError unless the matrix is square, with ascending columns and an entry on each row's diagonal.
  template <class Scalar> Pattern(const CsrView<Scalar, Index> &a, int threads);

  /// The entries of a row in a strict triangle.
  Index begin(Side side, Index r) const { return side == Side::lower ? row_ptr[r] : diagonal[static_cast<std::size_t>(r)] + 1; }
  Index end(Side side, Index r) const { return side == Side::lower ? diagonal[static_cast<std::size_t>(r)] : row_ptr[r + 1]; }
  Index length(Side side, Index r) const { return end(side, r) - begin(side, r); }
};

/// A row's level is one more than the highest one of the rows that it reads. Rows are in slots, level by level; those of a
/// level by their lengths, roughly, and then as in the matrix. A slice is up to 32 of one level and about one length.
template <class Index> struct Schedule {
  Side                      side;
  Index                     levels = 0;
  std::vector<Index>        row;   ///< [rows] of each slot
  std::vector<Index>        slot;  ///< [rows] of each row
  std::vector<Index>        first; ///< [slices + 1] slots
  std::vector<std::int64_t> begin; ///< [slices + 1] entries, with those that fill rows up to the longest of their slice

  Schedule(const Pattern<Index> &pattern, Side side);

  std::size_t slices() const { return first.size() - 1; }
};

/// Fills what of a triangle is not in its schedule, [schedule.begin.back()] each: where x is for an entry, and which one of
/// the CSR matrix it is; -1 where there is none.
template <class Index>
void fill_entries(const Pattern<Index> &pattern, const Schedule<Index> &schedule, int threads, Index *slot, Index *source);

/// Seconds of a symmetric sweep from a zero guess by these on a device, and by one core of the host with copies of the
/// vectors.
template <class Index> double device_seconds(const Schedule<Index> &lower, const Schedule<Index> &upper, std::size_t scalar_bytes);
template <class Index> double host_seconds(const Pattern<Index> &pattern);

} // namespace petscspmv::sweeps
