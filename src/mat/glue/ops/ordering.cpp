#include <petsc/private/matimpl.h> // the operation, which has no name in older versions, and its event

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "glue/finally.hpp"
#include "glue/ops/ops.hpp"
#include "glue/ops/sor.hpp"
#include "glue/options.hpp"

namespace petscspmv::shadow {

namespace {

PetscErrorCode CreateNatural(Mat A, IS *order)
{
  PetscFunctionBegin;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, A->rmap->n, 0, 1, order));
  PetscCall(ISSetIdentity(*order));
  PetscCall(ISSetPermutation(*order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The natural order, which our factors need not read, without arrays: to touch PETSc's two takes a quarter of a set-up
/// of ILU on a device.
template <class Ops> PetscErrorCode MatGetOrdering_Shadow(Mat A, MatOrderingType type, IS *row, IS *col)
{
  Ops  *ops = A->ops;
  Entry e;
  bool  views;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  PetscCall(HasAnyOption((PetscObject)A, ((PetscObject)A)->prefix, {"-mat_view_ordering"}, &views));
  if (std::string(type) == MATORDERINGNATURAL && A->rmap->n == A->cmap->n && !views) {
    PetscCall(PetscLogEventBegin(MAT_GetOrdering, A, 0, 0, 0));
    const Finally end([A] { return PetscLogEventEnd(MAT_GetOrdering, A, 0, 0, 0); });
    PetscCall(CreateNatural(A, row));
    PetscCall(CreateNatural(A, col)); // PCILU destroys one of two that are the same
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Finally restore([ops, own = std::exchange(ops->getordering, nullptr)] { // without it PETSc asks its list of orderings
    ops->getordering = own;
    return PETSC_SUCCESS;
  });
  PetscCall(MatGetOrdering(A, type, row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// None in versions of PETSc without the operation.
template <class Ops = _MatOps> std::span<const Row> OrderingRow()
{
  if constexpr (requires { &Ops::getordering; }) {
    static const Row row[] = {{static_cast<MatOperation>(offsetof(Ops, getordering) / sizeof(VoidFn)), (VoidFn)MatGetOrdering_Shadow<Ops>,
                               [](const Entry &e) { return MaySweep(*e.own, e.home); }}};
    return row;
  } else return {};
}

} // namespace

Rows OrderingRows()
{
  return {OrderingRow(), {}};
}

} // namespace petscspmv::shadow
