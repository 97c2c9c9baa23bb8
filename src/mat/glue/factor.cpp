#include "glue/factor.hpp"

#include <array>
#include <utility>

#include "glue/attach.hpp"
#include "glue/events.hpp"
#include "glue/factors.hpp"
#include "glue/options.hpp"
#include "glue/ordering.hpp"
#include "glue/place.hpp"
#include "glue/sor.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

using Create = PetscErrorCode (*)(Mat, MatFactorType, Mat *);
/// Who makes incomplete factors of the types that we attach to.
struct Maker {
  MatSolverType package;
  MatType       type;
  MatFactorType factor;
};
constexpr Maker makers[] = {{MATSOLVERPETSC, MATSEQAIJ, MAT_FACTOR_ILU},
                            {MATSOLVERPETSC, MATSEQAIJ, MAT_FACTOR_ICC},
                            {MATSOLVERCUSPARSE, MATSEQAIJCUSPARSE, MAT_FACTOR_ILU},
                            {MATSOLVERCUSPARSE, MATSEQAIJCUSPARSE, MAT_FACTOR_ICC},
                            {MATSOLVERKOKKOS, MATSEQAIJKOKKOS, MAT_FACTOR_ILU},
                            {MATSOLVERKOKKOS, MATSEQAIJKOKKOS, MAT_FACTOR_ICC}};

/// PETSc's own; null for those that this PETSc lacks.
std::array<Create, std::size(makers)> own_create{};

/// Our package, as -pc_factor_mat_solver_type names it.
MatSolverType own_package = nullptr;

/// When PETSc would shift a pivot, or raise an error.
PivotRule RuleOf(const MatFactorInfo &info)
{
  const bool positive = info.shifttype == (PetscReal)MAT_SHIFT_POSITIVE_DEFINITE;
  return {info.zeropivot, positive || info.shifttype == (PetscReal)MAT_SHIFT_NONZERO, positive};
}

/// By the function that F has. PETSc's for the host composes with F what A has composed, and of a type on a device that
/// is more than F's destructor takes away.
PetscErrorCode CallSymbolic(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionList composed = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListDuplicate(((PetscObject)F)->qlist, &composed));
  if (IsIcc(F)) PetscCall((*F->ops->iccfactorsymbolic)(F, A, row, info));
  else PetscCall((*F->ops->ilufactorsymbolic)(F, A, row, col, info));
  PetscCall(PetscFunctionListDestroy(&((PetscObject)F)->qlist));
  ((PetscObject)F)->qlist = composed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What we never do is as if we were not there, perhaps on the device.
PetscErrorCode LeaveToPetsc(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info, const FactorsInstance &own)
{
  Mat other;

  PetscFunctionBegin;
  PetscCall((*own.create)(A, F->factortype, &other));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)other, ((PetscObject)F)->prefix));
  PetscCall(MatHeaderReplace(F, &other)); // `own` is gone
  PetscCall(CallSymbolic(F, A, row, col, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SymbolicOnHost(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info, FactorsInstance *own, const std::string &why)
{
  PetscFunctionBegin;
  PetscCall(PetscInfo(F, "Factors are PETSc's own, on the host: %s\n", why.c_str()));
  own->factors.reset();
  own->failure = why;
  *F->ops      = own->petscs;
  F->ops->view = MatView_Factors;
  PetscCall(CallSymbolic(F, A, row, col, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc shifts pivots, and knows what to say of those that are zero.
PetscErrorCode FactorOnHost(Mat F, Mat A, const MatFactorInfo *info, FactorsInstance *own, const std::string &why)
{
  PetscFunctionBegin;
  PetscCall(SymbolicOnHost(F, A, own->row, own->col, info, own, why));
  PetscCall((*(IsIcc(F) ? F->ops->choleskyfactornumeric : F->ops->lufactornumeric))(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFactorNumeric_Factors(Mat F, Mat A, const MatFactorInfo *info)
{
  FactorsInstance *own;
  Shadow          *shadow;
  MemorySpace      space;
  View             view;
  PetscErrorCode   code;
  std::string      failure;
  bool             fits = true;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  PetscCall(ShadowFind(A, &shadow));
  PetscCall(DefaultSpace(A, &space));
  if (!shadow || space != own->space) failure = "The matrix is another than the one that was analysed.";
  else {
    if (space == MemorySpace::device) PetscCall(UseCurrentStream());
    PetscCall(ShadowView(A, space, shadow, &view));
    PetscCall(PetscLogEventBegin(Event_Sweeps, F, 0, 0, 0));
    Attempt([&] { fits = own->factors->factor(view, RuleOf(*info)); }, &code, &failure);
    PetscCall(PetscLogEventEnd(Event_Sweeps, F, 0, 0, 0));
    if (!fits) failure = "A pivot is zero or has to be shifted.";
  }
  if (failure.empty()) SetSolves(F);
  else PetscCall(FactorOnHost(F, A, info, own, failure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds how A can be factored and solved with. `order`: of its rows; null: their own.
PetscErrorCode Analyse(Mat A, bool icc, int levels, const BlockOrder<PetscInt> *order, FactorsInstance *own, std::string *failure)
{
  Shadow        *shadow;
  View           view;
  PetscErrorCode code;
  int            threads;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(DefaultSpace(A, &own->space));
  PetscCall(ShadowView(A, own->space, shadow, &view));
  PetscCall(ShadowThreads(*shadow, own->space, &threads));
  if (own->space == MemorySpace::device) PetscCall(UseCurrentStream());
  const Execution execution{own->space, threads};
  const bool      if_faster = !own->named && !SweepsAlways(*shadow);
  Attempt([&] { own->factors = make_incomplete_factors(view, order, icc, levels, execution, if_faster); }, &code, failure);
  own->parent = ((PetscObject)A)->type_name;
  own->given  = (PetscReal)view.nonzeros();
  if (own->factors && own->space == MemorySpace::device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)own->factors->footprint().owned()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same in the program's order, or by coloured blocks if they are wanted and it has none of its own.
PetscErrorCode AnalyseInOrder(Mat A, bool icc, int levels, FactorsInstance *own, std::string *failure)
{
  Shadow              *shadow;
  PetscBool            natural;
  BlockOrder<PetscInt> order;
  const PetscInt      *rows;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(ISIdentity(own->row, &natural));
  PetscCall(PetscLogEventBegin(Event_Sweeps, A, 0, 0, 0));
  own->order.clear();
  if (natural && SweepsByBlocks(*shadow)) {
    PetscCall(GetBlockOrder(A, &order));
    own->order = Described(order);
  } else if (!natural) {
    PetscCall(ISGetIndices(own->row, &rows));
    order.row.assign(rows, rows + A->rmap->n);
    PetscCall(ISRestoreIndices(own->row, &rows));
  }
  PetscCall(Analyse(A, icc, levels, order.row.empty() ? nullptr : &order, own, failure));
  PetscCall(PetscLogEventEnd(Event_Sweeps, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same function for both kinds of factors.
PetscErrorCode MatILUFactorSymbolic_Factors(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  FactorsInstance *own;
  Shadow          *shadow;
  PetscBool        same;
  std::string      failure;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  PetscCall(ShadowFind(A, &shadow));
  PetscCall(ISEqual(row, col, &same));
  if (!shadow || info->diagonal_fill != 0 || !same) {
    PetscCall(LeaveToPetsc(F, A, row, col, info, *own));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (const auto &[from, to] : {std::pair(row, &own->row), std::pair(col, &own->col)}) {
    PetscCall(PetscObjectReference((PetscObject)from));
    PetscCall(ISDestroy(to));
    *to = from;
  }
  PetscCall(AnalyseInOrder(A, IsIcc(F), (int)info->levels, own, &failure));
  if (!failure.empty()) {
    PetscCall(SymbolicOnHost(F, A, row, col, info, own, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  own->fill       = info->fill;
  F->preallocated = F->assembled                                       = PETSC_TRUE;
  F->ops->getinfo                                                      = MatGetInfo_Factors;
  (IsIcc(F) ? F->ops->choleskyfactornumeric : F->ops->lufactornumeric) = MatFactorNumeric_Factors;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_Factors(Mat F, Mat A, IS order, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatILUFactorSymbolic_Factors(F, A, order, order, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc's function for the host has created asks us first. `named`: the program has named our package.
PetscErrorCode AskUsFirst(Mat F, Create petscs, bool named, PetscErrorCode (*solver_type)(Mat, MatSolverType *))
{
  auto own = std::make_unique<FactorsInstance>();

  PetscFunctionBegin;
  own->create = petscs;
  own->petscs = *F->ops;
  own->named  = named;
  PetscCall(ComposeOwned((PetscObject)F, kFactorsKey, own.release()));
  if (IsIcc(F)) F->ops->iccfactorsymbolic = MatICCFactorSymbolic_Factors;
  else F->ops->ilufactorsymbolic = MatILUFactorSymbolic_Factors;
  F->ops->view = MatView_Factors;
  PetscCall(PetscObjectComposeFunction((PetscObject)F, "MatFactorGetSolverType_C", solver_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The package that the program has asked for, or PETSc has chosen: a PC compares the names.
template <std::size_t n> PetscErrorCode SolverType(Mat, MatSolverType *type)
{
  PetscFunctionBegin;
  *type = makers[n].package;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t n> PetscErrorCode MatGetFactor_Hooked(Mat A, MatFactorType type, Mat *F)
{
  constexpr std::size_t on_host = n % 2;
  Shadow               *shadow;
  MemorySpace           home;
  bool                  ours = false;

  PetscFunctionBegin;
  PetscCall(ShadowFind(A, &shadow));
  if (shadow) {
    PetscCall(ReadOptionsOnce(A));
    PetscCall(DefaultSpace(A, &home));
    ours = MaySweep(*shadow, home);
  }
  PetscCall((*own_create[ours ? on_host : n])(A, type, F));
  if (ours && *F) PetscCall(AskUsFirst(*F, own_create[n], false, SolverType<n>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnSolverType(Mat, MatSolverType *type)
{
  PetscFunctionBegin;
  *type = own_package;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By our package: wherever we can, also where PETSc's are predicted to be faster.
PetscErrorCode MatGetFactor_Named(Mat A, MatFactorType type, Mat *F)
{
  const std::size_t on_host = type == MAT_FACTOR_ILU ? 0 : 1; // of `makers`
  Shadow           *shadow;

  PetscFunctionBegin;
  PetscCall(ShadowFind(A, &shadow));
  PetscCheck(shadow, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The package %s factors matrices that multiply by a method: give this one a method by -mat_spmv, or take another package by "
             "-pc_factor_mat_solver_type",
             own_package);
  PetscCall(ReadOptionsOnce(A));
  PetscCall((*own_create[on_host])(A, type, F));
  PetscCall(AskUsFirst(*F, own_create[on_host], true, OwnSolverType));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... n> PetscErrorCode HookAll(std::index_sequence<n...>)
{
  constexpr Create hooks[] = {MatGetFactor_Hooked<n>...};

  PetscFunctionBegin;
  for (std::size_t k = 0; k < std::size(makers); ++k) {
    const Maker &maker = makers[k];
    Create       create;
    PetscCall(MatSolverTypeGet(maker.package, maker.type, maker.factor, NULL, NULL, &create));
    if (!create || create == hooks[k]) continue;
    own_create[k] = create;
    PetscCall(MatSolverTypeRegister(maker.package, maker.type, maker.factor, hooks[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode RegisterFactorPackage(MatSolverType name)
{
  PetscFunctionBegin;
  own_package = name;
  for (const MatFactorType factor : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) // of all types whose names begin so
    PetscCall(MatSolverTypeRegister(name, MATSEQAIJ, factor, MatGetFactor_Named));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HookFactors()
{
  PetscFunctionBegin;
  PetscCall(HookAll(std::make_index_sequence<std::size(makers)>()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
