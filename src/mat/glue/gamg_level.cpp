#include "glue/gamg_level.hpp"

#include <utility>

#include "glue/finally.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// Arrays of a matrix, which it has until it is destroyed.
struct OwnedArrays {
  ProlongatorPattern<PetscInt>   pattern;
  std::unique_ptr<PetscScalar[]> values;
};

/// A prolongator with these arrays that has A's rows, its type, and its place.
PetscErrorCode CreateWithArrays(Mat A, std::unique_ptr<OwnedArrays> arrays, PetscInt cols, PetscInt col_block, Mat *P)
{
  const auto &[row_ptr, col] = arrays->pattern;
  PetscInt  rows, row_block;
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatGetBlockSize(A, &row_block));
  PetscCall(MatCreateSeqAIJWithArrays(PetscObjectComm((PetscObject)A), rows, cols, const_cast<PetscInt *>(row_ptr.data()),
                                      const_cast<PetscInt *>(col.data()), arrays->values.get(), P));
  PetscCall(ComposeOwned((PetscObject)*P, kGamgKey, arrays.release()));
  PetscCall(MatSetBlockSizes(*P, row_block, col_block));
  PetscCall(MatConvert(*P, ((PetscObject)A)->type_name, MAT_INPLACE_MATRIX, P));
  PetscCall(MatBoundToCPU(A, &bound));
  PetscCall(MatBindToCPU(*P, bound));
  if (bound) PetscCall(MatSetBindingPropagates(*P, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

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
  auto arrays = std::make_unique<OwnedArrays>();

  PetscFunctionBegin;
  Try(failure, [&] {
    arrays->pattern = level.aggregation->pattern(omega != 0);
    arrays->values.reset(new PetscScalar[arrays->pattern.col.size()]);
    level.aggregation->values(omega, arrays->values.get());
  });
  // Of a device, too, the values are on the host then, from where PETSc brings all arrays: it makes a product of matrices twice
  // unless it has both factors on both sides.
  if (failure->empty()) PetscCall(CreateWithArrays(A, std::move(arrays), level.aggregates * columns, columns, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
