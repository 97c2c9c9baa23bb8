#include "glue/gamg/owned_arrays.hpp"

namespace petscspmv::shadow {

PetscErrorCode CreateWithArrays(Mat like, std::unique_ptr<OwnedArrays> arrays, PetscInt rows, PetscInt row_block, PetscInt cols,
                                PetscInt col_block, Mat *made)
{
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJWithArrays(PetscObjectComm((PetscObject)like), rows, cols, arrays->row_ptr.data(), arrays->col.data(),
                                      arrays->values.get(), made));
  PetscCall(ComposeOwned((PetscObject)*made, kArraysKey, arrays.release()));
  PetscCall(MatSetBlockSizes(*made, row_block, col_block));
  PetscCall(MatConvert(*made, ((PetscObject)like)->type_name, MAT_INPLACE_MATRIX, made));
  PetscCall(MatBoundToCPU(like, &bound));
  PetscCall(MatBindToCPU(*made, bound));
  if (bound) PetscCall(MatSetBindingPropagates(*made, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
