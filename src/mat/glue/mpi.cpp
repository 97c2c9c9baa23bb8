#include "glue/overrides.hpp"

#include "glue/attach.hpp"
#include "glue/convert.hpp"
#include "glue/options.hpp"
#include "glue/parent.hpp"
#include "glue/place.hpp"
#include "glue/route.hpp"
#include "glue/view.hpp"

namespace petscspmv::shadow {

static PetscErrorCode MatDestroy_MPIShadow(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy_Shadow(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before the first product of a parallel matrix whose options nobody has read, and once after an assembly: the
/// parent's function, which takes the place of ours again. Left to the blocks, a wrong option would be an error of
/// each, in the middle of PETSc's exchange of x, which no product after it would survive.
static PetscErrorCode ReadOptionsBeforeProduct(Mat A, MatOperation operation, VoidFn *parents)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  *parents = ParentFunction(*e.own, true, operation);
  PetscCall(MatSetOperation(A, operation, *parents));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatOperation operation> static PetscErrorCode MatMult_MPIShadow(Mat A, Vec x, Vec y)
{
  VoidFn parents = nullptr;

  PetscFunctionBegin;
  PetscCall(ReadOptionsBeforeProduct(A, operation, &parents));
  PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat, Vec, Vec)>(parents))(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <MatOperation operation> static PetscErrorCode MatMultAdd_MPIShadow(Mat A, Vec x, Vec y, Vec z)
{
  VoidFn parents = nullptr;

  PetscFunctionBegin;
  PetscCall(ReadOptionsBeforeProduct(A, operation, &parents));
  PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat, Vec, Vec, Vec)>(parents))(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Into submatrices that are all of A, PETSc writes new values without another state.
static PetscErrorCode MatCreateSubMatrices_MPIShadow(Mat A, PetscInt n, const IS rows[], const IS cols[], MatReuse reuse, Mat *parts[])
{
  using Function = PetscErrorCode (*)(Mat, PetscInt, const IS[], const IS[], MatReuse, Mat *[]);
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall((*Parent<Function>(*e.own, true, MATOP_CREATE_SUBMATRICES))(A, n, rows, cols, reuse, parts));
  if (reuse == MAT_REUSE_MATRIX)
    for (PetscInt k = 0; k < n; ++k) PetscCall(PetscObjectStateIncrease((PetscObject)(*parts)[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The end of assembly is the one hook that every way to an AIJ matrix passes: preallocation, hash tables, COO,
/// submatrices, MatLoad, products. The parent makes the blocks of a parallel matrix anew in several of them, so they
/// are attached afterwards, each time.
PetscErrorCode MatAssemblyEnd_Shadow(Mat A, MatAssemblyType mode)
{
  const bool mpi = IsMPI(A);
  Entry      e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall((*Parent<PetscErrorCode (*)(Mat, MatAssemblyType)>(*e.own, mpi, MATOP_ASSEMBLY_END))(A, mode));
  if (mode != MAT_FINAL_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EnterUnread(A, &e)); // the parent may have made another matrix of it
  PetscCall(ShadowReattach(e));
  if (mpi) PetscCall(AttachBlocks(e));
  else PetscCall(JudgeSize(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::span<const Override> MPIOverrides()
{
  static const Override overrides[] = {
    {MATOP_MULT, Override::always, (VoidFn)MatMult_MPIShadow<MATOP_MULT>},
    {MATOP_MULT_ADD, Override::always, (VoidFn)MatMultAdd_MPIShadow<MATOP_MULT_ADD>},
    {MATOP_MULT_TRANSPOSE, Override::always, (VoidFn)MatMult_MPIShadow<MATOP_MULT_TRANSPOSE>},
    {MATOP_MULT_TRANSPOSE_ADD, Override::always, (VoidFn)MatMultAdd_MPIShadow<MATOP_MULT_TRANSPOSE_ADD>},
    {MATOP_CREATE_SUBMATRICES, Override::always, (VoidFn)MatCreateSubMatrices_MPIShadow},
    {MATOP_ASSEMBLY_END, Override::always, (VoidFn)MatAssemblyEnd_Shadow},
    {MATOP_DUPLICATE, Override::always, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, Override::always, (VoidFn)MatView_Shadow},
    {MATOP_SET_FROM_OPTIONS, Override::always, (VoidFn)MatSetFromOptions_Shadow},
    {MATOP_BIND_TO_CPU, Override::always, (VoidFn)MatBindToCPU_Shadow},
    {MATOP_DESTROY, Override::if_named, (VoidFn)MatDestroy_MPIShadow},
    {MATOP_CONVERT, Override::if_named, (VoidFn)MatConvert_Shadow},
  };
  return overrides;
}

} // namespace petscspmv::shadow
