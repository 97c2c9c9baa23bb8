#pragma once

/// \file parent.hpp
/// AIJ's own functions, which an attached matrix falls back on.

#include <array>
#include <string>

#include "glue/door/enter.hpp"

namespace petscspmv::shadow {

/// True for a type whose name is ours, sequential or parallel.
bool IsShadowType(Mat A);

/// True if A's type is, or is derived from, a parallel AIJ matrix.
bool IsMPI(Mat A);

/// The types that can be attached: not ours, nor PETSc's other subtypes of AIJ.
inline constexpr std::array kParentTypes{MATSEQAIJ, MATMPIAIJ, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, MATSEQAIJKOKKOS, MATMPIAIJKOKKOS};

/// Whether A is of one of them.
PetscErrorCode IsParentType(Mat A, PetscBool *is);

/// What MatStoreValues() and MatRetrieveValues() call for a sequential matrix. AIJ's keep the values on the host as
/// they are there, older than those on a device perhaps, and write them back without a new object state and without a
/// word to the device.
struct KeptValues {
  PetscErrorCode (*store)(Mat)    = nullptr;
  PetscErrorCode (*retrieve)(Mat) = nullptr;
};
extern const KeptValues kOurKeptValues;
PetscErrorCode          ComposeKeptValues(Mat A, const KeptValues &functions);

/// AIJ's functions are not exported, but every AIJ matrix carries pointers to them.
struct KnownParent {
  ParentFunctions functions;
  KeptValues      kept_values;
};

/// The functions of a new matrix of this type, looked up once a process.
PetscErrorCode FindParent(const std::string &type, const KnownParent **known);

/// The type that a matrix is but for a name of ours.
std::string ParentType(Mat A);

/// The one of these for an operation of ours; null if there is none.
VoidFn FunctionOf(const ParentFunctions &functions, bool mpi, MatOperation operation);

/// The parent's own function for an operation of ours; null if it has none.
VoidFn ParentFunction(const Entry &e, MatOperation operation);

/// The same for any matrix of A's type, whether it is attached or not.
PetscErrorCode TypesFunction(Mat A, MatOperation operation, VoidFn *function);

/// Lets the parent do it, which is to have a function for that.
template <class... Args> PetscErrorCode CallParent(const Entry &e, MatOperation operation, Args... args)
{
  const auto own = reinterpret_cast<PetscErrorCode (*)(Mat, Args...)>(ParentFunction(e, operation));
  PetscCheck(own, PETSC_COMM_SELF, PETSC_ERR_SUP, "Matrices of type %s have no operation %d", ((PetscObject)e.A)->type_name,
             (int)operation);
  return (*own)(e.A, args...);
}

/// y = op(A) x + beta y by the parent of a sequential matrix, beta being 0 or 1; `space` is that of the product
/// (ProductSpace()): where it is not the parent's, with copies of x and y.
PetscErrorCode MultiplyAsParent(const Entry &e, MemorySpace space, Operation op, Vec x, PetscScalar beta, Vec y);

} // namespace petscspmv::shadow
