#pragma once

/// \file attach.hpp
/// Matrices get a shadow and lose it, in place.

#include "glue/door/enter.hpp"
#include "glue/door/parent.hpp"
#include "glue/door/registry.hpp"

namespace petscspmv::shadow {

/// Under which a matrix keeps its shadow.
inline constexpr char kShadowKey[] = "petscspmv_shadow";

/// A new shadow in the place of the one that there may be.
PetscErrorCode ComposeShadow(Entry *e, const MatKind &kind, bool named);

/// Lets an AIJ matrix, assembled or not, multiply by `kind`, in place. Its type stays what it is.
PetscErrorCode ShadowAttach(Mat A, const MatKind &kind);

/// The same for an AIJ matrix of whatever subtype, which gets the type of that kind.
PetscErrorCode ShadowAttachType(Mat A, const MatKind &kind);

/// Gives an attached matrix its parent's functions back, in place; one of a type of ours becomes plain AIJ.
PetscErrorCode ShadowDetach(Mat A);

/// PETSc sets operations of a matrix anew in places; ours go on top of them again, and those are the parent's from now
/// on.
PetscErrorCode ShadowReattach(const Entry &e);

/// The two local blocks of a parallel AIJ matrix.
PetscErrorCode GetBlocks(Mat A, Mat (&blocks)[2]);

/// Attaches a part of an attached matrix to the same kind, with the same options, if it is AIJ.
PetscErrorCode AttachPart(const Entry &e, Mat part);

/// The same of the local blocks of a parallel matrix. Chooses how they get ghost values.
PetscErrorCode AttachBlocks(const Entry &e);

/// What has formats: a sequential matrix itself, or the two blocks of a parallel one. What is missing is null.
PetscErrorCode GetParts(Mat A, Mat (&parts)[2]);

/// Calls visit(matrix) for A, or for the local blocks of a parallel one. `visit` returns a PetscErrorCode.
template <class Visit> PetscErrorCode ForEachPart(Mat A, Visit &&visit)
{
  Mat parts[2];

  PetscFunctionBegin;
  PetscCall(GetParts(A, parts));
  for (Mat part : parts)
    if (part) PetscCall(visit(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts back the parent's operations and takes away all that was composed, but for the name of the type. `kept` are the
/// parent's; none for a matrix that is being destroyed: MatHeaderMerge has taken the list of functions away, and would
/// lose new ones.
PetscErrorCode RestoreParent(Mat A, const ParentFunctions &parent, bool named, bool mpi, const KeptValues &kept);

/// From any type to one of ours (MATOP_CONVERT_FROM).
PetscErrorCode MatConvertFrom_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B);

} // namespace petscspmv::shadow
