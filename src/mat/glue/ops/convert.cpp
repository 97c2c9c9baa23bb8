#include <array>
#include <utility>

#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/ops/product.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

namespace {

/// The shadows of a matrix and of its blocks while it is plain AIJ for a moment, and its states before.
struct Suspended {
  const MatKind   *kind          = nullptr;
  PetscObject      containers[3] = {nullptr, nullptr, nullptr};
  PetscObjectState states[3]     = {-1, -1, -1};

  ~Suspended()
  {
    for (PetscObject &container : containers) static_cast<void>(PetscObjectDestroy(&container));
  }
};

/// Calls visit(number, matrix) for a matrix, and for the blocks of a parallel one.
template <class Visit> PetscErrorCode ForEachMat(Mat A, const Visit &visit)
{
  Mat mats[3] = {A, nullptr, nullptr};

  PetscFunctionBegin;
  if (IsMPI(A)) PetscCall(MatMPIAIJGetSeqAIJ(A, &mats[1], &mats[2], NULL));
  for (int i = 0; i < 3; ++i)
    if (mats[i]) PetscCall(visit(i, (PetscObject)mats[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes A, of a type of ours, plain AIJ until Resume(), which puts back the very shadows: nothing is built anew.
PetscErrorCode Suspend(Mat A, Suspended *suspended)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  suspended->kind = e.own->kind;
  PetscCall(ForEachMat(A, [suspended](int i, PetscObject mat) {
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery(mat, kShadowKey, &suspended->containers[i]));
    PetscCall(PetscObjectReference(suspended->containers[i]));
    PetscCall(PetscObjectStateGet(mat, &suspended->states[i]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(ShadowDetach(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Resume(Mat A, const Suspended &suspended)
{
  PetscFunctionBegin;
  PetscCall(ShadowAttachType(A, *suspended.kind));
  PetscCall(ForEachMat(A, [&suspended](int i, PetscObject mat) {
    const PetscObject container = suspended.containers[i];
    return container ? PetscObjectCompose(mat, kShadowKey, container) : PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// After A has only been read. PETSc (3.20 to 3.24) assembles a parallel matrix once more to convert it to sell, and
/// that makes new states of the same values. A format that was in step still is; should arrays or pattern be others,
/// its key tells.
PetscErrorCode StayInStep(Mat A, const Suspended &before)
{
  PetscFunctionBegin;
  PetscCall(ForEachMat(A, [&before](int i, PetscObject mat) {
    Entry            e;
    PetscObjectState now;
    PetscFunctionBegin;
    PetscCall(Find((Mat)mat, &e));
    PetscCall(PetscObjectStateGet(mat, &now));
    if (e.own)
      for (const Form form : e.own->forms())
        if (SyncKey &key = e.own->at(form).key; key.values == before.states[i]) key.values = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/// From a type of ours to any other.
///
/// A is plain AIJ for the time of the conversion, so that all of AIJ's own fast converters apply (to dense, block
/// formats, hypre, ...) and nothing is copied for it.
static PetscErrorCode MatConvert_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  Suspended      suspended;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) {
    PetscCall(ShadowDetach(A));
    PetscCall(MatConvert(A, type, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Suspend(A, &suspended));
  ierr = MatConvert(A, type, reuse, B);
  PetscCall(Resume(A, suspended)); // also after an error: A stays what it was
  PetscCall(ierr);
  PetscCall(StayInStep(A, suspended));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Writes A, of whatever type, over B, one of ours. B is plain AIJ meanwhile, so that PETSc writes to its arrays and B
/// keeps its options, and its format if the pattern stays.
static PetscErrorCode ConvertInto(Mat A, Mat *B)
{
  Suspended      suspended;
  PetscErrorCode ierr;
  Mat            blocks[2];

  PetscFunctionBegin;
  PetscCall(Suspend(*B, &suspended));
  ierr = MatConvert(A, MATAIJ, MAT_REUSE_MATRIX, B);
  PetscCall(Resume(*B, suspended));
  PetscCall(ierr);
  if (IsMPI(*B)) { // the converter from hypre writes to the blocks' arrays without telling the blocks
    PetscCall(GetBlocks(*B, blocks));
    for (Mat block : blocks) PetscCall(PetscObjectStateIncrease((PetscObject)block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A as a new matrix of our type.
static PetscErrorCode ConvertToNew(Mat A, const MatKind &kind, Mat *B)
{
  Mat           made = nullptr;
  const Finally destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &made)); // not all subtypes of AIJ can be duplicated
  PetscCall(ShadowAttachType(made, kind));
  *B = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatConvert() without any options, so that no -mat_seqaij_type turns the AIJ matrix that is asked for into one of
/// ours.
static PetscErrorCode ConvertWithoutOptions(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  PetscOptions  none = nullptr;
  const Finally destroy([&] { return PetscOptionsDestroy(&none); });

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(PetscOptionsPush(none));
  const Finally pop([] { return PetscOptionsPop(); });
  PetscCall(MatConvert(A, type, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvertFrom_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  const MatKind *kind = FindKind(type);
  PetscBool      aij;
  Mat            made = nullptr;

  PetscFunctionBegin;
  if (!kind) { // PETSc made a matrix of `type` to ask it, AIJ no doubt, and -mat_seqaij_type made that one of ours
    PetscCall(ConvertWithoutOptions(A, type, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(ConvertToNew(A, *kind, B));
  else if (aij && reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
  else if (aij) PetscCall(ShadowAttachType(*B, *kind));
  else if (reuse == MAT_REUSE_MATRIX) PetscCall(ConvertInto(A, B));
  else {
    PetscCall(ConvertToNew(A, *kind, &made));
    const Finally destroy([&] { return MatDestroy(&made); }); // null after that
    PetscCall(MatHeaderReplace(*B, &made));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

using Convert = PetscErrorCode (*)(Mat, MatType, MatReuse, Mat *);

/// PETSc's own conversions of AIJ to these types, of which those on a device have some.
std::array<Convert, kParentTypes.size()> own_convert{};

/// PETSc sets all operations anew: ours, if A has a method, and in any case what guards products.
template <std::size_t to> PetscErrorCode MatConvert_Hooked(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall((*own_convert[to])(A, type, reuse, B));
  PetscCall(Find(*B, &e));
  PetscCall(e.own ? ShadowAttach(*B, *e.own->kind) : GuardProducts(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... to> PetscErrorCode HookConversionsTo(Mat A, std::index_sequence<to...>)
{
  constexpr Convert ours[] = {MatConvert_Hooked<to>...};

  PetscFunctionBegin;
  for (std::size_t k = 0; k < kParentTypes.size(); ++k) {
    const std::string name = std::string("MatConvert_") + ((PetscObject)A)->type_name + "_" + kParentTypes[k] + "_C";
    Convert           now  = nullptr;
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name.c_str(), &now));
    if (!now || now == ours[k]) continue;
    own_convert[k] = now;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name.c_str(), ours[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode HookConversions(Mat A)
{
  PetscBool aij;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (aij) PetscCall(HookConversionsTo(A, std::make_index_sequence<kParentTypes.size()>()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows ConvertRows()
{
  static const Row rows[] = {{MATOP_CONVERT, (VoidFn)MatConvert_Shadow, IsNamed}};
  return {rows, rows};
}

} // namespace petscspmv::shadow
