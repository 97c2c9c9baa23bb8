#include "impls/shadow/shadow.hpp"

#include <algorithm>
#include <limits>

#include "core/runtime.hpp"
#include "tune/rental.hpp"

namespace petscspmv::shadow {

namespace {

/// What is added up over blocks, and then taken from the slowest of the ranks that choose together.
struct Vote {
  Outlook::Numbers numbers;
  double           ways = 0, question = 0;
};

/// A sequential matrix, or the two blocks of a parallel one.
PetscErrorCode GetParts(Mat A, Mat (&parts)[2], int *count)
{
  PetscFunctionBegin;
  parts[0] = A;
  *count   = 1;
  if (!IsMPI(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetBlocks(A, parts));
  *count = 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A look at the matrix may fail for want of memory; then this part has no ways this time, and its rank tells the others that it has seen none.
PetscErrorCode AddPart(Mat part, MemorySpace space, double elsewhere, Vote *vote, int *way)
{
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    failure;
  Shadow        *s;
  View           view;
  Outlook        outlook;

  PetscFunctionBegin;
  PetscCall(ShadowGet(part, &s));
  PetscCall(ShadowView(part, space, s, &view));
  Attempt([&] { outlook = s->at(space).format->outlook(view, elsewhere); }, &code, &failure);
  if (!failure.empty()) {
    PetscCall(PetscInfo(part, "%s: cannot look at the matrix: %s\n", s->kind->root.c_str(), failure.c_str()));
    vote->numbers.unseen = 1;
  }
  add(vote->numbers, outlook.numbers);
  vote->ways = std::max(vote->ways, (double)outlook.ways);
  *way       = outlook.way;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChangePart(Mat part, MemorySpace space, int way)
{
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    failure;
  Shadow        *s;
  View           view;

  PetscFunctionBegin;
  PetscCall(ShadowGet(part, &s));
  PetscCall(ShadowView(part, space, s, &view));
  Format &format = *s->at(space).format;
  s->products.wait();
  PetscCall(PetscLogEventBegin(Event_Build, part, 0, 0, 0));
  Attempt([&] { format.change(view, way); }, &code, &failure);
  PetscCall(PetscLogEventEnd(Event_Build, part, 0, 0, 0));
  if (failure.empty()) s->builds++;
  else PetscCall(PetscInfo(part, "%s: goes on as before: %s\n", s->kind->root.c_str(), failure.c_str()));
  const Facts facts = format.facts();
  for (std::size_t i = 0; i < std::min<std::size_t>(facts.size(), 3); ++i) // those of the ways come first
    PetscCall(PetscInfo(part, "%s: %s: %s\n", s->kind->root.c_str(), facts[i].first.c_str(), facts[i].second.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether it is time to think. Products are counted alike on all ranks.
PetscErrorCode IsTime(Mat A, Shadow *s, bool *is)
{
  WaysSchedule *const schedule = &s->ways;
  PetscObjectState    pattern;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (pattern != schedule->pattern) {
    schedule->restart();
    schedule->next    = (PetscInt)tune::first_choice;
    schedule->pattern = pattern;
    if (s->tuning.pattern == pattern) schedule->way = s->tuning.way; // gone when formats were built
  }
  *is = ++schedule->products >= schedule->next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What asking the cache will take here. Looked up once.
PetscErrorCode AddQuestion(Mat A, Shadow *s, MemorySpace space, Mat *parts, int count, Vote *vote)
{
  PetscMPIInt rank;
  double      entries = 0;
  Shadow     *of_part;

  PetscFunctionBegin;
  if (s->ways.question < 0) {
    PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
    for (int i = 0; i < count; ++i) {
      PetscCall(ShadowGet(parts[i], &of_part));
      entries += of_part->at(space).nonzeros();
    }
    s->ways.question = QuestionSeconds(*s, space, rank == 0 || ChoosesAlone(A, *s), entries);
  }
  vote->question = s->ways.asked ? std::numeric_limits<double>::infinity() : s->ways.question;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells all parts what a search has found before, if one has.
PetscErrorCode RecallWay(Mat A, Shadow *s, MemorySpace space, Mat *parts, int count)
{
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    choice, failure;
  double         seconds;
  Shadow        *of_part;

  PetscFunctionBegin;
  s->ways.asked = true;
  PetscCall(AskForWay(A, &choice, &seconds));
  for (int i = 0; i < count; ++i) {
    PetscCall(ShadowGet(parts[i], &of_part));
    Attempt([&] { of_part->at(space).format->recall(choice, seconds / count); }, &code, &failure);
  }
  PetscCall(PetscInfo(A, "%s: %s\n", s->kind->root.c_str(), choice.empty() ? "not searched before" : choice.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether AIJ's own products, of which there were some, are faster than plain CSR of ours, as which products have been done for a while.
bool AijIsBetter(const WaysSchedule &schedule, const Outlook &outlook)
{
  return !schedule.transposed && schedule.products - schedule.changed > tune::settling_products &&
         tune::is_better_elsewhere(outlook, schedule.aij.least);
}

} // namespace

PetscErrorCode ConsiderWays(Mat A, Shadow *s, MemorySpace space)
{
  constexpr int    fields = sizeof(Vote) / sizeof(double);
  constexpr double share  = 0.03; // of the time spent, which asking may take
  Mat              parts[2];
  int              count, ways[2];
  bool             is_time = false;
  Vote             local, slowest;
  Outlook          outlook;

  PetscFunctionBegin;
  PetscCall(IsTime(A, s, &is_time));
  if (!is_time || (space == MemorySpace::device && runtime::is_recording())) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetParts(A, parts, &count));
  for (int i = 0; i < count; ++i) PetscCall(AddPart(parts[i], space, s->ways.aij.spent, &local, &ways[i]));
  PetscCall(AddQuestion(A, s, space, parts, count, &local));
  slowest          = local;
  const bool alone = ChoosesAlone(A, *s);
  if (!alone) PetscCallMPI(MPI_Allreduce(&local, &slowest, fields, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)A)));
  if (slowest.ways > 1 && slowest.question <= share * slowest.numbers.spent) {
    PetscCall(RecallWay(A, s, space, parts, count));
    s->ways.next = s->ways.products + 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  outlook           = {(int)slowest.ways, alone ? ways[0] : s->ways.way, slowest.numbers, s->ways.products - s->ways.changed};
  const bool better = AijIsBetter(s->ways, outlook);
  if (!s->ways.transposed) tune::take_elsewhere(outlook, s->ways.aij.least);
  s->ways.way = tune::choose_way(outlook);
  // There and back again, what a processor has learned of the ends of rows is lost: seldom.
  s->ways.next = (PetscInt)tune::next_choice(s->ways.products, s->ways.way != outlook.way || tune::is_on_trial(outlook),
                                             better || tune::is_settled(outlook));
  if (s->ways.way != outlook.way) s->ways.changed = s->ways.products;
  else if (better) {
    s->ways.rest = s->ways.next - s->ways.products - 1;
    PetscCall(PetscInfo(A, "%s: AIJ's own products are faster (%.3g us), and the next %" PetscInt_FMT " are these\n", s->kind->root.c_str(),
                        1e6 * s->ways.aij.least, s->ways.rest));
  }
  for (int i = 0; i < count; ++i)
    if (outlook.ways > 1 && ways[i] != s->ways.way) PetscCall(ChangePart(parts[i], space, s->ways.way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
