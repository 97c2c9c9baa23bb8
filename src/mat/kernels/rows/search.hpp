#pragma once

/// \file search.hpp
/// Which row does an entry belong to? Searches in arrays of offsets that never decrease.

namespace petscspmv::kernels {

/// The first k in [0, count) for which reached(k) is true, or count. reached must be false up to there and true from
/// there on.
template <class Index, class Predicate> [[gnu::always_inline]] inline Index first_where(Index count, const Predicate &reached)
{
  Index low = 0;
  while (count > 0) {
    const Index half = count / 2;
    const bool  left = reached(low + half);
    low              = left ? low : low + half + 1;
    count            = left ? half : count - half - 1;
  }
  return low;
}

/// The row of entry `position` of a matrix with `rows` rows, or `rows` if it has no more than `position` entries.
/// Where empty rows share the offset, they are passed over.
template <class Index> [[gnu::always_inline]] inline Index row_of_entry(const Index *row_ptr, Index rows, Index position)
{
  return first_where(
    rows, [=](Index r) __attribute__((always_inline)) { return row_ptr[r + 1] > position; });
}

} // namespace petscspmv::kernels
