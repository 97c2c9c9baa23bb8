#include "glue/gamg/level.hpp"

#include <vector>

#include "core/device_copy.hpp"
#include "core/runtime.hpp"
#include "glue/finally.hpp"
#include "glue/made.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

/// Its first entry, wherever it has it.
static PetscErrorCode PutFirst(Vec v, PetscScalar value)
{
  PetscScalar *entries;
  PetscMemType where;

  PetscFunctionBegin;
  PetscCall(VecGetArrayAndMemType(v, &entries, &where));
  if (PetscMemTypeDevice(where)) PetscCallCXX(copy_to_device(entries, &value, sizeof value, 1));
  else *entries = value;
  PetscCall(VecRestoreArrayAndMemType(v, &entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FirstOfCorner(Mat corner, PetscScalar *value)
{
  Vec                column;
  const PetscScalar *entries;
  PetscMemType       where;

  PetscFunctionBegin;
  PetscCall(MatDenseGetColumnVecRead(corner, 0, &column));
  PetscCall(VecGetArrayReadAndMemType(column, &entries, &where));
  if (PetscMemTypeDevice(where)) PetscCallCXX(runtime::bring_to_host(entries, sizeof *value, value));
  else *value = *entries;
  PetscCall(VecRestoreArrayReadAndMemType(column, &entries));
  PetscCall(MatDenseRestoreColumnVecRead(corner, 0, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateCorner(Mat A, MemorySpace space, Mat *corner)
{
  PetscInt rows;
  Vec      column;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), corner));
  PetscCall(MatSetSizes(*corner, rows, 1, rows, 1));
  PetscCall(MatSetType(*corner, kCudaPetsc && space == MemorySpace::device ? "seqdensecuda" : MATSEQDENSE));
  PetscCall(MatSetUp(*corner));
  PetscCall(MatDenseGetColumnVecWrite(*corner, 0, &column));
  PetscCall(VecSet(column, 0));
  if (rows > 0) PetscCall(PutFirst(column, 1)); // MatSetValue() would bring the zeros of a device here
  PetscCall(MatDenseRestoreColumnVecWrite(*corner, 0, &column));
  PetscCall(MatAssemblyBegin(*corner, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*corner, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A sequential matrix of the type of A, and bound to the CPU as that.
static PetscErrorCode CreateLike(Mat A, PetscInt rows, PetscInt row_block, PetscInt cols, PetscInt col_block, Mat *made)
{
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), made));
  PetscCall(MatSetSizes(*made, rows, cols, rows, cols));
  PetscCall(MatSetBlockSizes(*made, row_block, col_block));
  PetscCall(MatSetType(*made, ((PetscObject)A)->type_name));
  PetscCall(MatBoundToCPU(A, &bound));
  PetscCall(MatBindToCPU(*made, bound));
  if (bound) PetscCall(MatSetBindingPropagates(*made, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeProlongator(const Level &level, int threads, PetscInt columns, Mat *P, std::string *failure)
{
  const PetscReal       omega = level.omega.value_or(0);
  std::vector<PetscInt> row_ptr;
  PetscScalar          *values;
  PetscInt              rows, block_size;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(level.A, &rows, NULL));
  PetscCall(MatGetBlockSize(level.A, &block_size));
  Try(failure, [&] { row_ptr = level.aggregation->pattern(omega != 0); });
  if (!failure->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CreateLike(level.A, rows, block_size, level.aggregates * columns, columns, P));
  // Rows with the same columns serve loops on the host alone, and one thread looks for them: a third of the assembly.
  if (level.space == MemorySpace::device) PetscCall(MatSetOption(*P, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(GivePattern(*P, row_ptr, [&](PetscInt *to) { level.aggregation->columns(to); }));
  PetscCall(ComposeOwned((PetscObject)*P, kMadeKey, new Made{threads}));
#if PetscDefined(HAVE_CUDA)
  // On the device alone, as PETSc's own prolongators are: of factors that are on both sides PETSc makes A P once, and
  // multiplies on with zeros that GuardProducts() has put on the host in place of what nobody has written.
  if (level.space == MemorySpace::device) {
    DeviceArrays on_device;
    PetscCall(ArraysOnDevice(*P, &on_device)); // brings the pattern there
    PetscCall(MatSeqAIJCUSPARSEGetArrayWrite(*P, &values));
    Try(failure, [&] { level.aggregation->values(omega, values); });
    PetscCall(MatSeqAIJCUSPARSERestoreArrayWrite(*P, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(MatSeqAIJGetArrayWrite(*P, &values));
  Try(failure, [&] { level.aggregation->values(omega, values); });
  PetscCall(MatSeqAIJRestoreArrayWrite(*P, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
