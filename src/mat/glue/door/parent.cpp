#include "glue/door/parent.hpp"

#include <algorithm>
#include <map>

#include "glue/door/hooks.hpp"
#include "glue/ops/ops.hpp"
#include "glue/place.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

constexpr char kStoreValuesKey[] = "MatStoreValues_C", kRetrieveValuesKey[] = "MatRetrieveValues_C";

PetscErrorCode MatStoreValues_Shadow(Mat A)
{
  const KnownParent *known;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(FindParent(ParentType(A), &known));
  PetscCall(ValuesOnHost(A, &values));
  PetscCall((*known->kept_values.store)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRetrieveValues_Shadow(Mat A)
{
  const KnownParent *known;
  PetscScalar       *values;

  PetscFunctionBegin;
  PetscCall(FindParent(ParentType(A), &known));
  PetscCall((*known->kept_values.retrieve)(A));
  PetscCall(MatSeqAIJGetArrayWrite(A, &values));
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &values)); // as if they had been written so
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product by a parent on a device where x or y is not.
PetscErrorCode MultiplyCopies(const Entry &e, Operation op, Vec x, PetscScalar beta, Vec y)
{
  PetscInt      entries_x, entries_y;
  Vec           in = nullptr, out = nullptr;
  const Finally destroy_in([&] { return VecDestroy(&in); });
  const Finally destroy_out([&] { return VecDestroy(&out); });

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &entries_x));
  PetscCall(VecGetLocalSize(y, &entries_y));
  PetscCall(CreateForParent(((PetscObject)e.A)->type_name, entries_x, &in));
  PetscCall(CreateForParent(((PetscObject)e.A)->type_name, entries_y, &out));
  PetscCall(CopyOnThisRank(x, in));
  if (beta != PetscScalar(0)) PetscCall(CopyOnThisRank(y, out));
  PetscCall(MultiplyAsParent(e, MemorySpace::device, op, in, beta, out));
  PetscCall(CopyOnThisRank(out, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = A^H x + beta y where the parent has no function for that: A^H x is the conjugate of A^T conj(x).
PetscErrorCode MultiplyConjugated(const Entry &e, Vec x, bool adds, Vec y)
{
  Vec           conjugate = nullptr;
  const Finally destroy([&] { return VecDestroy(&conjugate); });

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &conjugate));
  PetscCall(CopyOnThisRank(x, conjugate));
  PetscCall(VecConjugate(conjugate));
  if (adds) {
    PetscCall(VecConjugate(y));
    PetscCall(CallParent(e, MATOP_MULT_TRANSPOSE_ADD, conjugate, y, y));
  } else PetscCall(CallParent(e, MATOP_MULT_TRANSPOSE, conjugate, y));
  PetscCall(VecConjugate(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

const KeptValues kOurKeptValues{MatStoreValues_Shadow, MatRetrieveValues_Shadow};

PetscErrorCode ComposeKeptValues(Mat A, const KeptValues &functions)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kStoreValuesKey, functions.store));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kRetrieveValuesKey, functions.retrieve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindParent(const std::string &type, const KnownParent **known)
{
  static auto  &all = *new std::map<std::string, KnownParent>; // needed until the very end of the process
  Mat           A   = nullptr;
  const Finally destroy([&] { return MatDestroy(&A); });

  PetscFunctionBegin;
  auto found = all.find(type);
  if (found == all.end()) {
    KnownParent parent;
    PetscCall(CreateParent(type.c_str(), &A));
    const auto rows = AllRows(IsMPI(A));
    parent.functions.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) PetscCall(MatGetOperation(A, rows[i].op, &parent.functions[i]));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, kStoreValuesKey, &parent.kept_values.store));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, kRetrieveValuesKey, &parent.kept_values.retrieve));
    found = all.emplace(type, parent).first;
  }
  *known = &found->second;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string ParentType(Mat A)
{
  return !IsShadowType(A) ? ((PetscObject)A)->type_name : IsMPI(A) ? MATMPIAIJ : MATSEQAIJ;
}

PetscErrorCode IsParentType(Mat A, PetscBool *is)
{
  PetscFunctionBegin;
  *is = PETSC_FALSE;
  for (MatType type : kParentTypes)
    if (!*is) PetscCall(PetscObjectTypeCompare((PetscObject)A, type, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsMPI(Mat A)
{
  const char *type = ((PetscObject)A)->type_name;
  return type && std::string_view(type).starts_with(MATMPIAIJ);
}

bool IsShadowType(Mat A)
{
  return FindKind(((PetscObject)A)->type_name) != nullptr;
}

VoidFn FunctionOf(const ParentFunctions &functions, bool mpi, MatOperation operation)
{
  const auto rows  = AllRows(mpi);
  const auto found = std::find_if(rows.begin(), rows.end(), [operation](const Row &row) { return row.op == operation; });
  return found == rows.end() ? nullptr : functions[(std::size_t)(found - rows.begin())];
}

VoidFn ParentFunction(const Entry &e, MatOperation operation)
{
  return FunctionOf(e.own->parent, e.own->mpi, operation);
}

PetscErrorCode TypesFunction(Mat A, MatOperation operation, VoidFn *function)
{
  const KnownParent *known;

  PetscFunctionBegin;
  PetscCall(FindParent(ParentType(A), &known));
  *function = FunctionOf(known->functions, IsMPI(A), operation);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyAsParent(const Entry &e, MemorySpace space, Operation op, Vec x, PetscScalar beta, Vec y)
{
  static constexpr MatOperation mult[] = {MATOP_MULT, MATOP_MULT_TRANSPOSE, MATOP_MULT_HERMITIAN_TRANSPOSE},
                                add[]  = {MATOP_MULT_ADD, MATOP_MULT_TRANSPOSE_ADD, MATOP_MULT_HERMITIAN_TRANS_ADD};
  const Operation same                 = PetscDefined(USE_COMPLEX) || op != Operation::hermitian ? op : Operation::transpose;
  bool            adds                 = beta != PetscScalar(0);

  PetscFunctionBegin;
  if (space != e.home) {
    PetscCall(MultiplyCopies(e, op, x, beta, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // As MatMultTranspose_SeqAIJ() does, but for its VecSet().
  if (!adds && same == Operation::transpose && e.home == MemorySpace::host) {
    PetscCall(ZeroOnThisRank(y));
    adds = true;
  }
  const MatOperation operation = (adds ? add : mult)[(int)same];
  if (!ParentFunction(e, operation)) PetscCall(MultiplyConjugated(e, x, adds, y));
  else if (adds) PetscCall(CallParent(e, operation, x, y, y));
  else PetscCall(CallParent(e, operation, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
