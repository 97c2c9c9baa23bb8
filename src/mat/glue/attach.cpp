#include "glue/attach.hpp"

#include <algorithm>
#include <mutex>

#include "glue/convert.hpp"
#include "glue/exchange.hpp"
#include "glue/hooks.hpp"
#include "glue/options.hpp"
#include "glue/overrides.hpp"
#include "glue/parent.hpp"
#include "glue/place.hpp"
#include "glue/product.hpp"
#include "glue/route.hpp"
#include "glue/sor.hpp"
#include "glue/view.hpp"

namespace petscspmv::shadow {

namespace {

constexpr char kShadowKey[] = "petscspmv_shadow";

std::mutex making_shadows;

/// Puts back the parent's operations and takes away all that was composed, but for the name of the type. `kept` are the
/// parent's; none for a matrix that is being destroyed: MatHeaderMerge has taken the list of functions away, and would
/// lose new ones.
PetscErrorCode RestoreParent(Mat A, const ParentFunctions &parent, bool named, bool mpi, const KeptValues &kept)
{
  const auto overrides = Overrides(mpi);
  VoidFn     now;

  PetscFunctionBegin;
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    if (overrides[i].operation == MATOP_SET_FROM_OPTIONS) continue; // ours in every AIJ matrix (hooks.cpp)
    PetscCall(MatGetOperation(A, overrides[i].operation, &now));
    if (now == overrides[i].function) PetscCall(MatSetOperation(A, overrides[i].operation, parent[i]));
  }
  if (named) PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, NULL));
  PetscCall(ComposeProducts(A, named, false));
  if (!mpi) PetscCall(ComposeKeptValues(A, kept));
  PetscCall(PetscObjectCompose((PetscObject)A, kShadowKey, NULL)); // last, for `parent` may be the shadow's
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

/// Makes plain AIJ a type of PETSc's on a device, assembled or not.
PetscErrorCode MakeDeviceType(Mat A, const std::string &type)
{
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *) = nullptr;
  const std::string name                                   = "MatConvert_" + ParentType(A) + "_" + type + "_C";

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, name.c_str(), &convert));
  PetscCheck(convert, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "This PETSc cannot convert a matrix of type %s to %s",
             ((PetscObject)A)->type_name, type.c_str());
  PetscCall((*convert)(A, type.c_str(), MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A new shadow in the place of the one that there may be.
PetscErrorCode ComposeShadow(Mat A, const MatKind &kind, bool named, Shadow **made)
{
  Shadow            *old;
  const KnownParent *known;

  PetscFunctionBegin;
  PetscCall(ShadowFind(A, &old));
  auto shadow   = std::make_unique<Shadow>(kind);
  shadow->named = named;
  if (old) shadow->parent = old->parent;
  else {
    PetscCall(FindParent(ParentType(A), &known));
    shadow->parent = known->functions;
  }
  *made = shadow.get();
  PetscCall(ComposeOwned((PetscObject)A, kShadowKey, shadow.release()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The method of a matrix that has our operations but has lost its shadow to MatHeaderMerge(), and whose type does not
/// name one.
PetscErrorCode MethodOfLost(Mat A, const MatKind **kind)
{
  bool given;

  PetscFunctionBegin;
  PetscCall(MethodFromOptions(A, kind, &given));
  if (!*kind) *kind = FindKind("aijauto");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ShadowFind(Mat A, Shadow **shadow)
{
  PetscFunctionBegin;
  PetscCall(FindOwned((PetscObject)A, kShadowKey, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowGet(Mat A, Shadow **shadow)
{
  VoidFn view;

  PetscFunctionBegin;
  PetscCall(ShadowFind(A, shadow));
  if (*shadow) PetscFunctionReturn(PETSC_SUCCESS);
  const std::lock_guard lock(making_shadows);
  PetscCall(ShadowFind(A, shadow)); // perhaps another thread of the program has come with its first product meanwhile
  if (*shadow) PetscFunctionReturn(PETSC_SUCCESS);
  const MatKind *kind  = FindKind(((PetscObject)A)->type_name);
  const bool     named = kind;
  PetscCall(MatGetOperation(A, MATOP_VIEW, &view));
  if (!kind && view == (VoidFn)MatView_Shadow) PetscCall(MethodOfLost(A, &kind));
  PetscCheck(kind, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s does not multiply by a method of petscspmv; give it one first, for instance with MatSpMVSetMethod(A, "
             "\"auto\"), or convert it with MatConvert()",
             ((PetscObject)A)->type_name);
  PetscCall(ComposeShadow(A, *kind, named, shadow));
  PetscCall(ShadowReattach(A, *shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowReattach(Mat A, Shadow *shadow)
{
  const bool         mpi       = IsMPI(A);
  const auto         overrides = Overrides(mpi);
  const KnownParent *own, *plain;
  MemorySpace        space;

  PetscFunctionBegin;
  PetscCall(DefaultSpace(A, &space));
  PetscCall(FindParent(ParentType(A), &own));
  PetscCall(FindParent(mpi ? MATMPIAIJ : MATSEQAIJ, &plain)); // a matrix that is bound to the CPU has these
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const Override &o = overrides[i];
    VoidFn          now;
    if ((o.when == Override::if_named && !shadow->named) || (o.when == Override::if_swept && !MaySweep(*shadow, space))) continue;
    PetscCall(MatGetOperation(A, o.operation, &now));
    // Others are the program's, or what MatCreateSubMatrices() brings to destroy what it makes, and stay.
    if (now == o.function || (now != own->functions[i] && now != plain->functions[i])) continue;
    shadow->parent[i] = now;
    PetscCall(MatSetOperation(A, o.operation, o.function));
  }
  PetscCall(ComposeProducts(A, shadow->named, true));
  if (!mpi) PetscCall(ComposeKeptValues(A, kOurKeptValues));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetBlocks(Mat A, Mat (&blocks)[2])
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetParts(Mat A, Mat (&parts)[2])
{
  PetscFunctionBegin;
  parts[0] = A;
  parts[1] = nullptr;
  if (IsMPI(A)) PetscCall(GetBlocks(A, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AttachWithName(Mat A, const MatKind &kind, const std::string &type);

PetscErrorCode AttachBlocks(Mat A)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  const char *prefix = ((PetscObject)A)->prefix;
  PetscCall(ForEachPart(A, [shadow, prefix](Mat block) {
    Shadow   *of_block;
    PetscBool can = PETSC_TRUE;
    PetscFunctionBegin;
    if (!shadow->named) PetscCall(IsParentType(block, &can)); // of mpiaijperm, say, they are not
    if (!can) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(shadow->named ? AttachWithName(block, *shadow->kind, shadow->kind->seq) : ShadowAttach(block, *shadow->kind));
    PetscCall(ShadowGet(block, &of_block));
    of_block->configure(shadow->options, shadow->common);
    of_block->options_read = shadow->options_read;
    of_block->outer_prefix = prefix ? prefix : "";
    PetscCall(JudgeSize(block, of_block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(ChooseExchange(A, *shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Blocks that are under assembly must be left alone; at its end they are attached, too.
static PetscErrorCode AttachBlocksOfAssembled(Mat A)
{
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  if (IsMPI(A) && assembled) PetscCall(AttachBlocks(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowAttach(Mat A, const MatKind &kind)
{
  Shadow   *shadow;
  PetscBool aij;

  PetscFunctionBegin;
  if (IsShadowType(A)) {
    PetscCall(ShadowAttachType(A, kind));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(IsParentType(A, &aij));
  PetscCheck(aij, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s cannot multiply by %s; convert it to aij, aijcusparse or aijkokkos first, with MatConvert()",
             ((PetscObject)A)->type_name, kind.root.c_str());
  PetscCall(ShadowFind(A, &shadow));
  if (!shadow || shadow->kind != &kind) PetscCall(ComposeShadow(A, kind, false, &shadow));
  PetscCall(ShadowReattach(A, shadow));
  PetscCall(AttachBlocksOfAssembled(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowAttachType(Mat A, const MatKind &kind)
{
  const bool  mpi = IsMPI(A);
  std::string type;
  PetscBool   same, aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCheck(aij, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s cannot become %s in place; convert it with MatConvert()", ((PetscObject)A)->type_name, kind.root.c_str());
  PetscCall(RememberType(kind));
  PetscCall(TypeForKind(A, kind, mpi, &type));
  if (FindKind(type.c_str())) {
    PetscCall(AttachWithName(A, kind, type));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)A, type.c_str(), &same)); // the parent's, on a device
  if (!same) {
    PetscCall(MakePlain(A, mpi));
    PetscCall(MakeDeviceType(A, type));
  }
  PetscCall(ShadowAttach(A, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// On the host, where the type has a name of ours.
static PetscErrorCode AttachWithName(Mat A, const MatKind &kind, const std::string &type)
{
  Shadow   *shadow;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, type.c_str(), &same));
  if (!same) PetscCall(MakePlain(A, IsMPI(A)));
  PetscCall(ShadowFind(A, &shadow));
  if (!shadow || !same) {
    PetscCall(ComposeShadow(A, kind, true, &shadow));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, type.c_str()));
    PetscCall(ShadowReattach(A, shadow));
  }
  PetscCall(AttachBlocksOfAssembled(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowDetach(Mat A)
{
  const bool         mpi = IsMPI(A);
  Shadow            *shadow;
  const KnownParent *known;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  const bool named = shadow->named;
  PetscCall(FindParent(ParentType(A), &known));
  PetscCall(RestoreParent(A, shadow->parent, named, mpi, known->kept_values));
  if (named) PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi ? MATMPIAIJ : MATSEQAIJ));
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForEachPart(A, [](Mat block) {
    Shadow *of_block;
    PetscFunctionBegin;
    PetscCall(ShadowFind(block, &of_block));
    if (of_block) PetscCall(ShadowDetach(block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix, and the blocks of a parallel one.
static PetscErrorCode GetSuspended(Mat A, Mat (&mats)[3])
{
  Mat blocks[2] = {nullptr, nullptr};

  PetscFunctionBegin;
  if (IsMPI(A)) PetscCall(GetBlocks(A, blocks));
  mats[0] = A;
  std::copy(blocks, blocks + 2, mats + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowSuspend(Mat A, SuspendedShadow *suspended)
{
  Mat     mats[3];
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  suspended->kind = shadow->kind;
  PetscCall(GetSuspended(A, mats));
  for (int i = 0; i < 3; ++i) {
    PetscObject container = nullptr;
    if (mats[i]) PetscCall(PetscObjectQuery((PetscObject)mats[i], kShadowKey, &container));
    if (container) PetscCall(PetscObjectReference(container));
    suspended->containers[i] = container;
  }
  PetscCall(ShadowDetach(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowResume(Mat A, const SuspendedShadow &suspended)
{
  Mat mats[3];

  PetscFunctionBegin;
  PetscCall(ShadowAttachType(A, *suspended.kind));
  PetscCall(GetSuspended(A, mats));
  for (int i = 0; i < 3; ++i)
    if (mats[i] && suspended.containers[i]) PetscCall(PetscObjectCompose((PetscObject)mats[i], kShadowKey, suspended.containers[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Shadow(Mat A, const MatKind &kind, bool mpi)
{
  std::string type;

  PetscFunctionBegin;
  PetscCall(TypeForKind(A, kind, mpi, &type));
  if (!FindKind(type.c_str())) PetscCall(MatSetType(A, type.c_str())); // on a device
  else PetscCall(MatSetType(A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall(ShadowAttachType(A, kind));
  // MatConvert asks a new matrix of the wanted type for this. Not in ShadowAttach(): with -mat_seqaij_type a new matrix
  // of type seqaij is ours, too, and then MatConvert to seqaij must find what it finds without us.
  PetscCall(MatSetOperation(A, MATOP_CONVERT_FROM, (VoidFn)MatConvertFrom_Shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_Shadow(Mat A, bool mpi)
{
  Shadow            *shadow;
  const KnownParent *known;

  PetscFunctionBegin;
  PetscCall(ShadowFind(A, &shadow)); // which MatHeaderMerge may have taken away, and the name of the type with it
  PetscCall(FindParent(mpi ? MATMPIAIJ : MATSEQAIJ, &known));
  const ParentFunctions parent  = shadow ? shadow->parent : known->functions;
  const VoidFn          destroy = FunctionOf(parent, mpi, MATOP_DESTROY);
  PetscCall(RestoreParent(A, parent, true, mpi, {}));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat)>(destroy))(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
