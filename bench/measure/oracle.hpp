#pragma once

/// \file oracle.hpp
/// What a product must give, and how far it may be off.

#include <cstddef>
#include <span>
#include <vector>

#include "matrix/csr.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

/// The rows of a matrix that one rank holds, with columns numbered as in the whole matrix.
struct LocalMatrix {
  const CsrMatrix *rows       = nullptr;
  Index            all_rows   = 0;
  Index            first_row  = 0;
  Index            first_col  = 0; ///< of the part of x that this rank owns
  Index            local_cols = 0;
};

/// The entry j of x, in [-1, 1): every rank knows all of them.
inline double vector_entry(std::int64_t j)
{
  return 2 * unit_interval(hash64(0xf0, std::uint64_t(j))) - 1;
}

/// Verdict on one result.
struct Check {
  bool         right = true;
  double       error = 0;  ///< greatest |y - y_ref| over its bound; at most 1 if right, infinite for NaN
  std::int64_t row   = -1; ///< where that is, numbered from 0 in the whole matrix
};

/// Componentwise: |y - y_ref|_i <= ((nnz_i + 4) eps + loss) (|A| |x|)_i with y_ref in long double, which holds for any
/// order of the sums, and `loss`, the relative error that values of A may have, by default none.
class Oracle {
public:
  explicit Oracle(const LocalMatrix &a);

  std::size_t rows() const { return expected_.size(); }

  /// Compares the local part of y with factor * A x.
  Check check(std::span<const double> y, double factor = 1, double loss = 0) const;

private:
  Index                    first_row_;
  std::vector<long double> expected_;
  std::vector<double>      size_;     ///< |A| |x|
  std::vector<double>      rounding_; ///< as a multiple of it
};

} // namespace petscspmv::bench
