#include "glue/overrides.hpp"

#include <utility>

#include "glue/arrays.hpp"
#include "glue/attach.hpp"
#include "glue/convert.hpp"
#include "glue/events.hpp"
#include "glue/options.hpp"
#include "glue/parent.hpp"
#include "glue/parent_product.hpp"
#include "glue/place.hpp"
#include "glue/route.hpp"
#include "glue/sor.hpp"
#include "glue/sync.hpp"
#include "glue/view.hpp"

namespace petscspmv::shadow {

namespace {

/// As AIJ counts: the first term of a row needs no addition, unless there is something to add it to.
PetscLogDouble FlopsOf(const Shadow &shadow, Form form, Operation op, bool add)
{
  const PetscLogDouble saved = op == Operation::none && !add ? (PetscLogDouble)shadow.nonempty_rows : 0;
  return 2.0 * shadow.at(form).nonzeros() - saved;
}

/// Only the first transposed product on a device builds something, for which there may be no room: then it has `failed`,
/// and the vectors and the format are as they were.
PetscErrorCode MultiplyThere(const Entry &e, Form form, Operation op, Vec x, PetscScalar beta, Vec y, bool *failed)
{
  const bool     add    = beta != PetscScalar(0);
  Format        &format = *e.own->at(form).format;
  PetscErrorCode code   = PETSC_SUCCESS;
  std::string    failure;

  PetscFunctionBegin;
  PetscCall(WithArrays(form.space, x, y, add, [&](const PetscScalar *from, PetscScalar *to) {
    Attempt([&] { format.multiply(op, PetscScalar(1), from, beta, to); }, &code, &failure);
    return failure.empty() ? FlopsOf(*e.own, form, op, add) : 0;
  }));
  *failed = !failure.empty();
  if (*failed)
    PetscCall(PetscInfo(e.A, "Transposed products could not be prepared on the device, and are PETSc's own: %s\n", failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By the format, which is in step. The caller has the turn; on the host others may have it from here on.
PetscErrorCode MultiplyOurs(const Entry &e, Form form, Operation op, Vec x, PetscScalar beta, Vec y, std::unique_lock<std::mutex> *turn,
                            bool *failed)
{
  const auto use = e.own->products.use();

  PetscFunctionBegin;
  if (form.space == MemorySpace::host) turn->unlock(); // on a device, products are but queued, and have scratch memory in common
  PetscCall(PetscLogEventBegin(Event_Product, e.A, x, y, 0));
  const Finally end([&] { return PetscLogEventEnd(Event_Product, e.A, x, y, 0); });
  PetscCall(MultiplyThere(e, form, op, x, beta, y, failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x + beta y for a sequential matrix, and for a block of a parallel one with the local parts of parallel
/// vectors.
PetscErrorCode ShadowMultiply(Mat A, Operation op, Vec x, PetscScalar beta, Vec y)
{
  Entry e;
  Route route;
  bool  failed = false;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  auto turn = e.own->products.take_turn();
  PetscCall(FindRoute(e, op, x, y, &route));
  if (!route.by_parent()) PetscCall(MultiplyOurs(e, route.form, op, x, beta, y, &turn, &failed));
  if (failed) GiveUpIndex(e.own);
  if (turn.owns_lock()) turn.unlock();
  if (route.by_parent() || failed) PetscCall(MultiplyAsParent(e, route.space, op, x, beta, y));
  NoteTime(route.timing, e.own);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Operation op> PetscErrorCode MatMult_SeqShadow(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(ShadowMultiply(A, op, x, 0, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = y + op(A) x; y and z may be one vector, as they are in the off-diagonal block of a parallel matrix
template <Operation op> PetscErrorCode MatMultAdd_SeqShadow(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(CopyOnThisRank(y, z));
  PetscCall(ShadowMultiply(A, op, x, 1, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SeqShadow(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy_Shadow(A, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The pattern of the transpose, as plain AIJ. PETSc's A B^T (3.18 to 3.26) makes the transposed B a matrix of A's type
/// with MatSetType(), which empties it where that leads from a subtype to AIJ itself.
PetscErrorCode MatTransposeSymbolic_SeqShadow(Mat A, Mat *B)
{
  Entry         e;
  Mat           made = nullptr;
  const Finally destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall((*Parent<PetscErrorCode (*)(Mat, Mat *)>(*e.own, false, MATOP_TRANSPOSE_SYMBOLIC))(A, &made));
  if (IsShadowType(made)) PetscCall(ShadowDetach(made));
  *B = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

std::span<const Override> SeqOverrides()
{
  // Transposed products of a tiny matrix are ours, too, and leave the sum to its parent (MultiplyAsParent()).
  static const Override overrides[] = {
    {MATOP_MULT, Override::unless_tiny, (VoidFn)MatMult_SeqShadow<Operation::none>},
    {MATOP_MULT_ADD, Override::unless_tiny, (VoidFn)MatMultAdd_SeqShadow<Operation::none>},
    {MATOP_MULT_TRANSPOSE, Override::always, (VoidFn)MatMult_SeqShadow<Operation::transpose>},
    {MATOP_MULT_TRANSPOSE_ADD, Override::always, (VoidFn)MatMultAdd_SeqShadow<Operation::transpose>},
    {MATOP_MULT_HERMITIAN_TRANSPOSE, Override::always, (VoidFn)MatMult_SeqShadow<Operation::hermitian>},
    {MATOP_MULT_HERMITIAN_TRANS_ADD, Override::always, (VoidFn)MatMultAdd_SeqShadow<Operation::hermitian>},
    {MATOP_SOR, Override::if_swept, (VoidFn)MatSOR_SeqShadow},
    {MATOP_GET_DIAGONAL, Override::always, (VoidFn)MatGetDiagonal_SeqShadow},
    {MATOP_ASSEMBLY_END, Override::always, (VoidFn)MatAssemblyEnd_Shadow},
    {MATOP_DUPLICATE, Override::always, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, Override::always, (VoidFn)MatView_Shadow},
    {MATOP_SET_FROM_OPTIONS, Override::always, (VoidFn)MatSetFromOptions_Shadow},
    {MATOP_BIND_TO_CPU, Override::always, (VoidFn)MatBindToCPU_Shadow},
    {MATOP_DESTROY, Override::if_named, (VoidFn)MatDestroy_SeqShadow},
    {MATOP_CONVERT, Override::if_named, (VoidFn)MatConvert_Shadow},
    {MATOP_TRANSPOSE_SYMBOLIC, Override::if_named, (VoidFn)MatTransposeSymbolic_SeqShadow},
  };
  return overrides;
}

} // namespace petscspmv::shadow
