#include "impls/shadow/shadow.hpp"

#include <iterator>

namespace petscspmv::shadow {

static PetscErrorCode MatDestroy_MPIShadow(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy_Shadow(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The end of assembly is the one hook that every way to an AIJ matrix passes: preallocation, hash tables, COO, submatrices, MatLoad, products. The
/// parent makes the blocks of a parallel matrix anew in several of them, so they are attached afterwards, each time.
PetscErrorCode MatAssemblyEnd_Shadow(Mat A, MatAssemblyType mode)
{
  const bool mpi = IsMPI(A);
  Shadow    *shadow;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  PetscCall((*Parent<PetscErrorCode (*)(Mat, MatAssemblyType)>(*shadow, mpi, MATOP_ASSEMBLY_END))(A, mode));
  if (mode != MAT_FINAL_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(ShadowReattach(A, shadow));
  if (mpi) PetscCall(AttachBlocks(A));
  else PetscCall(JudgeSize(A, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::span<const Override> MPIOverrides()
{
  static const Override overrides[] = {
    {MATOP_ASSEMBLY_END, (VoidFn)MatAssemblyEnd_Shadow},
    {MATOP_DUPLICATE, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, (VoidFn)MatView_Shadow},
    {MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow},
    {MATOP_BIND_TO_CPU, (VoidFn)MatBindToCPU_Shadow},
    {MATOP_DESTROY, (VoidFn)MatDestroy_MPIShadow, false, true},
    {MATOP_CONVERT, (VoidFn)MatConvert_Shadow, false, true},
  };
  static_assert(std::size(overrides) <= kMostOverrides);
  return overrides;
}

} // namespace petscspmv::shadow
