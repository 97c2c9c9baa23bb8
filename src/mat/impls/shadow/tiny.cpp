#include "impls/shadow/shadow.hpp"

namespace petscspmv::shadow {

namespace {

/// Operations that AIJ has functions for in all versions. Of Hermitian products it has none.
constexpr MatOperation kProducts[] = {MATOP_MULT, MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE, MATOP_MULT_TRANSPOSE_ADD};

/// Not a block of a parallel matrix, whose products are the matrix's; nor where vectors may be on a device.
PetscErrorCode IsTiny(Mat A, const Shadow &shadow, bool *is)
{
  MatInfo info;

  PetscFunctionBegin;
  *is = false;
  if (!head_starts || kCudaPetsc || !shadow.options_read || shadow.is_block || IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *is = info.nz_used <= (PetscLogDouble)shadow.common["tiny"];
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode JudgeSize(Mat A, Shadow *shadow)
{
  PetscFunctionBegin;
  PetscCall(IsTiny(A, *shadow, &shadow->tiny));
  if (IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS);
  for (const MatOperation product : kProducts) {
    VoidFn       now;
    const VoidFn aij = ParentFunction(false, product), ours = OwnFunction(false, product);
    PetscCall(MatGetOperation(A, product, &now));
    if (now == aij || now == ours) PetscCall(MatSetOperation(A, product, shadow->tiny ? aij : ours)); // else it is the program's own
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatAssemblyEnd_SeqShadow(Mat A, MatAssemblyType mode)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall((*Parent<PetscErrorCode (*)(Mat, MatAssemblyType)>(false, MATOP_ASSEMBLY_END))(A, mode));
  if (mode != MAT_FINAL_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(JudgeSize(A, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
