#include "glue/parent.hpp"
#include "glue/place.hpp"

namespace petscspmv::shadow {

namespace {

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
