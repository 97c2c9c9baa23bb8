#include "impls/shadow/shadow.hpp"

namespace petscspmv::shadow {

/// From a type of ours to any other.
///
/// A is plain AIJ for the time of the conversion, so that all of AIJ's own fast converters apply (to dense, block formats,
/// hypre, ...) and nothing is copied for it.
PetscErrorCode MatConvert_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  SuspendedShadow suspended;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) {
    PetscCall(ShadowDetach(A));
    PetscCall(MatConvert(A, type, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ShadowSuspend(A, &suspended));
  ierr = MatConvert(A, type, reuse, B);
  PetscCall(ShadowResume(A, &suspended)); // also after an error: A stays what it was
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Writes A, of whatever type, over B, one of ours. B is plain AIJ meanwhile, so that PETSc writes to its arrays and B keeps its
/// options, and its format if the pattern stays.
static PetscErrorCode ConvertInto(Mat A, Mat *B)
{
  SuspendedShadow suspended;
  PetscErrorCode  ierr;
  Mat             blocks[2];

  PetscFunctionBegin;
  PetscCall(ShadowSuspend(*B, &suspended));
  ierr = MatConvert(A, MATAIJ, MAT_REUSE_MATRIX, B);
  PetscCall(ShadowResume(*B, &suspended));
  PetscCall(ierr);
  if (IsMPI(*B)) { // the converter from hypre writes to the blocks' arrays without telling the blocks
    PetscCall(GetBlocks(*B, blocks));
    for (Mat block : blocks) PetscCall(PetscObjectStateIncrease((PetscObject)block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// AIJ of any subtype to a type of ours.
static PetscErrorCode ConvertFromAIJ(Mat A, const MatKind &kind, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatConvert(A, MATAIJ, reuse, B)); // not all subtypes can be duplicated
  PetscCall(ShadowAttach(*B, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvertFrom_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  const MatKind *kind = FindKind(type);
  PetscBool      aij;
  Mat            T;

  PetscFunctionBegin;
  PetscCheck(kind, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_UNKNOWN_TYPE, "%s is not a matrix type of petscspmv", type);
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (aij) {
    PetscCall(ConvertFromAIJ(A, *kind, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(ConvertInto(A, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &T));
  PetscCall(ShadowAttach(T, *kind));
  if (reuse == MAT_INITIAL_MATRIX) *B = T;
  else PetscCall(MatHeaderReplace(*B, &T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_Shadow(Mat A, MatDuplicateOption how, Mat *B)
{
  Shadow *shadow, *copy;

  PetscFunctionBegin;
  PetscCall((*Parent<PetscErrorCode (*)(Mat, MatDuplicateOption, Mat *)>(IsMPI(A), MATOP_DUPLICATE))(A, how, B));
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(ShadowGet(*B, &copy));
  copy->configure(shadow->options, shadow->common);
  copy->options_read = shadow->options_read;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
