#include "glue/door/hooks.hpp"

#include <array>
#include <utility>

#include "glue/events.hpp"
#include "glue/ops/factors.hpp"
#include "glue/finally.hpp"
#include "glue/options.hpp"
#include "glue/ordering.hpp"
#include "glue/ops/sor.hpp"
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

/// Makes F what `create` makes of A, in the symbolic phase of PETSc. What we keep of F is gone, and the viewer with it,
/// unless there is a reason why F is PETSc's that users want to know.
PetscErrorCode LeaveToPetsc(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info, Create create, const std::string &why)
{
  FactorsInstance *own;
  PetscObject      kept;
  PetscErrorCode (*solver_type)(Mat, MatSolverType *);
  Mat           other = nullptr;
  const Finally destroy([&] { return MatDestroy(&other); });

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  PetscCall((*create)(A, F->factortype, &other));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)other, ((PetscObject)F)->prefix));
  if (!why.empty()) {
    PetscCall(PetscInfo(F, "Factors are PETSc's own, on the host: %s\n", why.c_str()));
    own->factors.reset();
    own->failure = why;
    own->view    = std::exchange(other->ops->view, MatView_Factors);
    PetscCall(PetscObjectQuery((PetscObject)F, kFactorsKey, &kept));
    PetscCall(PetscObjectCompose((PetscObject)other, kFactorsKey, kept));
    PetscCall(PetscObjectQueryFunction((PetscObject)F, "MatFactorGetSolverType_C", &solver_type)); // the package stays the same
    PetscCall(PetscObjectComposeFunction((PetscObject)other, "MatFactorGetSolverType_C", solver_type));
  }
  PetscCall(MatHeaderReplace(F, &other));
  PetscCall(CallSymbolic(F, A, row, col, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc shifts pivots, and knows what to say of those that are zero.
PetscErrorCode FactorOnHost(Mat F, Mat A, const MatFactorInfo *info, const FactorsInstance &own, const std::string &why)
{
  PetscFunctionBegin;
  PetscCall(LeaveToPetsc(F, A, own.row, own.col, info, own.on_host, why));
  PetscCall((*(IsIcc(F) ? F->ops->choleskyfactornumeric : F->ops->lufactornumeric))(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFactorNumeric_Factors(Mat F, Mat A, const MatFactorInfo *info)
{
  FactorsInstance *own;
  Entry            e;
  View             view;
  std::string      failure;
  bool             fits = true;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  own->numeric = false;
  PetscCall(MatDestroy(&own->filled));
  PetscCall(Find(A, &e));
  if (!e.own || e.home != own->space) failure = "The matrix is another than the one that was analysed.";
  else {
    if (e.home == MemorySpace::device) PetscCall(UseCurrentStream());
    PetscCall(ShadowView(e, e.home, &view));
    PetscCall(PetscLogEventBegin(Event_Sweeps, F, 0, 0, 0));
    const Finally end([&] { return PetscLogEventEnd(Event_Sweeps, F, 0, 0, 0); });
    Try(&failure, [&] { fits = own->factors->factor(view, RuleOf(*info)); });
    if (!fits) failure = "A pivot is zero or has to be shifted.";
  }
  if (!failure.empty()) {
    PetscCall(FactorOnHost(F, A, info, *own, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  own->numeric = true;
  if (e.home == MemorySpace::device) PetscCall(PetscLogGpuFlops(own->factors->flops()));
  else PetscCall(PetscLogFlops(own->factors->flops()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds how A can be factored and solved with, in the program's order, or by coloured blocks if they are wanted and it
/// has none of its own.
PetscErrorCode Analyse(const Entry &e, bool icc, int levels, FactorsInstance *own, std::string *failure)
{
  PetscBool                   natural;
  BlockOrder<PetscInt>        order;
  std::shared_ptr<const void> pattern;
  const PetscInt             *rows;
  View                        view;
  Execution                   execution{e.home};

  PetscFunctionBegin;
  own->space = e.home;
  own->order.clear();
  PetscCall(ISIdentity(own->row, &natural));
  PetscCall(ShadowView(e, e.home, &view));
  PetscCall(ShadowThreads(*e.own, e.home, &execution.threads));
  if (e.home == MemorySpace::device) PetscCall(UseCurrentStream());
  PetscCall(PetscLogEventBegin(Event_Sweeps, e.A, 0, 0, 0));
  const Finally end([&] { return PetscLogEventEnd(Event_Sweeps, e.A, 0, 0, 0); });
  if (natural && SweepsByBlocks(*e.own)) {
    Try(failure, [&] { pattern = bring_pattern(view, execution); });
    if (!failure->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(GetBlockOrder(e.A, view, execution, &order));
    own->order = Described(order);
  } else if (!natural) {
    PetscCall(ISGetIndices(own->row, &rows));
    const Finally restore([&] { return ISRestoreIndices(own->row, &rows); });
    PetscCallCXX(order.row.assign(rows, rows + e.A->rmap->n));
  }
  const Making when = own->named ? Making::always : WhenToSweep(*e.own);
  {
    const auto turn = e.own->products.take_turn(); // for what is analysed
    Try(failure, [&] {
      auto made    = make_incomplete_factors(view, order.row.empty() ? nullptr : &order, icc, levels, execution, when, &e.own->analysed);
      own->factors = std::move(made.engine);
      *failure     = std::move(made.why_not);
    });
  }
  own->parent = ((PetscObject)e.A)->type_name;
  own->given  = (PetscReal)view.nonzeros();
  if (own->factors && own->space == MemorySpace::device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)own->factors->footprint().owned()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether two orders are the same. ISEqual() compares sets: all orders of the same rows are equal.
PetscErrorCode AreSame(IS row, IS col, PetscBool *same)
{
  PetscBool natural[2];

  PetscFunctionBegin;
  PetscCall(ISIdentity(row, &natural[0]));
  PetscCall(ISIdentity(col, &natural[1]));
  *same = natural[0] && natural[1] ? PETSC_TRUE : PETSC_FALSE; // which perhaps have no arrays
  if (!*same) PetscCall(ISEqualUnsorted(row, col, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same function for both kinds of factors.
PetscErrorCode MatILUFactorSymbolic_Factors(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  FactorsInstance *own;
  Entry            e;
  PetscBool        same;
  std::string      failure;

  PetscFunctionBegin;
  PetscCall(FactorsOf(F, &own));
  PetscCall(Find(A, &e));
  PetscCall(AreSame(row, col, &same));
  if (!e.own || info->diagonal_fill != 0 || !same) { // as if we were not there, perhaps on the device, unless it is we who were named
    failure = own->named ? "Ours need a method of the matrix, one order of rows and columns, and no -pc_factor_diagonal_fill." : "";
    PetscCall(LeaveToPetsc(F, A, row, col, info, own->create, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  own->numeric = false;
  PetscCall(MatDestroy(&own->filled));
  for (const auto &[from, to] : {std::pair(row, &own->row), std::pair(col, &own->col)}) {
    PetscCall(PetscObjectReference((PetscObject)from));
    PetscCall(ISDestroy(to));
    *to = from;
  }
  PetscCall(Analyse(e, IsIcc(F), (int)info->levels, own, &failure));
  if (!failure.empty()) {
    PetscCall(LeaveToPetsc(F, A, row, col, info, own->on_host, failure));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ReadFilled(F));
  SetSolves(F);
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
  own->create  = petscs;
  own->on_host = own_create[IsIcc(F) ? 1 : 0];
  own->view    = F->ops->view;
  own->type    = F->factortype;
  own->named   = named;
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
  Entry                 e;
  Mat                   made = nullptr;
  const Finally         destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(EnterIfAttached(A, &e));
  const bool ours = e.own && MaySweep(*e.own, e.home);
  PetscCall((*own_create[ours ? on_host : n])(A, type, &made));
  if (ours && made) PetscCall(AskUsFirst(made, own_create[n], false, SolverType<n>));
  *F = std::exchange(made, nullptr);
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
  Entry             e;
  Mat               made = nullptr;
  const Finally     destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(EnterIfAttached(A, &e));
  PetscCheck(e.own, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The package %s factors matrices that multiply by a method: give this one a method by -mat_spmv, or take another package by "
             "-pc_factor_mat_solver_type",
             own_package);
  PetscCall((*own_create[on_host])(A, type, &made));
  PetscCall(AskUsFirst(made, own_create[on_host], true, OwnSolverType));
  *F = std::exchange(made, nullptr);
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
  // Of all types whose names begin so: MatGetFactorAvailable() goes by the name alone, and says yes also of matrices
  // without a method.
  for (const MatFactorType factor : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
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
