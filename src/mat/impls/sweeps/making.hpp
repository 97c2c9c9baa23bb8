#pragma once

/// \file making.hpp
/// What is given to those who make sweeps and incomplete factors, and what they give.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "impls/sweeps/blocks.hpp"

namespace petscspmv {

/// When something is made.
enum class Making {
  always,
  if_faster, ///< unless PETSc's sweep on one core, with copies of the vectors, is predicted to be faster
};

template <class T> struct Made {
  std::unique_ptr<T> engine; ///< null: PETSc's is faster
  std::string        why_not = {};
};

/// Sends the pattern of `a` to where it is looked at, once for all who do so while the result is there: `a` has it
/// there. Throws FormatError: there is no room.
template <class Scalar, class Index> std::shared_ptr<const void> bring_pattern(CsrView<Scalar, Index> &a, const Execution &execution);

/// What is found out of a pattern in an order of its rows, the same for sweeps and factors, in the memory where they
/// work.
template <class Scalar, class Index> struct Analysis;
/// On the host.
template <class Scalar, class Index> std::size_t bytes_taken(const Analysis<Scalar, Index> &analysis);
/// All that it has, by names.
template <class Scalar, class Index> std::map<std::string, std::vector<std::int64_t>> numbers_of(const Analysis<Scalar, Index> &analysis);

/// Kept for a matrix by whoever has it made into several things. Each maker looks whether it is of the pattern and the
/// order that it is given; if not, it leaves its own there.
template <class Scalar, class Index> using KeptAnalysis = std::shared_ptr<const Analysis<Scalar, Index>>;

/// What is found of this pattern, or its upper triangle and the transpose of that, with fill.
template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed_with_fill(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                               const Execution &execution, Making when);

} // namespace petscspmv
