#pragma once

/// \file sweeps.hpp
/// Relaxation by sweeps through the rows in their order (Gauss-Seidel, SOR, SSOR), exactly, by many threads: rows that do
/// not need each other, a level, are done at the same time (Anderson and Saad, Int. J. High Speed Computing 1, 1989), and
/// a row waits for nothing but the values that it reads (Liu, Li, Hogg, Duff, Vinter, Euro-Par 2016).

#include <memory>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "core/footprint.hpp"
#include "core/format.hpp"

namespace petscspmv {

/// What MatSOR() is asked for, for A = L + D + U.
struct Relaxation {
  bool   forward = true, backward = true; ///< the sweeps of an iteration, in this order
  bool   zero_guess = false;              ///< x is taken for zero, and not read
  int    iterations = 1;                  ///< 1 at least
  double omega      = 1;
  double shift      = 0; ///< added to the diagonal where it is divided by
};

/// A square matrix in the order in which its sweeps go.
///
/// Several threads may call it, one after the other. On a device, work is queued on runtime::use_stream's stream.
template <class Scalar, class Index> class Sweeps {
public:
  virtual ~Sweeps() = default;
  /// New values of the same pattern. On a device, waits. Throws FormatError or std::bad_alloc, and is then of no more use.
  virtual void refresh(const CsrView<Scalar, Index> &a) = 0;
  /// Improves x, where b and x have as many entries as there are rows, in the memory of the matrix, and do not overlap. A
  /// row's sum is always added in the same order. On a device nothing is allocated, and nothing waits. Never throws.
  virtual void relax(const Relaxation &what, const Scalar *b, Scalar *x) = 0;
  virtual bool has_zero_on_diagonal() const                              = 0;
  /// Floating-point operations, as PETSc counts those of MatSOR().
  virtual double    flops(const Relaxation &what) const = 0;
  virtual Footprint footprint() const                   = 0;
  virtual Facts     facts() const                       = 0;
};

/// Throws std::bad_alloc, or FormatError: if columns do not ascend in some row, a diagonal entry is missing, there is no
/// room, or, with `only_if_faster`, one core of the host is expected to be as fast, vectors copied there and back.
template <class Scalar, class Index>
std::unique_ptr<Sweeps<Scalar, Index>> make_sweeps(const CsrView<Scalar, Index> &a, const Execution &execution, bool only_if_faster);

} // namespace petscspmv
