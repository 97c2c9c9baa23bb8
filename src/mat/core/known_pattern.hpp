#pragma once

/// \file known_pattern.hpp
/// The pattern that something was made from, known again by a sum over it.
///
/// PETSc keeps states and addresses where it writes other columns over the old ones. Only the pattern tells that it is the same.

#include <cstdint>

#include "csr_view.hpp"
#include "execution.hpp"

namespace petscspmv {

/// What depends on a pattern.
enum class PatternUse {
  row_ptr, ///< the number of entries in each row alone: columns are read where the matrix has them
  all,
};

/// Two sums, of numbers times random ones that belong to their places. That other numbers give the same sum is as improbable
/// as 2^-31; if two numbers have changed places, or one number has changed, it is impossible.
struct PatternSum {
  std::uint64_t row_ptr = 0, col = 0;

  friend bool operator==(const PatternSum &, const PatternSum &) = default;
};

/// Of arrays on the device, there, where the values are there and both arrays, too; else of those on the host, by so many
/// threads. Waits. Throws FormatError if the device fails.
template <class Scalar, class Index> PatternSum pattern_sum(const CsrView<Scalar, Index> &a, PatternUse use, const Execution &execution);

/// Takes some bytes, and a pass over the pattern for each call.
template <class Scalar, class Index> class KnownPattern {
  using View = CsrView<Scalar, Index>;

public:
  KnownPattern(const View &a, const Execution &execution, PatternUse use = PatternUse::all)
    : rows_(a.rows), cols_(a.cols), nonzeros_(a.nonzeros()), use_(use), execution_(execution), sum_(pattern_sum(a, use, execution))
  {
  }

  bool is_of(const View &a) const
  {
    return a.rows == rows_ && a.cols == cols_ && a.nonzeros() == nonzeros_ && pattern_sum(a, use_, execution_) == sum_;
  }

private:
  Index      rows_, cols_, nonzeros_;
  PatternUse use_;
  Execution  execution_;
  PatternSum sum_;
};

} // namespace petscspmv
