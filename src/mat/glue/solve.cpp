#include "glue/factors.hpp"

#include "glue/arrays.hpp"
#include "glue/place.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// With vectors that are where the factors are.
PetscErrorCode SolveThere(FactorsInstance &own, Solving what, Vec b, Vec x)
{
  PetscFunctionBegin;
  if (own.space == MemorySpace::device) PetscCall(UseCurrentStream());
  PetscCall(WithArrays(own.space, b, x, false, [&](const PetscScalar *from, PetscScalar *to) {
    own.factors->solve(what, from, to);
    return 2.0 * (double)own.factors->nonzeros();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode IsThere(const FactorsInstance &own, Vec v, bool *is)
{
  PetscFunctionBegin;
  *is = own.space == MemorySpace::host; // which arrays of all vectors can be brought to
  if (!*is) PetscCall(IsOnDevice(v, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Solving what> PetscErrorCode MatSolve_Factors(Mat F, Vec b, Vec x)
{
  FactorsInstance *own;
  Vec              from, to;
  bool             b_there, x_there;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  const std::lock_guard lock(own->busy);
  PetscCall(IsThere(*own, b, &b_there));
  PetscCall(IsThere(*own, x, &x_there));
  if (b_there && x_there) {
    PetscCall(SolveThere(*own, what, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CreateForParent(own->parent.c_str(), F->rmap->n, &from));
  PetscCall(VecDuplicate(from, &to));
  PetscCall(CopyOnThisRank(b, from));
  PetscCall(SolveThere(*own, what, from, to));
  PetscCall(CopyOnThisRank(to, x));
  PetscCall(VecDestroy(&from));
  PetscCall(VecDestroy(&to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveTranspose_Factors(Mat F, Vec b, Vec x)
{
  FactorsInstance   *own;
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  const std::lock_guard lock(own->busy);
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCallCXX(own->factors->solve_transposed(from, to));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(PetscLogFlops(2.0 * (double)own->factors->nonzeros()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FactorsOf(Mat F, FactorsInstance **own)
{
  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)F, kFactorsKey, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SetSolves(Mat F)
{
  _MatOps &ops = *F->ops;
  ops.solveadd = ops.solvetransposeadd = nullptr;
  ops.matsolve = ops.matsolvetranspose = nullptr;
  ops.solve                            = MatSolve_Factors<Solving::both>;
  ops.solvetranspose                   = MatSolveTranspose_Factors;
  if (!IsIcc(F)) return;
  ops.solvetranspose = ops.solve;
  ops.forwardsolve   = MatSolve_Factors<Solving::lower_root>;
  ops.backwardsolve  = MatSolve_Factors<Solving::upper_root>;
}

PetscErrorCode MatGetInfo_Factors(Mat F, MatInfoType, MatInfo *info)
{
  FactorsInstance *own;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  const auto nonzeros = (PetscLogDouble)own->factors->nonzeros(), rows = (PetscLogDouble)F->rmap->n;
  *info                   = {};
  info->block_size        = 1;
  info->nz_used           = IsIcc(F) ? (nonzeros + rows) / 2 : nonzeros; // as PETSc counts, which keeps one triangle
  info->nz_allocated      = info->nz_used;
  info->memory            = (PetscLogDouble)own->factors->footprint().owned();
  info->fill_ratio_given  = own->fill;
  info->fill_ratio_needed = IsIcc(F) ? 2 * info->nz_used / (own->given + rows) : nonzeros / own->given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_Factors(Mat F, PetscViewer viewer)
{
  FactorsInstance *own;
  PetscBool        ascii;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  PetscCall((*own->petscs.view)(F, viewer));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!own->factors) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "petscspmv: factors are PETSc's own, on the host: %s\n", own->failure.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "petscspmv: factors are ours, of %zu bytes", own->factors->footprint().owned()));
  if (!own->order.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "; order: %s", own->order.c_str()));
  for (const auto &[name, value] : own->factors->facts())
    PetscCall(PetscViewerASCIIPrintf(viewer, "; %s: %s", name.c_str(), value.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
