#include "glue/gamg/gamg.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "glue/gamg/level.hpp"
#include "glue/gamg/objection.hpp"
#include "glue/gamg/rule.hpp"
#include "glue/door/hooks.hpp"
#include "glue/made.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"
#include "glue/sync.hpp"

// A program that uses matrices alone may not have loaded PETSc's solvers.
#pragma weak PCInitializePackage
#pragma weak PCRegister
#pragma weak PCList
#pragma weak petsc_gamg_setup_events

namespace petscspmv::shadow {

namespace {

/// PETSc's own functions of type agg; null before the first PC of that type.
_PCGAMGOps own_ops{};
PetscErrorCode (*own_create)(PC)               = nullptr;
PetscErrorCode (*own_set_type)(PC, PCGAMGType) = nullptr;

/// While it is there, PETSc's event is logged.
auto Logged(int event)
{
  static_cast<void>(PetscLogEventBegin(petsc_gamg_setup_events[event], 0, 0, 0, 0));
  return Finally([event] { return PetscLogEventEnd(petsc_gamg_setup_events[event], 0, 0, 0, 0); });
}

/// Finds the arrays of a level, or says why PETSc makes it.
PetscErrorCode BeginLevel(PC pc, Mat A, PetscInt block_size, Gamg *own, View *view, std::string *why_not)
{
  Entry    e;
  PetscInt rows;

  PetscFunctionBegin;
  if (GamgOf(pc)->current_level == 0) {
    PetscCall(EnterIfAttached(A, &e));
    own->wanted = e.own && e.own->common[kSetupOption] == SetupWanted::ours;
    if (own->wanted) PetscCall(ShadowThreads(*e.own, e.home, &own->threads));
  } else PetscCall(Find(A, &e));
  own->level.space = e.home;
  PetscCall(FindObjection(pc, A, *own, why_not));
  if (!why_not->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCallCXX(own->level.shuffled = std::async(std::launch::async, greedy_order<PetscInt>, rows / block_size)); // while arrays come
  PetscCall(ViewAtHome(e, view, why_not));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes PETSc's graph of the small matrix, and finds out by it what are edges of A.
PetscErrorCode FindEdges(PC pc, Mat A, PetscInt block_size, Mat *graph, Edges *edges)
{
  PetscReal    &threshold = GamgOf(pc)->threshold[GamgOf(pc)->current_level];
  Mat           probe     = nullptr;
  const Finally destroy([&] { return MatDestroy(&probe); });

  PetscFunctionBegin;
  edges->threshold = std::exchange(threshold, -1); // the small graph is to have all of its edges
  const Finally restore([&] {
    threshold = edges->threshold;
    return PETSC_SUCCESS;
  });
  PetscCall(CreateProbe(A, block_size, &probe));
  PetscCall((*own_ops.creategraph)(pc, probe, graph));
  PetscCall(IsSymmetrised(*graph, &edges->symmetrised));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes our graph, and in place of PETSc's that of the small matrix, by which PETSc is asked in the next function,
/// too, what it would do.
PetscErrorCode CreateGraph_Gamg(PC pc, Mat A, Mat *graph)
{
  Gamg       *own;
  View        view;
  Edges       edges;
  std::string why_not;
  PetscInt    block_size;

  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)pc, kGamgKey, &own));
  Level &level = own->level = {};
  PetscCall(MatGetBlockSize(A, &block_size));
  PetscCall(BeginLevel(pc, A, block_size, own, &view, &why_not));
  level.A     = A;
  level.asked = why_not.empty();
  if (level.asked) {
    level.has_edges = view.nonzeros() > view.rows;
    PetscCall(FindEdges(pc, A, block_size, graph, &edges));
    const auto logged = Logged(GAMG_GRAPH);
    Try(&why_not, [&] { level.aggregation = make_aggregation(view, block_size, edges, Execution{level.space, own->threads}, &why_not); });
  } else PetscCall((*own_ops.creategraph)(pc, A, graph));
  if (!why_not.empty())
    PetscCall(PetscInfo(pc, "Level %" PetscInt_FMT " is set up by PETSc: %s\n", GamgOf(pc)->current_level, why_not.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// How often PETSc smooths: as many rows of a chain are reached from the corner.
PetscErrorCode CountSmoothings(PC pc, PetscInt *smoothings)
{
  constexpr PetscInt n     = 4;
  PC_MG             &mg    = *static_cast<PC_MG *>(pc->data);
  PC_GAMG           &gamg  = *GamgOf(pc);
  Mat                chain = nullptr, corner = nullptr;
  const PetscScalar *values;
  const Finally      destroy([&] {
    const PetscErrorCode ierr = MatDestroy(&corner);
    return ierr ? ierr : MatDestroy(&chain);
  });
  const Finally restore([&, level = gamg.current_level, emin = gamg.emin, emax = gamg.emax, least = mg.min_eigen_DinvA[gamg.current_level],
                         most = mg.max_eigen_DinvA[gamg.current_level]] {
    gamg.emin                 = emin;
    gamg.emax                 = emax;
    mg.min_eigen_DinvA[level] = least;
    mg.max_eigen_DinvA[level] = most;
    return PETSC_SUCCESS;
  });

  PetscFunctionBegin;
  gamg.emin = gamg.emax = 1; // so that it does not estimate them
  PetscCall(CreateParent(MATSEQAIJ, &chain));
  PetscCall(MatSetSizes(chain, n, n, n, n));
  PetscCall(MatSeqAIJSetPreallocation(chain, 3, NULL));
  for (PetscInt row = 0; row < n; ++row)
    for (PetscInt col = std::max(row - 1, PetscInt(0)); col < std::min(row + 2, n); ++col)
      PetscCall(MatSetValue(chain, row, col, row == col ? 2 : -1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(chain, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(chain, MAT_FINAL_ASSEMBLY));
  PetscCall(CreateCorner(chain, MemorySpace::host, &corner));
  PetscCall((*own_ops.optprolongator)(pc, chain, &corner));
  PetscCall(MatDenseGetArrayRead(corner, &values));
  *smoothings = n - 1 - (PetscInt)std::count(values, values + n, PetscScalar(0));
  PetscCall(MatDenseRestoreArrayRead(corner, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc estimates eigenvalues as its options say, and smooths.
PetscErrorCode EstimateOmega(PC pc, Level *level)
{
  Mat           corner = nullptr;
  const Finally destroy([&] { return MatDestroy(&corner); });
  PetscInt      smoothings = 0;
  PetscScalar   value;

  PetscFunctionBegin;
  PetscCall(CountSmoothings(pc, &smoothings));
  PetscCall(CreateCorner(level->A, level->space, &corner));
  PetscCall((*own_ops.optprolongator)(pc, level->A, &corner));
  PetscCall(FirstOfCorner(corner, &value));
  level->omega = 1 - PetscRealPart(value); // omega a_00 / a_00
  if (smoothings > 1) level->why_no_omega = "it is smoothed more than once";
  else if (smoothings == 1 && level->omega == 0) level->why_no_omega = "the first diagonal entry is 0";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Coarsen_Gamg(PC pc, Mat *graph, PetscCoarsenData **lists)
{
  Gamg                 *own;
  CoarseningRule        rule{};
  std::vector<PetscInt> order;
  std::string           failure;
  bool                  found;

  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)pc, kGamgKey, &own));
  PetscCall((*own_ops.coarsen)(pc, graph, lists));
  if (!own->level.aggregation) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindRule(*lists, &rule, &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  // Of 2 million nodes the order takes 20 ms, which the estimate hides. Without edges there is nothing to smooth.
  if (own->level.has_edges) PetscCall(EstimateOmega(pc, &own->level));
  const auto logged     = Logged(GAMG_COARSEN);
  auto      &graph_of_a = *own->level.aggregation;
  PetscCallCXX(order = own->level.shuffled.get());
  if (rule.by_degree) PetscCall(SortByDegree(graph_of_a.degrees(), &order));
  Try(&failure, [&] { own->level.aggregates = graph_of_a.aggregate(rule.how, order); });
  if (!failure.empty()) PetscCall(PetscInfo(pc, "No aggregates: %s\n", failure.c_str()));
  own->level.is_ours = failure.empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's own tentative prolongator, from the graph on. Nothing is left of ours.
PetscErrorCode ProlongByPetsc(PC pc, Mat A, Level *level, Mat *P)
{
  PC_GAMG          &gamg  = *GamgOf(pc);
  Mat               graph = nullptr;
  PetscCoarsenData *lists = nullptr;
  const Finally     destroy([&] { return MatDestroy(&graph); });
  const Finally     destroy_lists([&] { return lists ? PetscCDDestroy(lists) : PETSC_SUCCESS; }); // and a matrix that they have

  PetscFunctionBegin;
  if (level->fine) {
    PetscCall(PetscFree(gamg.data));
    gamg.data           = level->fine.release();
    gamg.data_cell_rows = level->fine_rows;
    gamg.data_sz        = level->fine_size;
  }
  *level = {};
  PetscCall(PetscInfo(pc, "Level %" PetscInt_FMT " is set up by PETSc after all\n", gamg.current_level));
  PetscCall((*own_ops.creategraph)(pc, A, &graph));
  PetscCall((*own_ops.coarsen)(pc, &graph, &lists));
#if PETSC_VERSION_LT(3, 21, 0)
  PetscCall((*own_ops.prolongator)(pc, A, graph, lists, P));
#else
  Mat of_lists;
  PetscCall(PetscCDGetMat(lists, &of_lists));
  if (!of_lists) PetscCall(PetscCDSetMat(lists, graph));
  if (!of_lists || of_lists == graph) graph = nullptr; // it is the lists'
  PetscCall((*own_ops.prolongator)(pc, A, lists, P));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The near null space of the coarse matrix takes the place of the fine one's.
PetscErrorCode Orthonormalise(PC pc, Level *level, std::string *failure)
{
  PC_GAMG       &gamg    = *GamgOf(pc);
  const PetscInt columns = gamg.data_cell_cols, size = level->aggregates * columns * columns;
  PetscReal     *coarse;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(size, &coarse));
  Try(failure, [&] { level->aggregation->orthonormalise(gamg.data, (int)columns, coarse); });
  if (!failure->empty()) {
    PetscCall(PetscFree(coarse));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  level->fine.reset(std::exchange(gamg.data, coarse));
  level->fine_rows = std::exchange(gamg.data_cell_rows, columns);
  level->fine_size = std::exchange(gamg.data_sz, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// `rest`: perhaps the graph, the lists, and where the prolongator is to be. PETSc looks at its sizes alone before the
/// next function, which knows whether it is smoothed and makes it.
template <class... Rest> PetscErrorCode Prolong_Gamg(PC pc, Mat A, Rest... rest)
{
  Mat *const  P = std::get<sizeof...(rest) - 1>(std::tuple(rest...));
  Gamg       *own;
  std::string failure;
  PetscInt    rows = 0, block_size = 1;

  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)pc, kGamgKey, &own));
  const PetscInt columns = GamgOf(pc)->data_cell_cols;
  Level         &level   = own->level;
  if (!level.asked) {
    PetscCall((*own_ops.prolongator)(pc, A, rest...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *P = nullptr;
  if (level.is_ours && level.aggregates == 0) {
    PetscCall(PetscInfo(pc, "%s: No selected points on coarse grid\n", ((PetscObject)pc)->prefix));
    level = {};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (level.is_ours) {
    const auto logged = Logged(GAMG_PROL), logged_part = Logged(GAMG_PROLB);
    PetscCall(PetscInfo(pc, "%s: New grid %" PetscInt_FMT " nodes\n", ((PetscObject)pc)->prefix, level.aggregates));
    PetscCall(Orthonormalise(pc, &level, &failure));
    PetscCall(MatGetLocalSize(A, &rows, NULL));
    PetscCall(MatGetBlockSize(A, &block_size));
    PetscCall(MatCreate(PetscObjectComm((PetscObject)A), P));
    PetscCall(MatSetSizes(*P, rows, level.aggregates * columns, rows, level.aggregates * columns));
    PetscCall(MatSetBlockSizes(*P, block_size, columns));
  }
  if (!level.is_ours || !failure.empty()) {
    PetscCall(MatDestroy(P));
    PetscCall(ProlongByPetsc(pc, A, &level, P));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Optimise_Gamg(PC pc, Mat A, Mat *P)
{
  Gamg       *own;
  std::string failure;

  PetscFunctionBegin;
  PetscCall(GetOwned((PetscObject)pc, kGamgKey, &own));
  Level &level = own->level;
  if (!level.aggregation) {
    PetscCall((*own_ops.optprolongator)(pc, A, P));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const auto logged = Logged(GAMG_OPT);
  if (!level.omega) PetscCall(EstimateOmega(pc, &level));
  PetscCall(MatDestroy(P));
  failure = level.why_no_omega;
  if (failure.empty()) PetscCall(MakeProlongator(level, own->threads, GamgOf(pc)->data_cell_cols, P, &failure));
  if (!failure.empty()) {
    PetscCall(PetscInfo(pc, "No prolongator: %s\n", failure.c_str()));
    PetscCall(MatDestroy(P));
    PetscCall(ProlongByPetsc(pc, A, &level, P));
    PetscCall((*own_ops.optprolongator)(pc, A, P));
  }
  level = {};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc tells, and how many levels are ours, if any.
PetscErrorCode View_Gamg(PC pc, PetscViewer viewer)
{
  const PC_MG &mg   = *static_cast<PC_MG *>(pc->data);
  PetscInt     ours = 0;

  PetscFunctionBegin;
  if (own_ops.view) PetscCall((*own_ops.view)(pc, viewer));
  for (PetscInt level = 1; level < mg.nlevels; ++level) {
    Made *made = nullptr;
    if (mg.levels[level]->interpolate) PetscCall(FindOwned((PetscObject)mg.levels[level]->interpolate, kMadeKey, &made));
    ours += made != nullptr;
  }
  if (ours > 0)
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "      petscspmv: aggregates and prolongators are ours on %" PetscInt_FMT " of %" PetscInt_FMT " levels\n", ours,
      mg.nlevels - 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetType_Gamg(PC pc, PCGAMGType type);

/// Takes the places of PETSc's functions, after it has set its own.
PetscErrorCode HookTable(PC pc)
{
  PC_GAMG &gamg = *GamgOf(pc);
  Gamg    *own;
  VoidFn   set_type;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCGAMGSetType_C", &set_type));
  if (set_type && set_type != (VoidFn)SetType_Gamg) {
    own_set_type = reinterpret_cast<PetscErrorCode (*)(PC, PCGAMGType)>(set_type);
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCGAMGSetType_C", SetType_Gamg));
  }
  if (!gamg.gamg_type_name || std::string_view(gamg.gamg_type_name) != PCGAMGAGG) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindOwned((PetscObject)pc, kGamgKey, &own));
  if (!own) PetscCall(ComposeOwned((PetscObject)pc, kGamgKey, new Gamg));
  if (!own_ops.creategraph) own_ops = *gamg.ops;
  gamg.ops->creategraph    = CreateGraph_Gamg;
  gamg.ops->coarsen        = Coarsen_Gamg;
  gamg.ops->prolongator    = Prolong_Gamg;
  gamg.ops->optprolongator = Optimise_Gamg;
  gamg.ops->view           = View_Gamg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Making a type sets all functions anew.
PetscErrorCode SetType_Gamg(PC pc, PCGAMGType type)
{
  PetscFunctionBegin;
  PetscCall((*own_set_type)(pc, type));
  PetscCall(HookTable(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_Hooked(PC pc)
{
  PetscFunctionBegin;
  PetscCall((*own_create)(pc));
  PetscCall(HookTable(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode HookGamg()
{
  PetscErrorCode (*create)(PC) = nullptr;

  PetscFunctionBegin;
  if (!PCRegister) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCInitializePackage()); // the list is empty before
  PetscCall(PetscFunctionListFind(PCList, PCGAMG, &create));
  if (!create || create == PCCreate_Hooked) PetscFunctionReturn(PETSC_SUCCESS);
  own_create = create;
  PetscCall(PCRegister(PCGAMG, PCCreate_Hooked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
