#include "impls/shadow/shadow.hpp"

namespace petscspmv::shadow {

namespace {

/// y = op(A) x + beta y
PetscErrorCode Multiply(Mat A, Operation op, Vec x, PetscScalar beta, Vec y)
{
  const bool         add = beta != PetscScalar(0);
  Shadow            *shadow;
  const PetscScalar *xa;
  PetscScalar       *ya;

  PetscFunctionBegin;
  PetscCall(ShadowSync(A, &shadow));
  PetscCall(PetscLogEventBegin(Event_Product, A, x, y, 0));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(add ? VecGetArray(y, &ya) : VecGetArrayWrite(y, &ya));
  shadow->format->multiply(op, PetscScalar(1), xa, beta, ya);
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(add ? VecRestoreArray(y, &ya) : VecRestoreArrayWrite(y, &ya));
  // As AIJ counts: the first term of a row needs no addition, unless there is something to add it to.
  const PetscLogDouble nonzeros = shadow->key.row_ptr ? (PetscLogDouble)shadow->key.row_ptr[shadow->key.rows] : 0;
  PetscCall(PetscLogFlops(2.0 * nonzeros - (op == Operation::none && !add ? (PetscLogDouble)shadow->nonempty_rows : 0)));
  PetscCall(PetscLogEventEnd(Event_Product, A, x, y, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Operation op> PetscErrorCode MatMult_SeqShadow(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(Multiply(A, op, x, 0, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = y + op(A) x; y and z may be one vector, as they are in the off-diagonal block of a parallel matrix
template <Operation op> PetscErrorCode MatMultAdd_SeqShadow(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(Multiply(A, op, x, 1, z));
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

PetscErrorCode MatBindToCPU_SeqShadow(Mat A, PetscBool bind)
{
  const auto parent = Parent<PetscErrorCode (*)(Mat, PetscBool)>(false, MATOP_BIND_TO_CPU);
  Shadow    *shadow;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  shadow->bound_to_cpu = bind;
  if (parent) PetscCall((*parent)(A, bind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

std::span<const Override> SeqOverrides()
{
  static const Override overrides[] = {
    {MATOP_MULT, (VoidFn)MatMult_SeqShadow<Operation::none>},
    {MATOP_MULT_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::none>},
    {MATOP_MULT_TRANSPOSE, (VoidFn)MatMult_SeqShadow<Operation::transpose>},
    {MATOP_MULT_TRANSPOSE_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::transpose>},
    {MATOP_MULT_HERMITIAN_TRANSPOSE, (VoidFn)MatMult_SeqShadow<Operation::hermitian>},
    {MATOP_MULT_HERMITIAN_TRANS_ADD, (VoidFn)MatMultAdd_SeqShadow<Operation::hermitian>},
    {MATOP_DESTROY, (VoidFn)MatDestroy_SeqShadow},
    {MATOP_DUPLICATE, (VoidFn)MatDuplicate_Shadow},
    {MATOP_VIEW, (VoidFn)MatView_Shadow},
    {MATOP_CONVERT, (VoidFn)MatConvert_Shadow},
    {MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow},
    {MATOP_TRANSPOSE_SYMBOLIC, (VoidFn)MatTransposeSymbolic_SeqShadow},
    {MATOP_BIND_TO_CPU, (VoidFn)MatBindToCPU_SeqShadow},
  };
  return overrides;
}

} // namespace petscspmv::shadow
