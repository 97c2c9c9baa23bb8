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

PetscErrorCode MakeProlongator(Mat A, const Level &level, int threads, PetscInt columns, PetscReal omega, Mat *P, std::string *failure)
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
    arrays->threads     = threads;
    arrays->values.reset(new PetscScalar[arrays->col.size()]);
    if (level.space == MemorySpace::host) level.aggregation->values(omega, arrays->values.get());
  });
  if (!failure->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CreateWithArrays(A, std::move(arrays), rows, block_size, level.aggregates * columns, columns, P));
#if PetscDefined(HAVE_CUDA)
  // On the device alone, as PETSc's own prolongators are: of factors that are on both sides PETSc makes A P once, and multiplies
  // on with zeros that GuardProducts() has put on the host in place of what nobody has written.
  if (level.space == MemorySpace::device) {
    DeviceArrays on_device;
    PetscScalar *values;
    PetscCall(ArraysOnDevice(*P, &on_device)); // brings the pattern there
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(*P, &values));
    Try(failure, [&] { level.aggregation->values(omega, values); });
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(*P, &values));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
