#include "glue/shadow.hpp"

namespace petscspmv::shadow {

namespace {

/// What PETSc does for AIJ times dense. They are the same for all such products, so that a product finds them here when it needs them.
PetscErrorCode (*aij_symbolic)(Mat) = nullptr, (*aij_numeric)(Mat) = nullptr;

/// True if C = A B is a product that formats do: A is ours, sequential and multiplies on the host, and B is there, too. In a build for a
/// device, a matrix that multiplies there leaves such products to PETSc: their format on the host would be built for them alone. So does a tiny one.
PetscErrorCode IsForFormat(Mat C, bool *is)
{
  Mat            A, B;
  Shadow        *shadow;
  MatProductType type;
  PetscBool      host_dense = PETSC_FALSE;
  MemorySpace    space      = MemorySpace::device;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(ShadowFind(A, &shadow));
  *is = type == MATPRODUCT_AB && shadow && !IsMPI(A);
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQDENSE, &host_dense)); // and not a subtype, which may be on a device
  if (host_dense) PetscCall(DefaultSpace(A, &space));
  *is = space == MemorySpace::host && !shadow->tiny;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = A B by a format that is in step. PETSc's symbolic phase has made C, or the program has: both bring leading dimensions of their own.
PetscErrorCode MultiplyDense(Mat A, Shadow *shadow, Mat B, Mat C)
{
  const PetscScalar *b;
  PetscScalar       *c;
  PetscInt           columns, ldb, ldc;
  PetscErrorCode     code = PETSC_SUCCESS;
  std::string        failure;

  PetscFunctionBegin;
  Format &format = *shadow->host.format;
  PetscCall(MatGetLocalSize(B, NULL, &columns));
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetLDA(C, &ldc));
  PetscCall(PetscLogEventBegin(Event_Product, A, B, C, 0));
  PetscCall(MatDenseGetArrayRead(B, &b));
  PetscCall(MatDenseGetArrayWrite(C, &c));
  Attempt([&] { format.multiply_many(PetscScalar(1), b, ldb, PetscScalar(0), c, ldc, (int)columns); }, &code, &failure);
  PetscCall(MatDenseRestoreArrayWrite(C, &c));
  PetscCall(MatDenseRestoreArrayRead(B, &b));
  PetscCall(PetscLogFlops(2.0 * (PetscLogDouble)columns * shadow->host.nonzeros()));
  PetscCall(PetscLogEventEnd(Event_Product, A, B, C, 0));
  PetscCheck(failure.empty(), PETSC_COMM_SELF, code,
             "A product with %" PetscInt_FMT
             " vectors could not be prepared: %s\nProducts with single vectors go on; convert the matrix to "
             "AIJ to go on with PETSc's own product",
             columns, failure.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductNumeric_Dense(Mat C)
{
  Mat     A, B;
  Shadow *shadow;
  bool    is, failed = true;

  PetscFunctionBegin;
  PetscCall(IsForFormat(C, &is)); // the operands may have moved since, or be others
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(ShadowFind(A, &shadow));
  if (is) {
    auto turn = shadow->products.take_turn();
    PetscCall(ShadowSync(A, MemorySpace::host, shadow, &failed));
    const Products::Use use(shadow->products);
    turn.unlock();
    if (!failed) PetscCall(MultiplyDense(A, shadow, B, C));
  }
  if (failed) PetscCall((*aij_numeric)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSymbolic_Dense(Mat C)
{
  VoidFn numeric;

  PetscFunctionBegin;
  PetscCall((*aij_symbolic)(C));
  PetscCall(MatGetOperation(C, MATOP_PRODUCTNUMERIC, &numeric));
  aij_numeric = (PetscErrorCode(*)(Mat))numeric;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (VoidFn)MatProductNumeric_Dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ProductUsesFormat(Mat C)
{
  Mat            A;
  MatProductType type;
  Shadow        *shadow;
  VoidFn         symbolic;
  bool           is;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, NULL, NULL));
  PetscCall(ShadowFind(A, &shadow));
  if (type != MATPRODUCT_AB || !shadow) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReadOptionsOnce(A));                    // they say where A multiplies
  if (IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS); // its diagonal block comes here by itself
  PetscCall(IsForFormat(C, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOperation(C, MATOP_PRODUCTSYMBOLIC, &symbolic));
  if (!symbolic) PetscFunctionReturn(PETSC_SUCCESS);
  aij_symbolic = (PetscErrorCode(*)(Mat))symbolic;
  PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (VoidFn)MatProductSymbolic_Dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
