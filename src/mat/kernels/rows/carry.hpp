#pragma once

/// \file carry.hpp
/// Rows that are cut between independent pieces of work, and how their parts are put together.

namespace petscspmv::kernels {

/// What a piece of consecutive entries knows about the rows that are cut at its two ends (the paper's synchronizer).
template <class Scalar, class Index> struct Carry {
  Scalar head;      ///< sum of the entries of the row that began before the piece; valid if `continues`
  Scalar tail;      ///< sum of the entries of the row that goes on after the piece; valid if `opens`
  Index  row;       ///< the row that began before the piece; valid if `continues`
  bool   continues; ///< the first entry's row began before the piece
  bool   ends;      ///< that row ends in the piece (also where it ends with the last entry)
  bool   opens;     ///< the last entry's row began in the piece and goes on after it
};

/// Adds the parts of every cut row in the order of the pieces and hands over each sum once: finish(row, sum).
///
/// The pieces are fixed by the matrix and not by the threads that worked on them, so neither are the sums.
template <class Scalar, class Index, class Finish>
[[gnu::always_inline]] inline void join_cut_rows(const Carry<Scalar, Index> *piece, Index pieces, const Finish &finish)
{
  Scalar open = 0;
  for (Index p = 0; p < pieces; ++p) {
    const Carry<Scalar, Index> &c = piece[p];
    if (c.continues) {
      open += c.head;
      if (c.ends) finish(c.row, open);
    }
    if (c.opens) open = c.tail;
  }
}

} // namespace petscspmv::kernels
