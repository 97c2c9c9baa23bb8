#include "impls/shadow/shadow.hpp"

#include <algorithm>

namespace petscspmv::shadow {

namespace {

/// AIJ's functions are not exported, but every AIJ matrix carries pointers to them. They are the same for all AIJ matrices
/// and for the life of the process, so a new matrix serves to find them; a matrix that has lost its shadow to
/// MatHeaderMerge still finds its parent's functions here.
struct ParentTable {
  std::vector<VoidFn> functions; ///< in the order of the overrides; empty: not captured yet
  PetscErrorCode (*retrieve_values)(Mat) = nullptr;
};

ParentTable &Table(bool mpi)
{
  static auto *const tables = new ParentTable[2];
  return tables[mpi];
}

std::span<const Override> Overrides(bool mpi)
{
  return mpi ? MPIOverrides() : SeqOverrides();
}

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

} // namespace

PetscErrorCode ParentCapture(Mat untouched, bool mpi)
{
  ParentTable        &table = Table(mpi);
  std::vector<VoidFn> functions;
  Mat                 scratch = nullptr;
  PetscBool           plain   = PETSC_FALSE;

  PetscFunctionBegin;
  if (!table.functions.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  // With -mat_seqaij_type, a new matrix is of a subtype.
  if (untouched) PetscCall(PetscObjectTypeCompare((PetscObject)untouched, mpi ? MATMPIAIJ : MATSEQAIJ, &plain));
  if (!plain) PetscCall(CreateScratch(mpi ? MATMPIAIJ : MATSEQAIJ, &scratch));
  const Mat A = plain ? untouched : scratch;
  for (const Override &o : Overrides(mpi)) PetscCall(MatGetOperation(A, o.operation, &functions.emplace_back(nullptr)));
  if (!mpi) PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatRetrieveValues_C", &table.retrieve_values));
  PetscCall(MatDestroy(&scratch));
  table.functions = std::move(functions);
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::span<const VoidFn> ParentFunctions(bool mpi)
{
  return Table(mpi).functions;
}

static auto FindOverride(bool mpi, MatOperation operation)
{
  const auto overrides = Overrides(mpi);
  return std::find_if(overrides.begin(), overrides.end(), [operation](const Override &o) { return o.operation == operation; });
}

VoidFn ParentFunction(bool mpi, MatOperation operation)
{
  const auto overrides = Overrides(mpi);
  const auto found     = FindOverride(mpi, operation);
  return found == overrides.end() ? nullptr : Table(mpi).functions[(std::size_t)(found - overrides.begin())];
}

VoidFn OwnFunction(bool mpi, MatOperation operation)
{
  const auto found = FindOverride(mpi, operation);
  return found == Overrides(mpi).end() ? nullptr : found->function;
}

PetscErrorCode (*ParentRetrieveValues())(Mat)
{
  return Table(false).retrieve_values;
}

} // namespace petscspmv::shadow
