#pragma once

/// \file sweeps.hpp
/// Relaxation by sweeps through the rows in their order (Gauss-Seidel, SOR, SSOR), with the results of that order.
///
/// Rows of a level do not read each other, and many threads do them at the same time (Anderson and Saad, Int. J. High
/// Speed Computing 1, 1989). A row waits for the values that it reads, and not for a level to end (Liu, Li, Hogg, Duff,
/// Vinter, Euro-Par 2016).

#include <type_traits>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "core/engine.hpp"
#include "impls/sweeps/making.hpp"

namespace petscspmv {

/// What MatSOR() does, for A = L + D + U.
enum class Relaxing {
  sweeps,
  eisenstat, ///< x = (L + E)^-1 A (U + E)^-1 b with E = D / omega (Eisenstat, SIAM J. Sci. Stat. Comput. 2, 1981)
  upper,     ///< x = (U + (D + shift) / omega) b
};

/// What it is asked for.
struct Relaxation {
  bool     forward = true, backward = true; ///< the sweeps of an iteration, in this order
  bool     zero_guess = false;              ///< the first sweep takes x for zero and does not read it
  int      iterations = 1;                  ///< 1 at least
  double   omega      = 1;
  double   shift      = 0;                ///< added to the diagonal where it is divided by
  Relaxing what       = Relaxing::sweeps; ///< of the others, omega and shift alone count
};

/// A square matrix in the order of its levels. One thread calls it at a time. A device queues the work on
/// runtime::use_stream's stream.
template <class Scalar, class Index> class Sweeps : public Engine<Scalar, Index> {
public:
  using Engine<Scalar, Index>::Engine;

  /// Improves x. b and x have `rows` entries each, are in the memory of the matrix, and do not overlap. The same input
  /// gives the same bits. On a device, allocates nothing and waits for nothing. Never throws.
  virtual void relax(const Relaxation &what, const Scalar *b, Scalar *x) = 0;
  virtual bool has_zero_on_diagonal() const                              = 0;
  /// Floating-point operations, as PETSc counts those of MatSOR().
  virtual double flops(const Relaxation &what) const = 0;
};

/// In the order of the rows, or in another one, which is copied: `order`; null: there is none. Its blocks, if it has
/// some, are done colour by colour. Throws std::bad_alloc or FormatError: columns do not ascend in a row, a diagonal
/// entry is missing, or the device has no room.
template <class Scalar, class Index>
Made<Sweeps<Scalar, Index>> make_sweeps(const CsrView<Scalar, Index> &a, const BlockOrder<std::type_identity_t<Index>> *order,
                                        const Execution &execution, Making when = Making::always,
                                        KeptAnalysis<Scalar, Index> *kept = nullptr);

} // namespace petscspmv
