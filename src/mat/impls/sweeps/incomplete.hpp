#pragma once

/// \file incomplete.hpp
/// Incomplete factors, ILU(k) and ICC(k), in the order of the rows: those of that order, and solves with them.
///
/// Factors and solves wait row by row, as sweeps do (sweeps.hpp).

#include <type_traits>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "core/engine.hpp"
#include "impls/sweeps/making.hpp"

namespace petscspmv {

/// A pivot fits if its size is over `least`; as a multiple of the sum of its row's other entries in the factors, if
/// `relative`. Its size is the real part, if `positive`, or else the absolute value.
struct PivotRule {
  double least    = 0;
  bool   relative = false, positive = false;
};

/// What a solve with the factors L D U does. U is the transpose of L in those of a symmetric matrix.
enum class Solving {
  both,
  lower_root, ///< x = (L D^1/2)^-1 b
  upper_root, ///< x = (D^1/2 U)^-1 b
};

/// The factors as one matrix on the host, [rows] rows with ascending columns: right of the diagonal and on it D U, left
/// of it L, whose diagonal of ones is left out.
template <class Scalar, class Index> struct FactorsView {
  const Index  *row_ptr, *col, *diagonal; ///< diagonal: [rows] places of entries
  const Scalar *entry;
  const Index  *row; ///< [rows] the matrix's, of each row and column of the factors; null: the same
};

/// The factors of a square matrix. One thread calls it at a time. A device queues the work on runtime::use_stream's
/// stream.
template <class Scalar, class Index> class IncompleteFactors {
public:
  virtual ~IncompleteFactors() = default;
  /// Factors a matrix, and waits for a device. One with another pattern has as many rows: entries that the pattern of
  /// the factors lacks are dropped, as PETSc does. False if a pivot does not fit: there are no factors then. Throws
  /// FormatError or std::bad_alloc.
  virtual bool factor(const CsrView<Scalar, Index> &a, const PivotRule &rule) = 0;
  /// b and x have `rows` entries each, are in the memory of the matrix, and do not overlap. The same input gives the
  /// same bits. On a device, allocates nothing and waits for nothing. Never throws.
  virtual void solve(Solving what, const Scalar *b, Scalar *x) = 0;
  /// x = (L D U)^-T b on the host, by one thread.
  virtual void solve_transposed(const Scalar *b, Scalar *x) = 0;
  /// False if an entry of D is negative or not real: then D^1/2 is not to be had.
  virtual bool has_roots() const = 0;
  /// Until the next factor(). Throws std::bad_alloc.
  virtual FactorsView<Scalar, Index> on_host()         = 0;
  virtual Index                      nonzeros() const  = 0; ///< of both triangles and the diagonal
  virtual double                     flops() const     = 0; ///< of factor(), as PETSc counts: of a symmetric matrix the pivots alone
  virtual Footprint                  footprint() const = 0;
  virtual Facts                      facts() const     = 0;
};

/// Looks at the pattern of `a` alone: for ILU(levels), or if `symmetric` at its upper triangle for ICC(levels). `order`
/// and errors are as those of make_sweeps(); the triangles are those of the matrix in this order. Fill ties blocks of
/// one colour, which are then solved row by row.
template <class Scalar, class Index>
Made<IncompleteFactors<Scalar, Index>>
make_incomplete_factors(const CsrView<Scalar, Index> &a, const BlockOrder<std::type_identity_t<Index>> *order, bool symmetric, int levels,
                        const Execution &execution, Making when = Making::always, KeptAnalysis<Scalar, Index> *kept = nullptr);

} // namespace petscspmv
