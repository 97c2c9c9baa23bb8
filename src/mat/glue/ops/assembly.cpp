#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

/// The end of assembly is the one hook that every way to an AIJ matrix passes: preallocation, hash tables, COO,
/// submatrices, MatLoad, products. The parent makes the blocks of a parallel matrix anew in several of them, so they
/// are attached afterwards, each time.
static PetscErrorCode MatAssemblyEnd_Shadow(Mat A, MatAssemblyType mode)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_ASSEMBLY_END, mode));
  if (mode != MAT_FINAL_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EnterUnread(A, &e)); // the parent may have made another matrix of it
  PetscCall(ShadowReattach(e));
  PetscCall(e.own->mpi ? AttachBlocks(e) : CheckSize(e));
  if (!e.own->mpi) PetscCall(SeePattern(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows AssemblyRows()
{
  static const Row rows[] = {{MATOP_ASSEMBLY_END, (VoidFn)MatAssemblyEnd_Shadow}};
  return {rows, rows};
}

} // namespace petscspmv::shadow
