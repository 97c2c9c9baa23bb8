#pragma once

/// \file known_pattern.hpp
/// The pattern that something was made from, known again by a sum over it.
///
/// PETSc keeps states and addresses where it writes other columns over the old ones. Only the pattern tells that it is
/// the same.

#include <cstdint>

#include "csr_view.hpp"

namespace petscspmv {

/// What depends on a pattern.
enum class PatternUse {
  row_ptr, ///< the number of entries in each row alone: columns are read where the matrix has them
  all,
};

/// Two sums, of numbers times random ones that belong to their places. That other numbers give the same sum is as
/// improbable as 2^-31; if two numbers have changed places, or one number has changed, it is impossible.
struct PatternSum {
  std::uint64_t row_ptr = 0, col = 0;

  friend bool operator==(const PatternSum &, const PatternSum &) = default;
};

/// Of those arrays on the device, there, where the newest values are there, too; else of those on the host, by so many
/// threads. Waits.
template <class Scalar, class Index> PatternSum pattern_sum(const CsrView<Scalar, Index> &a, PatternUse use, int threads);

/// Such a sum of n numbers of the host, by so many threads.
template <class Index> std::uint64_t sum_of_numbers(const Index *numbers, std::int64_t n, int threads);

/// Takes some bytes, and a pass over the pattern for each call.
template <class Scalar, class Index> class KnownPattern {
  using View = CsrView<Scalar, Index>;

public:
  KnownPattern(const View &a, int threads, PatternUse use = PatternUse::all)
    : rows_(a.rows), cols_(a.cols), nonzeros_(a.nonzeros()), use_(use), threads_(threads), sum_(pattern_sum(a, use, threads))
  {
  }

  bool is_of(const View &a) const
  {
    return a.rows == rows_ && a.cols == cols_ && a.nonzeros() == nonzeros_ && pattern_sum(a, use_, threads_) == sum_;
  }

  friend bool operator==(const KnownPattern &a, const KnownPattern &b)
  {
    return a.rows_ == b.rows_ && a.cols_ == b.cols_ && a.nonzeros_ == b.nonzeros_ && a.sum_ == b.sum_;
  }

private:
  Index      rows_, cols_, nonzeros_;
  PatternUse use_;
  int        threads_;
  PatternSum sum_;
};

} // namespace petscspmv
