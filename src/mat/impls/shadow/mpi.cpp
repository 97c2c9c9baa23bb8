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

/// Builds both formats before the parent begins to send ghost values: not between begin and end of the scatter, where a
/// slow build would be waited for by the neighbours.
PetscErrorCode SyncBlocks(Mat A)
{
  Mat     blocks[2];
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(ReadOptionsOnce(A)); // not in the assembly, which a wrong option would leave half done
  PetscCall(GetBlocks(A, blocks));
  if (!IsShadowType(blocks[0]) || !IsShadowType(blocks[1])) PetscCall(AttachBlocks(A)); // MatHeaderMerge brings its own
  for (Mat block : blocks) PetscCall(ShadowSync(block, &shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The parent's product of two or three vectors, once the blocks are in step.
template <MatOperation operation, class... Vecs> PetscErrorCode Product_MPIShadow(Mat A, Vecs... vecs)
{
  PetscFunctionBegin;
  PetscCall(SyncBlocks(A));
  PetscCall((*Parent<PetscErrorCode (*)(Mat, Vecs...)>(true, operation))(A, vecs...));
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
    {MATOP_MULT, (VoidFn)Product_MPIShadow<MATOP_MULT, Vec, Vec>},
    {MATOP_MULT_ADD, (VoidFn)Product_MPIShadow<MATOP_MULT_ADD, Vec, Vec, Vec>},
    {MATOP_MULT_TRANSPOSE, (VoidFn)Product_MPIShadow<MATOP_MULT_TRANSPOSE, Vec, Vec>},
    {MATOP_MULT_TRANSPOSE_ADD, (VoidFn)Product_MPIShadow<MATOP_MULT_TRANSPOSE_ADD, Vec, Vec, Vec>},
    {MATOP_ASSEMBLY_END, (VoidFn)MatAssemblyEnd_MPIShadow},
    {MATOP_DESTROY, (VoidFn)MatDestroy_MPIShadow},
    {MATOP_DUPLICATE, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, (VoidFn)MatView_Shadow},
    {MATOP_CONVERT, (VoidFn)MatConvert_Shadow},
    {MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow},
  };
  return overrides;
}

} // namespace petscspmv::shadow
