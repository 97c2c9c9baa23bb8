#include "impls/shadow/shadow.hpp"

#include <algorithm>
#include <limits>

#include "core/diagonal.hpp"

namespace petscspmv::shadow {

namespace {

/// As AIJ counts: the first term of a row needs no addition, unless there is something to add it to.
PetscErrorCode LogProduct(Shadow &shadow, MemorySpace space, Operation op, bool add)
{
  const PetscLogDouble saved = op == Operation::none && !add ? (PetscLogDouble)shadow.nonempty_rows : 0;
  const PetscLogDouble flops = 2.0 * shadow.at(space).nonzeros() - saved;

  PetscFunctionBegin;
  if (space == MemorySpace::device) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyHost(Format &format, Operation op, Vec x, PetscScalar beta, Vec y)
{
  const bool         add = beta != PetscScalar(0);
  const PetscScalar *xa;
  PetscScalar       *ya;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(add ? VecGetArray(y, &ya) : VecGetArrayWrite(y, &ya));
  format.multiply(op, PetscScalar(1), xa, beta, ya);
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(add ? VecRestoreArray(y, &ya) : VecRestoreArrayWrite(y, &ya));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Only queues the product: nothing is copied, and nothing waits. Only the first transposed product builds something, for which there may
/// be no room; the vectors and the format are then as they were.
PetscErrorCode MultiplyDevice(Format &format, Operation op, Vec x, PetscScalar beta, Vec y)
{
  const bool         add = beta != PetscScalar(0);
  const PetscScalar *xa;
  PetscScalar       *ya;
  PetscMemType       where;
  PetscErrorCode     code = PETSC_SUCCESS;
  std::string        failure;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &xa, &where));
  PetscCall(add ? VecGetArrayAndMemType(y, &ya, &where) : VecGetArrayWriteAndMemType(y, &ya, &where));
  PetscCall(PetscLogGpuTimeBegin());
  Attempt([&] { format.multiply(op, PetscScalar(1), xa, beta, ya); }, &code, &failure);
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(VecRestoreArrayReadAndMemType(x, &xa));
  PetscCall(add ? VecRestoreArrayAndMemType(y, &ya) : VecRestoreArrayWriteAndMemType(y, &ya));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, code,
             "A transposed product could not be prepared on the device: %s\nOther products go on; with -mat_spmv_vec_type standard or "
             "MatBindToCPU() transposed ones run on the host",
             failure.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before the first product, and where a matrix has become another one without an assembly, as by MatHeaderMerge().
PetscErrorCode JudgeAnew(Mat A, Shadow *shadow)
{
  PetscFunctionBegin;
  PetscCall(ReadOptionsOnce(A));
  PetscCall(JudgeSize(A, shadow));
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
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(ShadowMultiply(A, op, x, 1, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DiagonalToDevice(Mat A, Shadow *shadow, Vec d)
{
  View           view;
  PetscScalar   *entries;
  PetscMemType   where;
  int            threads;
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    failure;

  PetscFunctionBegin;
  PetscCall(ShadowView(A, MemorySpace::device, shadow, &view));
  PetscCall(ShadowThreads(*shadow, MemorySpace::device, &threads));
  PetscCall(UseCurrentStream());
  PetscCall(VecGetArrayWriteAndMemType(d, &entries, &where));
  Attempt([&] { diagonal_to_device(view, threads, entries); }, &code, &failure);
  PetscCall(VecRestoreArrayWriteAndMemType(d, &entries));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, code, "The diagonal could not be brought to the device: %s", failure.c_str());
  PetscCall(PetscLogCpuToGpu((PetscLogDouble)view.rows * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// AIJ looks for diagonal entries with one thread and puts them in an array of the host, which has to be made and then copied. That is what the first
/// solution with Jacobi on a device waits for: 7-point 160^3, 16 cores and an H200, of 160 ms in 200 iterations of BiCGSTAB 70.
PetscErrorCode MatGetDiagonal_SeqShadow(Mat A, Vec d)
{
  MemorySpace space;
  PetscInt    rows, n;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(ProductSpace(A, d, d, &space));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(VecGetLocalSize(d, &n));
  PetscCall(ShadowGet(A, &shadow));
  if (space == MemorySpace::device && rows == n) PetscCall(DiagonalToDevice(A, shadow, d));
  else PetscCall((*Parent<PetscErrorCode (*)(Mat, Vec)>(false, MATOP_GET_DIAGONAL))(A, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SeqShadow(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy_Shadow(A, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The pattern of the transpose, as plain AIJ. PETSc's A B^T (3.18 to 3.26) makes the transposed B a matrix of A's type with
/// MatSetType(), which empties it where that leads from a subtype to AIJ itself.
PetscErrorCode MatTransposeSymbolic_SeqShadow(Mat A, Mat *B)
{
  PetscFunctionBegin;
  PetscCall((*Parent<PetscErrorCode (*)(Mat, Mat *)>(false, MATOP_TRANSPOSE_SYMBOLIC))(A, B));
  if (IsShadowType(*B)) PetscCall(ShadowDetach(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ShadowMultiply(Mat A, Operation op, Vec x, PetscScalar beta, Vec y)
{
  MemorySpace space;
  Shadow     *shadow;
  bool        by_aij;

  PetscFunctionBegin;
  PetscCall(ProductSpace(A, x, y, &space));
  PetscCall(ShadowGet(A, &shadow));
  auto turn = shadow->products.take_turn();
  if (!shadow->is_block && (shadow->tiny || !shadow->at(space).format)) PetscCall(JudgeAnew(A, shadow));
  if (!shadow->tiny) PetscCall(TuneIfAsked(A, shadow, space));
  shadow->ways.transposed |= op != Operation::none;
  PetscCall(IsLeftToAij(A, space, shadow, &by_aij));
  if (by_aij) {
    turn.unlock();
    PetscCall(MultiplyAsAij(A, shadow, op, x, beta, y, &by_aij));
    if (by_aij) PetscFunctionReturn(PETSC_SUCCESS);
    turn.lock();
  }
  PetscCall(ShadowSync(A, space, shadow));
  if (shadow->kind->format.has_ways && !shadow->is_block) PetscCall(ConsiderWays(A, shadow, space));
  const Products::Use use(shadow->products);
  if (space == MemorySpace::host) turn.unlock(); // on a device, products are but queued, and have scratch memory in common
  PetscCall(PetscLogEventBegin(Event_Product, A, x, y, 0));
  if (space == MemorySpace::device) PetscCall(MultiplyDevice(*shadow->device.format, op, x, beta, y));
  else PetscCall(MultiplyHost(*shadow->host.format, op, x, beta, y));
  PetscCall(LogProduct(*shadow, space, op, beta != PetscScalar(0)));
  PetscCall(PetscLogEventEnd(Event_Product, A, x, y, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::span<const Override> SeqOverrides()
{
  static const Override overrides[] = {
    {MATOP_MULT, (VoidFn)MatMult_SeqShadow<Operation::none>},
    {MATOP_MULT_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::none>},
    {MATOP_MULT_TRANSPOSE, (VoidFn)MatMult_SeqShadow<Operation::transpose>},
    {MATOP_MULT_TRANSPOSE_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::transpose>},
    {MATOP_MULT_HERMITIAN_TRANSPOSE, (VoidFn)MatMult_SeqShadow<Operation::hermitian>},
    {MATOP_MULT_HERMITIAN_TRANS_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::hermitian>},
    {MATOP_GET_DIAGONAL, (VoidFn)MatGetDiagonal_SeqShadow},
    {MATOP_ASSEMBLY_END, (VoidFn)MatAssemblyEnd_SeqShadow},
    {MATOP_DESTROY, (VoidFn)MatDestroy_SeqShadow},
    {MATOP_DUPLICATE, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, (VoidFn)MatView_Shadow},
    {MATOP_CONVERT, (VoidFn)MatConvert_Shadow},
    {MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow},
    {MATOP_TRANSPOSE_SYMBOLIC, (VoidFn)MatTransposeSymbolic_SeqShadow},
    {MATOP_BIND_TO_CPU, (VoidFn)MatBindToCPU_Shadow},
  };
  return overrides;
}

} // namespace petscspmv::shadow
