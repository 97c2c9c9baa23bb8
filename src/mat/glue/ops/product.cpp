#include "glue/ops/product.hpp"

#include <petsc/private/matimpl.h> // offloadmask, and what a product calls

#include "glue/door/parent.hpp"
#include "glue/ops/sparse_product.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// Where PETSc looks for products that no pair of type names has, and for those of AIJ and dense, on the host and on a
/// device.
constexpr char kAnyTypeKey[] = "MatProductSetFromOptions_anytype_C", kDenseKey[] = "MatProductSetFromOptions_seqaij_seqdense_C",
               kDeviceDenseKey[] = "MatProductSetFromOptions_seqaijcusparse_seqdensecuda_C";

/// PETSc's own function under the last of these, which all matrices on a device have.
PetscErrorCode (*set_device_dense)(Mat) = nullptr;

/// The name of the type under which PETSc has registered products for a matrix: AIJ's for one of ours.
std::string ProductName(Mat A, bool *ours)
{
  if (!IsShadowType(A)) return ((PetscObject)A)->type_name;
  *ours = true;
  return IsMPI(A) ? MATMPIAIJ : MATSEQAIJ;
}

/// PETSc finds the function for a product of different types by a name made of the exact type names, which knows no
/// subtypes. Where that fails it asks here, and we ask again in AIJ's name: so dense * ours, ours * dense, ours * maij
/// and the rest run AIJ's own code on the master copy, but for the numeric phase of ours * dense (dense.cpp).
PetscErrorCode MatProductSetFromOptions_Shadow(Mat C)
{
  Mat            factors[3] = {nullptr, nullptr, nullptr};
  MatProductType type;
  std::string    name        = "MatProductSetFromOptions";
  bool           ours        = false;
  PetscErrorCode (*set)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &factors[0], &factors[1], &factors[2]));
  if (type != MATPRODUCT_ABC) factors[2] = nullptr;
  for (Mat factor : factors)
    if (factor) name += "_" + ProductName(factor, &ours);
  name += "_C";
  if (!ours) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat factor : factors)
    if (factor && !set) PetscCall(PetscObjectQueryFunction((PetscObject)factor, name.c_str(), &set));
  // PETSc has asked us, so it will not ask the others: a transpose that is never formed knows what to do with its inner
  // matrix.
  for (Mat factor : factors)
    if (factor && !set && !IsShadowType(factor)) PetscCall(PetscObjectQueryFunction((PetscObject)factor, kAnyTypeKey, &set));
  PetscCall(PetscInfo(C, "  querying %s in the name of AIJ: %s\n", name.c_str(), set ? "found" : "not found"));
  if (set) PetscCall((*set)(C));
  PetscCall(ProductUsesFormat(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// For a matrix that is plain AIJ by name, PETSc finds a function of the dense matrix, unless A has one.
PetscErrorCode MatProductSetFromOptions_AttachedDense(Mat C)
{
  Mat A, B;
  PetscErrorCode (*set)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(PetscObjectQueryFunction((PetscObject)B, kDenseKey, &set));
  if (set) PetscCall((*set)(C));
  PetscCall(ProductUsesFormat(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSetFromOptions_AttachedDeviceDense(Mat C)
{
  PetscFunctionBegin;
  PetscCall((*set_device_dense)(C));
  PetscCall(ProductUsesFormat(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts our function in the place of the parent's, or back. A matrix on the host has none.
PetscErrorCode ComposeDeviceDense(Mat A, bool ask_us)
{
  PetscErrorCode (*now)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, kDeviceDenseKey, &now));
  if (!now) PetscFunctionReturn(PETSC_SUCCESS);
  if (now != MatProductSetFromOptions_AttachedDeviceDense) set_device_dense = now;
  PetscCall(
    PetscObjectComposeFunction((PetscObject)A, kDeviceDenseKey, ask_us ? MatProductSetFromOptions_AttachedDeviceDense : set_device_dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
constexpr char kDeviceKey[] = "MatProductSetFromOptions_seqaijcusparse_seqaijcusparse_C";

/// PETSc's own for the products of matrices on a device.
PetscErrorCode (*set_device_product)(Mat) = nullptr;

/// Zeros on the host for the values of a product that has its pattern alone. PETSc would bring to the device what that
/// memory happens to hold, and cuSPARSE's product waits for ever where it meets NaNs of all ones.
PetscErrorCode ZeroIfUnwritten(Mat A)
{
  PetscBool    is, assembled;
  View         view;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &is));
  PetscCall(MatAssembled(A, &assembled));
  if (!is || assembled || A->offloadmask != PETSC_OFFLOAD_UNALLOCATED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PatternOnHost(A, &view));
  if (view.nonzeros() == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJGetArrayWrite(A, &values));
  PetscCall(PetscArrayzero(values, view.nonzeros()));
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &values));
  A->offloadmask = PETSC_OFFLOAD_UNALLOCATED; // as it was: the numeric phase knows what that means
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc asks here once it has the factors, of which one of a triple product is a product itself.
PetscErrorCode MatProductSetFromOptions_Device(Mat C)
{
  Mat A, B;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(ZeroIfUnwritten(A));
  PetscCall(ZeroIfUnwritten(B));
  PetscCall(SetSparseProduct(C, set_device_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/// PETSc's own for the products of matrices on the host.
PetscErrorCode (*set_host_product)(Mat) = nullptr;

PetscErrorCode MatProductSetFromOptions_Host(Mat C)
{
  PetscFunctionBegin;
  PetscCall(SetSparseProduct(C, set_host_product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode GuardProducts(Mat A)
{
  PetscBool is_seqaij;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &is_seqaij));
  if (is_seqaij && A->ops->productsetfromoptions != MatProductSetFromOptions_Host) {
    set_host_product              = A->ops->productsetfromoptions;
    A->ops->productsetfromoptions = MatProductSetFromOptions_Host;
  }
#if PetscDefined(HAVE_CUDA)
  PetscErrorCode (*now)(Mat) = nullptr;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, kDeviceKey, &now));
  if (!now) PetscFunctionReturn(PETSC_SUCCESS);
  if (now != MatProductSetFromOptions_Device) set_device_product = now;
  if (A->ops->productsetfromoptions == set_device_product) A->ops->productsetfromoptions = MatProductSetFromOptions_Device;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kDeviceKey, MatProductSetFromOptions_Device));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComposeProducts(Mat A, bool named, bool ask_us)
{
  PetscFunctionBegin;
  if (named) PetscCall(PetscObjectComposeFunction((PetscObject)A, kAnyTypeKey, ask_us ? MatProductSetFromOptions_Shadow : nullptr));
  else if (!IsMPI(A)) {
    PetscCall(PetscObjectComposeFunction((PetscObject)A, kDenseKey, ask_us ? MatProductSetFromOptions_AttachedDense : nullptr));
    PetscCall(ComposeDeviceDense(A, ask_us));
    PetscCall(GuardProducts(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
