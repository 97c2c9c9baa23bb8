#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

/// On a device, where the host has changed the pattern and the nonzero state is the same: PETSc is to bring the pattern, too.
static PetscErrorCode SeePattern(const Entry &e)
{
  PetscObjectState state;
  View             view;
  int              threads;

  PetscFunctionBegin;
  if (e.home == MemorySpace::host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PatternOnHost(e.A, &view));
  PetscCall(ShadowThreads(*e.own, e.home, &threads));
  PetscCall(MatGetNonzeroState(e.A, &state));
  auto now = std::make_unique<KnownPattern<PetscScalar, PetscInt>>(view, threads);
  if (e.own->assembled && e.own->assembled_state == state && !(*e.own->assembled == *now)) PetscCall(BringPatternAnew(e));
  e.own->assembled = std::move(now);
  PetscCall(MatGetNonzeroState(e.A, &e.own->assembled_state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
