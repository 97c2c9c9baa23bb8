#pragma once

/// \file bccoo_shape.hpp
/// Which blocks suit a matrix, found by looking at some of its rows.

#include <array>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "impls/bccoo/bccoo_layout.hpp"
#include "impls/bccoo/bccoo_tuning.hpp"

namespace petscspmv::bccoo {

/// What samples of the rows say of blocks of every shape.
struct Fill {
  /// [h - 1][w - 1], blocks of h x w that hold entries of the samples.
  std::array<std::array<std::int64_t, longest_side>, longest_side> blocks{};
  /// [h - 1], entries in blocks that were looked at, block rows with entries, and rows.
  std::array<std::int64_t, longest_side> entries{}, block_rows{}, rows{};
  double                                 mean = 0; ///< entries of a row of the matrix

  /// What blocks of this shape take for each entry, if one of them takes `each`.
  double per_entry(Shape s, double each) const;
  double rows_per_entry(Shape s) const; ///< block rows
};

/// `sorted`: columns ascend in every row.
template <class Scalar, class Index> Fill sample_fill(const CsrView<Scalar, Index> &a, bool sorted);

/// Bytes of blocks for each entry: how many they may take, and up to how many they come from a near cache.
struct ByteLimits {
  double most, near;
};

/// The shape with the least predicted time of a product among those with these sides that take at most `limits.most`
/// bytes or are not much larger than the smallest; a side of 0 is free. If lanes shall have a block each and both sides
/// are free, it is a square that they multiply in registers.
Shape best_shape(const Fill &fill, Shape asked, std::size_t scalar_bytes, const ByteLimits &limits, const tuning::Cost &cost);

/// The number of slices whose parts of x fit the second cache, if rows are long and wide enough for that; else 1.
template <class Scalar, class Index> int slices_that_pay(const CsrView<Scalar, Index> &a, Shape shape);

/// Facts for -mat_view: the shape, the number of blocks, and the zeros that pad them.
Facts facts_of_blocks(Shape shape, std::int64_t blocks, std::int64_t zeros);

} // namespace petscspmv::bccoo
