#include "impls/shadow/shadow.hpp"

namespace petscspmv::shadow {

namespace {

/// The one hook that every way to a parallel AIJ matrix passes: preallocation, hash tables, COO, submatrices, MatLoad,
/// products. The parent makes its blocks anew in several of them, so they become ours afterwards, each time.
PetscErrorCode MatAssemblyEnd_MPIShadow(Mat A, MatAssemblyType mode)
{
  PetscFunctionBegin;
  PetscCall((*Parent<PetscErrorCode (*)(Mat, MatAssemblyType)>(true, MATOP_ASSEMBLY_END))(A, mode));
  if (mode == MAT_FINAL_ASSEMBLY) PetscCall(AttachBlocks(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells both blocks that the next product is AIJ's own.
PetscErrorCode LeaveBlocksToAij(Mat (&blocks)[2])
{
  Shadow *shadow;

  PetscFunctionBegin;
  for (Mat block : blocks) {
    PetscCall(ShadowGet(block, &shadow));
    shadow->early = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Builds both formats before ghost values begin to travel: not between begin and end of the scatter, where a slow build would
/// be waited for by the neighbours.
PetscErrorCode SyncBlocks(Mat A, MemorySpace space)
{
  Mat     blocks[2];
  Shadow *shadow, *block_shadow;
  bool    by_aij;

  PetscFunctionBegin;
  PetscCall(ReadOptionsOnce(A)); // not in the assembly, which a wrong option would leave half done
  PetscCall(GetBlocks(A, blocks));
  if (!IsShadowType(blocks[0]) || !IsShadowType(blocks[1])) PetscCall(AttachBlocks(A)); // MatHeaderMerge brings its own
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(TuneIfAsked(A, shadow, space));
  PetscCall(IsLeftToAij(A, space, shadow, &by_aij));
  if (by_aij) {
    PetscCall(LeaveBlocksToAij(blocks));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (Mat block : blocks) {
    PetscCall(ShadowSync(block, space, &block_shadow));
    block_shadow->early = 0; // no longer
  }
  if (shadow->kind->format.has_ways) PetscCall(ConsiderWays(A, shadow, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x: the parent's product on the host, our own where the vectors are on the device.
template <MatOperation operation, Operation op> PetscErrorCode MatMult_MPIShadow(Mat A, Vec x, Vec y)
{
  MemorySpace space;

  PetscFunctionBegin;
  PetscCall(ProductSpace(A, x, y, &space));
  PetscCall(SyncBlocks(A, space));
  if (space == MemorySpace::device) PetscCall(ShadowMultiplyHalo(A, op, x, 0, y));
  else PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec, Vec)>(true, operation))(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = y + op(A) x
template <MatOperation operation, Operation op> PetscErrorCode MatMultAdd_MPIShadow(Mat A, Vec x, Vec y, Vec z)
{
  MemorySpace space;

  PetscFunctionBegin;
  PetscCall(ProductSpace(A, x, z, &space));
  PetscCall(SyncBlocks(A, space));
  if (space == MemorySpace::device) {
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(ShadowMultiplyHalo(A, op, x, 1, z));
  } else PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec, Vec, Vec)>(true, operation))(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc (3.26) adds up columns in a new vector's array that nobody has set to zero, which only vectors on the host are by themselves.
PetscErrorCode MatNorm_MPIShadow(Mat A, NormType type, PetscReal *norm)
{
  const auto     parent = Parent<PetscErrorCode (*)(Mat, NormType, PetscReal *)>(true, MATOP_NORM);
  Mat            mats[3];
  std::string    types[3];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!kCudaPetsc) {
    PetscCall((*parent)(A, type, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  mats[0] = A;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &mats[1], &mats[2], NULL));
  for (int i = 0; i < 3; ++i) {
    VecType used;
    PetscCall(MatGetVecType(mats[i], &used));
    types[i] = used;
    PetscCall(MatSetVecType(mats[i], VECSTANDARD));
  }
  ierr = (*parent)(A, type, norm);
  for (int i = 0; i < 3; ++i) PetscCall(MatSetVecType(mats[i], types[i].c_str())); // whatever came of it
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_MPIShadow(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy_Shadow(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

std::span<const Override> MPIOverrides()
{
  static const Override overrides[] = {
    {MATOP_MULT, (VoidFn)MatMult_MPIShadow<MATOP_MULT, Operation::none>},
    {MATOP_MULT_ADD, (VoidFn)MatMultAdd_MPIShadow<MATOP_MULT_ADD, Operation::none>},
    {MATOP_MULT_TRANSPOSE, (VoidFn)MatMult_MPIShadow<MATOP_MULT_TRANSPOSE, Operation::transpose>},
    {MATOP_MULT_TRANSPOSE_ADD, (VoidFn)MatMultAdd_MPIShadow<MATOP_MULT_TRANSPOSE_ADD, Operation::transpose>},
    {MATOP_ASSEMBLY_END, (VoidFn)MatAssemblyEnd_MPIShadow},
    {MATOP_NORM, (VoidFn)MatNorm_MPIShadow},
    {MATOP_DESTROY, (VoidFn)MatDestroy_MPIShadow},
    {MATOP_DUPLICATE, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, (VoidFn)MatView_Shadow},
    {MATOP_CONVERT, (VoidFn)MatConvert_Shadow},
    {MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow},
    {MATOP_BIND_TO_CPU, (VoidFn)MatBindToCPU_Shadow},
  };
  return overrides;
}

} // namespace petscspmv::shadow
