#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"

namespace petscspmv::shadow {

/// A part has the method of the whole, unless its type or its options give it one.
static PetscErrorCode GiveMethod(const Entry &whole, Mat part)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(Find(part, &e));
  if (!e.own) PetscCall(AttachPart(whole, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Into submatrices that are all of a parallel matrix, PETSc writes new values on the host, and their states stay.
/// Products see the values, as AIJ's do, and so do our sweeps; PETSc's go on with the inverse of the diagonal that it
/// has.
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
  for (PetscInt k = 0; k < n; ++k)
    if (reuse == MAT_INITIAL_MATRIX) PetscCall(GiveMethod(e, (*parts)[k]));
    else if (e.own->mpi) PetscCall(SeeValues((*parts)[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreateSubMatrix_Shadow(Mat A, IS rows, IS cols, MatReuse reuse, Mat *part)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_CREATE_SUBMATRIX, rows, cols, reuse, part));
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(GiveMethod(e, *part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows SubmatricesRows()
{
  static const Row seq[] = {{MATOP_CREATE_SUBMATRICES, (VoidFn)MatCreateSubMatrices_Shadow}}; // PETSc makes one as several
  static const Row mpi[] = {seq[0], {MATOP_CREATE_SUBMATRIX, (VoidFn)MatCreateSubMatrix_Shadow}};
  return {seq, mpi};
}

} // namespace petscspmv::shadow
