#include "impls/shadow/shadow.hpp"

#include <map>

namespace petscspmv::shadow {

namespace {

/// AIJ's functions are not exported, but every AIJ matrix carries pointers to them. They are the same for all AIJ matrices
/// and for the life of the process, so a scratch matrix serves to find them; a matrix that has lost its shadow to
/// MatHeaderMerge still finds its parent's functions here.
struct ParentTable {
  std::map<MatOperation, VoidFn> seq, mpi;
  PetscErrorCode (*retrieve_values)(Mat) = nullptr;
  bool captured                          = false;
} table;

PetscErrorCode CreateScratch(MatType type, Mat *A)
{
  PetscOptions none;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(PetscOptionsCreate(&none)); // -mat_seqaij_type must not make it another subtype, nor -help speak of it
  PetscCall(PetscObjectSetOptions((PetscObject)*A, none));
  PetscCall(MatSetType(*A, type));
  PetscCall(PetscObjectSetOptions((PetscObject)*A, NULL));
  PetscCall(PetscOptionsDestroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CaptureFrom(Mat A, std::span<const Override> overrides, std::map<MatOperation, VoidFn> &functions)
{
  PetscFunctionBegin;
  for (const Override &o : overrides) {
    VoidFn f = nullptr;
    PetscCall(MatGetOperation(A, o.operation, &f));
    functions[o.operation] = f;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ParentCapture()
{
  Mat scratch;

  PetscFunctionBegin;
  if (table.captured) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CreateScratch(MATSEQAIJ, &scratch));
  PetscCall(CaptureFrom(scratch, SeqOverrides(), table.seq));
  PetscCall(PetscObjectQueryFunction((PetscObject)scratch, "MatRetrieveValues_C", &table.retrieve_values));
  PetscCall(MatDestroy(&scratch));
  PetscCall(CreateScratch(MATMPIAIJ, &scratch));
  PetscCall(CaptureFrom(scratch, MPIOverrides(), table.mpi));
  PetscCall(MatDestroy(&scratch));
  table.captured = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

VoidFn ParentFunction(bool mpi, MatOperation operation)
{
  const auto &functions = mpi ? table.mpi : table.seq;
  const auto  found     = functions.find(operation);
  return found == functions.end() ? nullptr : found->second;
}

PetscErrorCode (*ParentRetrieveValues())(Mat)
{
  return table.retrieve_values;
}

} // namespace petscspmv::shadow
