#include "glue/arrays.hpp"
#include "glue/events.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"
#include "glue/place.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// As AIJ counts: the first term of a row needs no addition, unless there is something to add it to.
PetscLogDouble FlopsOf(const Shadow &shadow, Form form, Operation op, bool add)
{
  const PetscLogDouble saved = op == Operation::none && !add ? (PetscLogDouble)shadow.nonempty_rows : 0;
  return 2.0 * shadow.at(form).nonzeros() - saved;
}

/// By the format, which is in step. The caller has the turn; on the host others may have it from here on. Only the
/// first transposed product on a device builds something, for which there may be no room: then it has `failed`, and the
/// vectors and the format are as they were.
PetscErrorCode MultiplyOurs(const Entry &e, Form form, Operation op, Vec x, PetscScalar beta, Vec y, std::unique_lock<std::mutex> *turn,
                            bool *failed)
{
  const auto  use    = e.own->products.use();
  const bool  add    = beta != PetscScalar(0);
  Format     &format = *e.own->at(form).format;
  std::string failure;

  PetscFunctionBegin;
  if (form.space == MemorySpace::host) turn->unlock(); // on a device, products are but queued, and have scratch memory in common
  PetscCall(PetscLogEventBegin(Event_Product, e.A, x, y, 0));
  const Finally end([&] { return PetscLogEventEnd(Event_Product, e.A, x, y, 0); });
  PetscCall(WithArrays(form.space, x, y, add, [&](const PetscScalar *from, PetscScalar *to) {
    Try(&failure, [&] { format.multiply(op, PetscScalar(1), from, beta, to); });
    return failure.empty() ? FlopsOf(*e.own, form, op, add) : 0;
  }));
  *failed = !failure.empty();
  if (*failed)
    PetscCall(PetscInfo(e.A, "Transposed products could not be prepared on the device, and are PETSc's own: %s\n", failure.c_str()));
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
  if (route.by_parent() || failed) PetscCall(MultiplyAsParent(e, route.form.space, op, x, beta, y));
  if (route.timing.on) NoteTime(route.timing, e.own);
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

/// Before the first product of a parallel matrix whose options nobody has read, and once after an assembly: the
/// parent's function, which takes the place of ours again. Left to the blocks, a wrong option would be an error of
/// each, in the middle of PETSc's exchange of x, which no product after it would survive.
template <MatOperation op, class... Vecs> PetscErrorCode MultiplyParallel(Mat A, Vecs... vecs)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  PetscCall(MatSetOperation(A, op, ParentFunction(e, op)));
  PetscCall(CallParent(e, op, vecs...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A tiny matrix leaves it to its parent.
bool IsNotTiny(const Entry &e)
{
  return !e.own->tiny;
}

/// Kokkos' z = y + A x copies y in an event in which ranks may wait for each other (-log_sync), and ours does not.
bool Adds(const Entry &e)
{
  return IsNotTiny(e) || ParentType(e.A) == MATSEQAIJKOKKOS;
}

} // namespace

Rows MultRows()
{
  // Transposed products of a tiny matrix are ours, too, and leave the sum to its parent (MultiplyAsParent()).
  static const Row seq[] = {
    {MATOP_MULT, (VoidFn)MatMult_SeqShadow<Operation::none>, IsNotTiny},
    {MATOP_MULT_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::none>, Adds},
    {MATOP_MULT_TRANSPOSE, (VoidFn)MatMult_SeqShadow<Operation::transpose>},
    {MATOP_MULT_TRANSPOSE_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::transpose>},
    {MATOP_MULT_HERMITIAN_TRANSPOSE, (VoidFn)MatMult_SeqShadow<Operation::hermitian>},
    {MATOP_MULT_HERMITIAN_TRANS_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::hermitian>},
  };
  static const Row mpi[] = {
    {MATOP_MULT, (VoidFn)MultiplyParallel<MATOP_MULT, Vec, Vec>},
    {MATOP_MULT_ADD, (VoidFn)MultiplyParallel<MATOP_MULT_ADD, Vec, Vec, Vec>},
    {MATOP_MULT_TRANSPOSE, (VoidFn)MultiplyParallel<MATOP_MULT_TRANSPOSE, Vec, Vec>},
    {MATOP_MULT_TRANSPOSE_ADD, (VoidFn)MultiplyParallel<MATOP_MULT_TRANSPOSE_ADD, Vec, Vec, Vec>},
  };
  return {seq, mpi};
}

} // namespace petscspmv::shadow
