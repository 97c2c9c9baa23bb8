#include "glue/ops/ops.hpp"
#include "glue/parent.hpp"

namespace petscspmv::shadow {

/// Into submatrices that are all of A, PETSc writes new values without another state.
static PetscErrorCode MatCreateSubMatrices_Shadow(Mat A, PetscInt n, const IS rows[], const IS cols[], MatReuse reuse, Mat *parts[])
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_CREATE_SUBMATRICES, n, rows, cols, reuse, parts));
  for (PetscInt k = 0; reuse == MAT_REUSE_MATRIX && k < n; ++k) {
    PetscScalar *values;
    PetscCall(MatSeqAIJGetArrayWrite((*parts)[k], &values));
    PetscCall(MatSeqAIJRestoreArrayWrite((*parts)[k], &values)); // as if they had been written so, on the host
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows SubmatricesRows()
{
  static const Row mpi[] = {{MATOP_CREATE_SUBMATRICES, (VoidFn)MatCreateSubMatrices_Shadow}};
  return {{}, mpi};
}

} // namespace petscspmv::shadow
