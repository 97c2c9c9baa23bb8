#include "impls/shadow/shadow.hpp"

#include <algorithm>

namespace petscspmv::shadow {

namespace {

constexpr char kShadowKey[]         = "petscspmv_shadow";
constexpr char kRetrieveValuesKey[] = "MatRetrieveValues_C";

std::mutex making_shadows;

/// AIJ's MatRetrieveValues writes the values without a new object state, so that no shadow would notice.
PetscErrorCode MatRetrieveValues_Shadow(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*ParentRetrieveValues())(A));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts back AIJ's operations and takes away all that Attach composed, but for the name of the type. `retrieve` is AIJ's MatRetrieveValues;
/// nothing for a matrix that is being destroyed: MatHeaderMerge has taken the list of functions away, and would lose a new one.
PetscErrorCode RestoreParent(Mat A, bool mpi, PetscErrorCode (*retrieve)(Mat))
{
  const auto overrides = mpi ? MPIOverrides() : SeqOverrides();
  const auto functions = ParentFunctions(mpi);

  PetscFunctionBegin;
  for (std::size_t i = 0; i < overrides.size(); ++i) PetscCall(MatSetOperation(A, overrides[i].operation, functions[i]));
  PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kProductKey, NULL));
  if (!mpi) PetscCall(PetscObjectComposeFunction((PetscObject)A, kRetrieveValuesKey, retrieve));
  PetscCall(PetscObjectCompose((PetscObject)A, kShadowKey, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts our operations in the place of AIJ's. What is neither stays: MatCreateSubMatrices() gives a function of its own for the destruction of what it
/// makes, without which that would leak.
PetscErrorCode InstallOverrides(Mat A, bool mpi)
{
  PetscFunctionBegin;
  for (const Override &o : mpi ? MPIOverrides() : SeqOverrides()) {
    VoidFn now;
    PetscCall(MatGetOperation(A, o.operation, &now));
    if (now == ParentFunction(mpi, o.operation)) PetscCall(MatSetOperation(A, o.operation, o.function));
  }
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kProductKey, MatProductSetFromOptions_Shadow));
  if (!mpi) PetscCall(PetscObjectComposeFunction((PetscObject)A, kRetrieveValuesKey, MatRetrieveValues_Shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes any AIJ subtype plain AIJ: another of ours, or one of PETSc's, which brings its own function for that.
PetscErrorCode MakePlain(Mat A, bool mpi)
{
  const char *type = ((PetscObject)A)->type_name;
  const char *base = mpi ? MATMPIAIJ : MATSEQAIJ;
  PetscBool   plain;
  PetscErrorCode (*to_base)(Mat, MatType, MatReuse, Mat *) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, base, &plain));
  if (plain) PetscFunctionReturn(PETSC_SUCCESS);
  if (IsShadowType(A)) {
    PetscCall(ShadowDetach(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectQueryFunction((PetscObject)A, (std::string("MatConvert_") + type + "_" + base + "_C").c_str(), &to_base));
  if (to_base) PetscCall((*to_base)(A, base, MAT_INPLACE_MATRIX, &A));
  else {
    PetscBool assembled;
    PetscCall(MatAssembled(A, &assembled));
    PetscCheck(assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
               "A matrix of type %s that is not assembled cannot become another subtype of %s; set the type before, or assemble first",
               type, base);
    PetscCall(MatConvert(A, base, MAT_INPLACE_MATRIX, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

bool IsMPI(Mat A)
{
  const char *type = ((PetscObject)A)->type_name;
  return type && std::string_view(type).starts_with(MATMPIAIJ);
}

bool IsShadowType(Mat A)
{
  return FindKind(((PetscObject)A)->type_name) != nullptr;
}

PetscErrorCode ShadowGet(Mat A, Shadow **shadow)
{
  PetscContainer container = nullptr;

  PetscFunctionBegin;
  *shadow = nullptr;
  PetscCall(PetscObjectQuery((PetscObject)A, kShadowKey, (PetscObject *)&container));
  std::unique_lock lock(making_shadows, std::defer_lock);
  if (!container) { // perhaps another thread of the program has come with its first product meanwhile
    lock.lock();
    PetscCall(PetscObjectQuery((PetscObject)A, kShadowKey, (PetscObject *)&container));
  }
  if (!container) {
    const MatKind *kind = FindKind(((PetscObject)A)->type_name);
    PetscCheck(kind, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
               "A matrix of type %s is not one of petscspmv's; convert it first, for instance with MatConvert(A, MATAIJSPEC, "
               "MAT_INPLACE_MATRIX, &A)",
               ((PetscObject)A)->type_name);
    PetscCall(ParentCapture(nullptr, IsMPI(A)));
    PetscCall(InstallOverrides(A, IsMPI(A)));
    PetscCall(ComposeOwned(A, kShadowKey, new Shadow(*kind)));
    PetscCall(PetscObjectQuery((PetscObject)A, kShadowKey, (PetscObject *)&container));
  }
  PetscCall(PetscContainerGetPointer(container, (void **)shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetBlocks(Mat A, Mat (&blocks)[2])
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AttachBlocks(Mat A)
{
  Shadow   *shadow, *block_shadow;
  Mat       blocks[2];
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(GetBlocks(A, blocks));
  PetscCall(MatBoundToCPU(A, &bound));
  for (Mat block : blocks) {
    if (!block) continue;
    PetscCall(ShadowAttach(block, *shadow->kind));
    if (kCudaPetsc) PetscCall(MatBindToCPU(block, bound));
    PetscCall(ShadowGet(block, &block_shadow));
    block_shadow->configure(shadow->options, shadow->common);
    block_shadow->options_read = true; // a block has no prefix of its own
    block_shadow->is_block     = true;
    PetscCall(SetDefaultVecType(block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes an AIJ matrix one of `kind`, but for its shadow.
static PetscErrorCode AttachType(Mat A, const MatKind &kind)
{
  const bool mpi = IsMPI(A);
  PetscBool  same, aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, (mpi ? kind.mpi : kind.seq).c_str(), &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCheck(aij, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s cannot become %s in place; convert it with MatConvert()", ((PetscObject)A)->type_name, kind.root.c_str());
  PetscCall(ParentCapture(nullptr, mpi));
  PetscCall(MakePlain(A, mpi));
  // PETSc creates every matrix bound to the CPU, and MatBindToCPU() does nothing where that is so already.
  if (kCudaPetsc && kind.format.on_device) PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscCall(InstallOverrides(A, mpi));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, (mpi ? kind.mpi : kind.seq).c_str()));
  PetscCall(SetDefaultVecType(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowAttach(Mat A, const MatKind &kind)
{
  Shadow   *shadow;
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(AttachType(A, kind));
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(MatAssembled(A, &assembled));
  if (IsMPI(A) && assembled) PetscCall(AttachBlocks(A)); // else assemblyend does it: blocks under assembly must be left alone
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowDetach(Mat A)
{
  const bool mpi = IsMPI(A);
  Shadow    *shadow;

  PetscFunctionBegin;
  PetscCall(ParentCapture(nullptr, mpi));
  PetscCall(ShadowGet(A, &shadow));
  if (shadow->vec_type_is_ours) PetscCall(MatSetVecType(A, VECSTANDARD));
  PetscCall(RestoreParent(A, mpi, ParentRetrieveValues()));
  if (kCudaPetsc) PetscCall(MatBindToCPU(A, PETSC_TRUE)); // as plain AIJ is
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi ? MATMPIAIJ : MATSEQAIJ));
  if (mpi) {
    Mat blocks[2];
    PetscCall(GetBlocks(A, blocks));
    for (Mat block : blocks)
      if (block && IsShadowType(block)) PetscCall(ShadowDetach(block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowSuspend(Mat A, SuspendedShadow *suspended)
{
  Mat             mats[3] = {A, nullptr, nullptr}, blocks[2];
  Shadow         *shadow;
  PetscContainer *containers[] = {&suspended->own, &suspended->blocks[0], &suspended->blocks[1]};

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  suspended->kind = shadow->kind;
  PetscCall(MatBoundToCPU(A, &suspended->bound));
  if (IsMPI(A)) {
    PetscCall(GetBlocks(A, blocks));
    std::copy(blocks, blocks + 2, mats + 1);
  }
  for (int i = 0; i < 3; ++i) {
    *containers[i] = nullptr;
    if (mats[i]) PetscCall(PetscObjectQuery((PetscObject)mats[i], kShadowKey, (PetscObject *)containers[i]));
    if (*containers[i]) PetscCall(PetscObjectReference((PetscObject)*containers[i]));
  }
  PetscCall(ShadowDetach(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowResume(Mat A, SuspendedShadow *suspended)
{
  Mat             mats[3]      = {A, nullptr, nullptr}, blocks[2];
  PetscContainer *containers[] = {&suspended->own, &suspended->blocks[0], &suspended->blocks[1]};

  PetscFunctionBegin;
  PetscCall(ShadowAttach(A, *suspended->kind));
  if (IsMPI(A)) {
    PetscCall(GetBlocks(A, blocks));
    std::copy(blocks, blocks + 2, mats + 1);
  }
  for (int i = 0; i < 3; ++i) {
    if (mats[i] && *containers[i]) PetscCall(PetscObjectCompose((PetscObject)mats[i], kShadowKey, (PetscObject)*containers[i]));
    PetscCall(PetscContainerDestroy(containers[i]));
    if (mats[i]) PetscCall(SetDefaultVecType(mats[i])); // as the options of the very shadow want it
  }
  if (kCudaPetsc) PetscCall(MatBindToCPU(A, suspended->bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Shadow(Mat A, const MatKind &kind, bool mpi)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall(ParentCapture(A, mpi));
  PetscCall(AttachType(A, kind));
  // MatConvert asks a new matrix of the wanted type for this. Not in ShadowAttach(): with -mat_seqaij_type a new matrix of type
  // seqaij is ours, too, and then MatConvert to seqaij must find what it finds without us.
  PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, (VoidFn)MatConvertFrom_Shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_Shadow(Mat A, bool mpi)
{
  PetscFunctionBegin;
  PetscCall(RestoreParent(A, mpi, nullptr));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall((*Parent<PetscErrorCode (*)(Mat)>(mpi, MATOP_DESTROY))(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
