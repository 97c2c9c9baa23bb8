#include "petscspmv.h"

#include <utility>

#include "glue/door/attach.hpp"
#include "glue/door/hooks.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"

using namespace petscspmv;

PetscErrorCode MatCreateSpMV(MPI_Comm comm, MatType type, PetscInt m, PetscInt n, PetscInt M, PetscInt N, PetscInt d_nz,
                             const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[], Mat *A)
{
  Mat                   made = nullptr;
  const shadow::Finally destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(PetscSpMVInitializePackage());
  PetscCall(MatCreate(comm, &made));
  PetscCall(MatSetSizes(made, m, n, M, N));
  PetscCall(MatSetType(made, type));
  PetscCall(MatSeqAIJSetPreallocation(made, d_nz, d_nnz));
  PetscCall(MatMPIAIJSetPreallocation(made, d_nz, d_nnz, o_nz, o_nnz));
  *A = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls visit(shadow) for a sequential matrix, or for the two local blocks of a parallel one, if it is assembled.
template <class Visit> static PetscErrorCode ForEachLocalShadow(Mat A, Visit &&visit)
{
  PetscBool     assembled;
  shadow::Entry e;

  PetscFunctionBegin;
  PetscCall(shadow::EnterUnread(A, &e)); // an error for a matrix that is not attached
  PetscCall(MatAssembled(A, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  if (shadow::IsMPI(A)) PetscCall(shadow::AttachBlocks(e));
  PetscCall(shadow::ForEachPart(A, [&](Mat part) {
    PetscFunctionBegin;
    PetscCall(shadow::EnterUnread(part, &e));
    visit(*e.own);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVSetMethod(Mat A, const char method[])
{
  const shadow::MatKind *kind;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(PetscSpMVInitializePackage());
  PetscCall(shadow::FindMethod(method, &kind));
  if (kind) PetscCall(shadow::ShadowAttach(A, *kind));
  else {
    shadow::Entry e;
    PetscCall(shadow::Find(A, &e));
    if (e.own || shadow::IsShadowType(A)) PetscCall(shadow::ShadowDetach(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVGetMethod(Mat A, const char *method[])
{
  shadow::Entry e;
  PetscBool     can;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(shadow::IsParentType(A, &can)); // else it may have become another subtype of AIJ since it was attached
  if (can) PetscCall(shadow::Find(A, &e));
  else if (shadow::IsShadowType(A)) PetscCall(shadow::EnterUnread(A, &e));
  *method = e.own ? e.own->kind->root.c_str() : "none";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVGetFootprint(Mat A, PetscLogDouble *owned, PetscLogDouble *borrowed)
{
  Footprint sum;

  PetscFunctionBegin;
  PetscCall(ForEachLocalShadow(A, [&sum](const shadow::Shadow &s) {
    const Footprint f = s.footprint();
    sum.arrays.insert(sum.arrays.end(), f.arrays.begin(), f.arrays.end());
  }));
  if (owned) *owned = (PetscLogDouble)sum.owned();
  if (borrowed) *borrowed = (PetscLogDouble)sum.borrowed();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVGetCounts(Mat A, PetscInt *builds, PetscInt *refreshes)
{
  PetscInt built = 0, refreshed = 0;

  PetscFunctionBegin;
  PetscCall(ForEachLocalShadow(A, [&](const shadow::Shadow &s) {
    built += s.builds;
    refreshed += s.refreshes;
  }));
  if (builds) *builds = built;
  if (refreshes) *refreshes = refreshed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVSetOption(Mat A, const char key[], PetscInt value)
{
  PetscFunctionBegin;
  PetscCall(shadow::ShadowSetOption(A, key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVGetOption(Mat A, const char key[], PetscInt *value)
{
  PetscFunctionBegin;
  PetscCall(shadow::ShadowGetOption(A, key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSpMVTune(Mat A, PetscInt)
{
  PetscFunctionBegin;
  SETERRQ(
    PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
    "There is no search for options any more; compare them by petscspmv-bench, and set them by -mat_<type>_<key> or MatSpMVSetOption()");
}
