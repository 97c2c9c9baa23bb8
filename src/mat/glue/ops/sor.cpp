#include "glue/ops/sor.hpp"

#include <utility>

#include "glue/arrays.hpp"
#include "glue/events.hpp"
#include "glue/ops/ops.hpp"
#include "glue/options.hpp"
#include "glue/ordering.hpp"
#include "glue/door/parent.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

SweepsWanted Wanted(const Shadow &shadow)
{
  return shadow.common[kSweepsOption];
}

bool SweepsForward(MatSORType flag)
{
  return flag & (SOR_FORWARD_SWEEP | SOR_LOCAL_FORWARD_SWEEP);
}

bool SweepsBackward(MatSORType flag)
{
  return flag & (SOR_BACKWARD_SWEEP | SOR_LOCAL_BACKWARD_SWEEP);
}

/// With omega 1, PETSc ignores a negative shift, and refuses zeros on the diagonal.
bool IsShifted(PetscReal omega, PetscReal shift)
{
  return omega != 1 || shift > 0;
}

PetscErrorCode GetSweepsKey(Mat A, SyncKey *key)
{
  View view;

  PetscFunctionBegin;
  PetscCall(GetStates(A, key));
  PetscCall(PatternOnHost(A, &view));
  key->take_pattern(view);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the sweeps, or refreshes their values. If that fails, PETSc sweeps until the pattern or the options change.
PetscErrorCode MakeSweeps(const Entry &e, const SyncKey &key)
{
  SweepsInstance             &own    = *e.own->sweeps;
  bool                        is_new = !own.sweeps;
  BlockOrder<PetscInt>        blocks;
  std::shared_ptr<const void> pattern;
  View                        view;
  std::string                 failure;
  Execution                   execution{e.home};

  PetscFunctionBegin;
  PetscCall(ShadowView(e, e.home, &view));
  PetscCall(ShadowThreads(*e.own, e.home, &execution.threads));
  PetscCall(PetscLogEventBegin(Event_Sweeps, e.A, 0, 0, 0));
  const Finally end([&] { return PetscLogEventEnd(Event_Sweeps, e.A, 0, 0, 0); });
  if (!is_new) Try(&failure, [&] { is_new = !own.sweeps->refresh(view); });
  if (is_new && SweepsByBlocks(*e.own) && view.rows == view.cols) { // others are refused below
    Try(&failure, [&] { pattern = bring_pattern(view, execution); });
    if (failure.empty()) {
      PetscCall(GetBlockOrder(e.A, view, execution, &blocks));
      own.order = Described(blocks);
    }
  }
  const BlockOrder<PetscInt> *const order = own.order.empty() ? nullptr : &blocks;
  if (is_new && failure.empty())
    Try(&failure, [&] {
      auto made  = make_sweeps(view, order, execution, WhenToSweep(*e.own), &e.own->analysed);
      own.sweeps = std::move(made.engine);
      failure    = std::move(made.why_not);
    });
  own.key     = key;
  own.failure = failure;
  if (!failure.empty()) {
    own.sweeps.reset();
    PetscCall(PetscInfo(e.A, "Sweeps are PETSc's own, on the host: %s\n", failure.c_str()));
  } else if (is_new && e.home == MemorySpace::device) PetscCall(PetscLogCpuToGpu((PetscLogDouble)own.sweeps->footprint().owned()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The sweeps of A as it is now; null if PETSc sweeps.
PetscErrorCode SyncSweeps(const Entry &e, Sweeps<PetscScalar, PetscInt> **sweeps)
{
  auto   &kept = e.own->sweeps;
  SyncKey key;

  PetscFunctionBegin;
  PetscCall(GetSweepsKey(e.A, &key));
  if (!kept) PetscCallCXX(kept = std::make_unique<SweepsInstance>());
  SweepsInstance &own    = *kept;
  const auto      wanted = Wanted(*e.own);
  if (!own.key.same_pattern(key) || own.space != e.home || own.wanted != wanted) own = {};
  own.space  = e.home;
  own.wanted = wanted;
  if (own.failure.empty() && !(own.sweeps && own.key.same_values(key))) PetscCall(MakeSweeps(e, key));
  *sweeps = own.sweeps.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether our sweeps can do what a call asks for, and where: A and both vectors are in one memory.
PetscErrorCode IsOurs(const Entry &e, MatSORType flag, Vec b, Vec x, bool *ours)
{
  const bool  known = flag == SOR_APPLY_UPPER || flag & SOR_EISENSTAT || SweepsForward(flag) || SweepsBackward(flag);
  MemorySpace space;

  PetscFunctionBegin;
  PetscCall(ProductSpace(e, b, x, &space));
  *ours = HasKernels(*e.own, space) && space == e.home && MaySweep(*e.own, e.home) && flag != SOR_APPLY_LOWER && known;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Making WhenToSweep(const Shadow &shadow)
{
  return Wanted(shadow) == SweepsWanted::exact || SweepsByBlocks(shadow) ? Making::always : Making::if_faster;
}

bool SweepsByBlocks(const Shadow &shadow)
{
  return Wanted(shadow) == SweepsWanted::blocks;
}

bool MaySweep(const Shadow &shadow, MemorySpace home)
{
  const bool where_faster = Wanted(shadow) == SweepsWanted::where_faster && home == MemorySpace::device;
  return !shadow.options_read || WhenToSweep(shadow) == Making::always || where_faster;
}

PetscErrorCode MatSOR_SeqShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x)
{
  Sweeps<PetscScalar, PetscInt> *sweeps = nullptr;
  Entry                          e;
  bool                           ours = false;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  PetscCall(IsOurs(e, flag, b, x, &ours));
  auto turn = e.own->products.take_turn();
  if (ours && e.home == MemorySpace::device) PetscCall(UseCurrentStream());
  if (ours) PetscCall(SyncSweeps(e, &sweeps));
  if (!sweeps || (!IsShifted(omega, shift) && sweeps->has_zero_on_diagonal())) {
    turn.unlock(); // as for products, nobody waits for PETSc's own
    PetscCall(CallParent(e, MATOP_SOR, b, omega, flag, shift, its, lits, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Relaxing   kind = flag == SOR_APPLY_UPPER ? Relaxing::upper : flag & SOR_EISENSTAT ? Relaxing::eisenstat : Relaxing::sweeps;
  const Relaxation what{SweepsForward(flag),
                        SweepsBackward(flag),
                        (flag & SOR_ZERO_INITIAL_GUESS) != 0,
                        (int)(its * lits),
                        omega,
                        kind == Relaxing::upper || IsShifted(omega, shift) ? shift : 0,
                        kind};
  const bool       reads = kind == Relaxing::sweeps && !what.zero_guess;
  PetscCall(WithArrays(e.home, b, x, reads, [&](const PetscScalar *from, PetscScalar *to) {
    sweeps->relax(what, from, to);
    return sweeps->flops(what);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The sweeps of a sequential matrix, if there were some.
static PetscErrorCode ViewSweeps(const Entry &e, PetscViewer viewer)
{
  const auto &s = *e.own;

  PetscFunctionBegin;
  if (!s.sweeps) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s.sweeps->sweeps) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  sweeps are PETSc's own, on the host: %s\n", s.sweeps->failure.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!s.sweeps->order.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  order of sweeps: %s\n", s.sweeps->order.c_str()));
  for (const auto &[name, value] : s.sweeps->sweeps->facts())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s\n", name.c_str(), value.c_str()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bytes of sweeps: %zu\n", s.sweeps->sweeps->footprint().owned()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows SorRows()
{
  static const Row seq[] = {{MATOP_SOR, (VoidFn)MatSOR_SeqShadow, [](const Entry &e) { return MaySweep(*e.own, e.home); }}};
  return {seq, {}, ViewSweeps};
}

} // namespace petscspmv::shadow
