#include "glue/gamg/level.hpp"

#include <utility>

#include "glue/finally.hpp"
#include "glue/gamg/owned_arrays.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

PetscErrorCode CreateCorner(Mat A, MemorySpace space, Mat *corner)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), corner));
  PetscCall(MatSetSizes(*corner, rows, 1, rows, 1));
  PetscCall(MatSetType(*corner, kCudaPetsc && space == MemorySpace::device ? "seqdensecuda" : MATSEQDENSE));
  PetscCall(MatSetUp(*corner)); // zeros
  PetscCall(MatSetValue(*corner, 0, 0, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*corner, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*corner, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeProlongator(Mat A, const Level &level, PetscInt columns, PetscReal omega, Mat *P, std::string *failure)
{
  auto     arrays = std::make_unique<OwnedArrays>();
  PetscInt rows, block_size;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatGetBlockSize(A, &block_size));
  Try(failure, [&] {
    auto [row_ptr, col] = level.aggregation->pattern(omega != 0);
    arrays->row_ptr     = std::move(row_ptr);
    arrays->col         = std::move(col);
    arrays->values.reset(new PetscScalar[arrays->col.size()]);
    level.aggregation->values(omega, arrays->values.get());
  });
  // Of a device, too, the values are on the host then, from where PETSc brings all arrays: it makes a product of matrices twice
  // unless it has both factors on both sides.
  if (failure->empty()) PetscCall(CreateWithArrays(A, std::move(arrays), rows, block_size, level.aggregates * columns, columns, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
