#include "glue/ops/factors.hpp"

#include "glue/arrays.hpp"
#include "glue/finally.hpp"
#include "glue/place.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

/// As PETSc counts those of a solve.
double FlopsOf(const FactorsInstance &own, Solving what, PetscInt rows)
{
  const auto nonzeros = (double)own.factors->nonzeros();
  return what == Solving::both ? 2 * nonzeros - (double)rows : nonzeros;
}

/// With vectors that are where the factors are.
PetscErrorCode SolveThere(FactorsInstance &own, Solving what, Vec b, Vec x)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &rows));
  if (own.space == MemorySpace::device) PetscCall(UseCurrentStream());
  PetscCall(WithArrays(own.space, b, x, false, [&](const PetscScalar *from, PetscScalar *to) {
    own.factors->solve(what, from, to);
    return FlopsOf(own, what, rows);
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

/// For D^1/2.
PetscErrorCode CheckRoots(FactorsInstance &own, PetscInt rows)
{
  FactorsView<PetscScalar, PetscInt> f;

  PetscFunctionBegin;
  if (own.factors->has_roots()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCXX(f = own.factors->on_host());
  for (PetscInt r = 0; r < rows; ++r) {
    const PetscScalar d = f.entry[f.diagonal[r]];
    PetscCheck(PetscRealPart(d) >= 0 && PetscImaginaryPart(d) == 0, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The factors have (%g,%g) on the diagonal of row %" PetscInt_FMT ", which must be real and nonnegative for solves with one "
               "half of them; take another side than -ksp_pc_side symmetric, or -pc_factor_shift_type positive_definite",
               (double)PetscRealPart(d), (double)PetscImaginaryPart(d), f.row ? f.row[r] : r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Solving what> PetscErrorCode MatSolve_Factors(Mat F, Vec b, Vec x)
{
  FactorsInstance *own;
  Vec              from = nullptr, to = nullptr;
  const Finally    destroy([&] { return static_cast<PetscErrorCode>(VecDestroy(&from) || VecDestroy(&to)); });
  bool             b_there, x_there;

  PetscFunctionBegin;
  PetscCall(NumericFactorsOf(F, &own));
  const std::lock_guard lock(own->busy);
  if (what != Solving::both) PetscCall(CheckRoots(*own, F->rmap->n));
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveTranspose_Factors(Mat F, Vec b, Vec x)
{
  FactorsInstance   *own;
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(NumericFactorsOf(F, &own));
  const std::lock_guard lock(own->busy);
  PetscCall(VecGetArrayRead(b, &from));
  const Finally restore_b([&] { return VecRestoreArrayRead(b, &from); });
  PetscCall(VecGetArrayWrite(x, &to));
  const Finally restore_x([&] { return VecRestoreArrayWrite(x, &to); });
  PetscCallCXX(own->factors->solve_transposed(from, to));
  PetscCall(PetscLogFlops(FlopsOf(*own, Solving::both, F->rmap->n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FactorsOf(Mat F, FactorsInstance **own)
{
  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)F, kFactorsKey, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NumericFactorsOf(Mat F, FactorsInstance **own)
{
  PetscFunctionBegin;
  PetscCall(FactorsOf(F, own));
  PetscCheck((*own)->numeric, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The factors have no numbers yet: call %s() first",
             IsIcc(F) ? "MatCholeskyFactorNumeric" : "MatLUFactorNumeric");
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

/// PETSc has no other views of factored matrices than as text of no entries.
PetscErrorCode MatView_Factors(Mat F, PetscViewer viewer)
{
  FactorsInstance *own;
  MatSolverType    package;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  PetscCall((*own->view)(F, viewer));
  if (!own->factors) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "petscspmv: factors are PETSc's own, on the host: %s\n", own->failure.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatFactorGetSolverType(F, &package));
  std::string text = "petscspmv: factors are ours" + (own->named ? "" : ", in the place of " + std::string(package) + "'s") + ", of " +
                     std::to_string(own->factors->footprint().owned()) + " bytes";
  if (!own->order.empty()) text += "; order: " + own->order;
  for (const auto &[name, value] : own->factors->facts()) text += "; " + name + ": " + value;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
