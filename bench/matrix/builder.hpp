#pragma once

/// \file builder.hpp
/// Ways to put a CsrMatrix together: row by row, or from triplets in any order.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// Throws InputError if the bench's integers cannot hold the sizes.
void check_sizes(const Size &size);

/// Builds a matrix row by row. Entries of a row may come in any order; those of the same column are added up.
class RowBuilder {
public:
  /// `expected` reserves memory; its nonzeros may be exceeded.
  explicit RowBuilder(const Size &expected);

  void add(Index col, double val) { row_.push_back({col, val}); }

  /// The number of entries added to the row so far.
  std::size_t row_length() const { return row_.size(); }

  void end_row();

  /// The matrix; all rows must have been ended.
  CsrMatrix take() { return std::move(matrix_); }

private:
  struct Entry {
    Index  col;
    double val;
  };
  CsrMatrix          matrix_;
  std::vector<Entry> row_;
};

/// One entry of a matrix.
struct Triplet {
  Index  row;
  Index  col;
  double val;
};

/// Sorts triplets into a matrix; those of the same place are added up.
CsrMatrix from_triplets(Index rows, Index cols, const std::vector<Triplet> &triplets);

/// B(i, j) = A(row_order[i], col_order[j]). Either may be empty, which leaves that side as it is.
CsrMatrix permuted(const CsrMatrix &a, const std::vector<Index> &row_order, const std::vector<Index> &col_order);

} // namespace petscspmv::bench
