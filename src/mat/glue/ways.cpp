#include "glue/shadow.hpp"

#include <algorithm>
#include <utility>

#include "core/runtime.hpp"
#include "select/chooser.hpp"
#include "select/rental.hpp"

namespace petscspmv::shadow {

namespace {

/// A look at the matrix may fail for want of memory; then it has no ways this time.
PetscErrorCode Look(Mat A, Shadow *s, MemorySpace space, Outlook *outlook)
{
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    failure;
  View           view;

  PetscFunctionBegin;
  PetscCall(ShadowView(A, space, s, &view));
  Attempt([&] { *outlook = s->at(space).format->outlook(view, s->ways.aij.spent); }, &code, &failure);
  if (!failure.empty()) {
    PetscCall(PetscInfo(A, "%s: cannot look at the matrix: %s\n", s->kind->root.c_str(), failure.c_str()));
    outlook->numbers.unseen = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Change(Mat A, Shadow *s, MemorySpace space, int way)
{
  Instance      &instance = s->at(space);
  Format        &format   = *instance.format;
  const int      before   = std::exchange(instance.way, way);
  PetscErrorCode code     = PETSC_SUCCESS;
  std::string    failure;
  View           view;
  SyncKey        key;

  PetscFunctionBegin;
  PetscCall(ShadowView(A, space, s, &view, &key));
  if (space == MemorySpace::device) PetscCall(ValuesOnHost(A, &view.host_val)); // where a format is planned
  s->products.wait();
  PetscCall(PetscLogEventBegin(Event_Build, A, 0, 0, 0));
  Attempt([&] { format.change(view, way); }, &code, &failure);
  PetscCall(PetscLogEventEnd(Event_Build, A, 0, 0, 0));
  if (failure.empty()) {
    instance.key = key;
    s->builds++;
  } else {
    instance.way = before;
    PetscCall(PetscInfo(A, "%s: goes on as before: %s\n", s->kind->root.c_str(), failure.c_str()));
  }
  const Facts facts = format.facts();
  for (std::size_t i = 0; i < std::min<std::size_t>(facts.size(), 3); ++i) // those of the ways come first
    PetscCall(PetscInfo(A, "%s: %s: %s\n", s->kind->root.c_str(), facts[i].first.c_str(), facts[i].second.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether it is time to think.
PetscErrorCode IsTime(Mat A, Shadow *s, bool *is)
{
  WaysSchedule *const schedule = &s->ways;
  PetscObjectState    pattern;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (pattern != schedule->pattern) {
    schedule->restart();
    schedule->next    = (PetscInt)select::first_choice;
    schedule->pattern = pattern;
  }
  *is = ++schedule->products >= schedule->next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether AIJ's own products, of which there were some, are faster than plain CSR of ours, as which products have been
/// done for a while.
bool AijIsBetter(const WaysSchedule &schedule, const Outlook &outlook)
{
  return schedule.products - schedule.changed > select::settling_products && select::is_better_elsewhere(outlook, schedule.aij.least);
}

} // namespace

PetscErrorCode FirstWay(Mat A, Form form, const Shadow &s, int *way)
{
  const auto &type = s.type_at(form);
  MatInfo     info;
  Execution   execution{.space = form.space, .kernels = s.kernels()};
  bool        on_host = false;

  PetscFunctionBegin;
  *way = 0;
  if (form.space == MemorySpace::device && !form.is_beside() && type.ways) PetscCall(IsOnHostAlone(A, &on_host));
  if (!on_host || !type.head_start || type.head_start(s.options) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(ShadowThreads(s, form.space, &execution.threads));
  *way = select::first_way(type.ways(), info.nz_used, execution);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ConsiderWays(Mat A, Shadow *s, MemorySpace space)
{
  bool    is_time = false;
  Outlook outlook;

  PetscFunctionBegin;
  PetscCall(IsTime(A, s, &is_time));
  if (!is_time || (space == MemorySpace::device && runtime::is_recording())) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Look(A, s, space, &outlook));
  outlook.since     = s->ways.products - s->ways.changed;
  const bool better = AijIsBetter(s->ways, outlook);
  select::take_elsewhere(outlook, s->ways.aij.least);
  const int way = select::choose_way(outlook);
  // Switching loses branch-predictor state, so re-evaluate rarely.
  s->ways.next = (PetscInt)select::next_choice(s->ways.products, way != outlook.way || select::is_on_trial(outlook),
                                               better || select::is_settled(outlook));
  if (way != outlook.way) {
    s->ways.changed = s->ways.products;
    if (outlook.ways > 1) PetscCall(Change(A, s, space, way));
  } else if (better) {
    s->ways.rest = s->ways.next - s->ways.products - 1;
    PetscCall(PetscInfo(A, "%s: AIJ's own products are faster (%.3g us), and the next %" PetscInt_FMT " are these\n", s->kind->root.c_str(),
                        1e6 * s->ways.aij.least, s->ways.rest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
