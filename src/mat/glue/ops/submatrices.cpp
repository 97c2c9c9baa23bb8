#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

/// Into submatrices that are all of A, PETSc writes new values on the host, and their states stay. Products see the values, as
/// AIJ's do, and so do our sweeps; PETSc's go on with the inverse of the diagonal that it has.
static PetscErrorCode SeeValues(Mat part)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(Find(part, &e));
  if (!e.own) PetscFunctionReturn(PETSC_SUCCESS);
  e.own->forget_values();
  TakeFromHost(e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreateSubMatrices_Shadow(Mat A, PetscInt n, const IS rows[], const IS cols[], MatReuse reuse, Mat *parts[])
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_CREATE_SUBMATRICES, n, rows, cols, reuse, parts));
  for (PetscInt k = 0; reuse == MAT_REUSE_MATRIX && k < n; ++k) PetscCall(SeeValues((*parts)[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows SubmatricesRows()
{
  static const Row mpi[] = {{MATOP_CREATE_SUBMATRICES, (VoidFn)MatCreateSubMatrices_Shadow}};
  return {{}, mpi};
}

} // namespace petscspmv::shadow
