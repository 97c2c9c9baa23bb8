#pragma once

/// \file route.hpp
/// Who multiplies: a format of ours, or PETSc's own function, and why. Decided here alone, for each product.

#include "glue/auto.hpp"

namespace petscspmv::shadow {

/// Why. All but `ours` leave the product to PETSc.
enum class Reason : unsigned char {
  ours,       ///< a format that is in step
  tiny,       ///< so few entries (-mat_spmv_tiny) that a call of any other function takes longer than AIJ's whole product
  no_kernels, ///< the method has none where the matrix and the vectors are
  index,      ///< a transposed product on a device, whose index has not been paid for yet, or has no room
  unpaid,     ///< auto: products have not paid for the format yet, or AIJ's turned out to be faster
  failed,     ///< the format cannot be built
};

/// The reason as the end of the sentence "products are AIJ's own: ...".
std::string Text(Reason reason, const Shadow &shadow);

struct Route {
  Form   form   = MemorySpace::host; ///< which format, where A and all vectors are, or else on the host
  Reason reason = Reason::ours;
  Timing timing;

  bool by_parent() const { return reason != Reason::ours; }
};

/// The route of op(A) x, with the result in y, and of `columns` dense vectors that are where A is. Builds or
/// refreshes the format. The caller has the turn. Never an error: what cannot be built is PETSc's.
PetscErrorCode FindRoute(const Entry &e, Operation op, Vec x, Vec y, Route *route);
PetscErrorCode FindRouteOfSeveral(const Entry &e, Operation op, PetscInt columns, Route *route);

/// That of a plain product where A is, as far as it is known without a format: for a report. Builds nothing.
PetscErrorCode FindRouteSoFar(const Entry &e, Route *route);

/// Where a product of A with x and y runs: where A and both vectors are, or else on the host.
PetscErrorCode ProductSpace(const Entry &e, Vec x, Vec y, MemorySpace *space);

/// Whether the method has kernels there.
bool HasKernels(const Shadow &shadow, MemorySpace space);

/// Finds whether a sequential matrix is tiny, so that AIJ's own functions are its products, and chooses its operations.
/// By its size alone, whatever has been built of it: the same matrix gives the same bits. A is assembled, or just being
/// so: what asks for the size sets up a matrix that is not.
PetscErrorCode CheckSize(const Entry &e);

/// All transposed products on a device are PETSc's, for there is no room for the index.
void GiveUpIndex(Shadow *shadow);

/// Whether the first products of auto are left to AIJ, and all of tiny matrices. Tests of what formats do from the
/// first product on say no.
inline bool head_starts = true;

} // namespace petscspmv::shadow
