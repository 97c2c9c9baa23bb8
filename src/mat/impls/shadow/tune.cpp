#include "impls/shadow/tuning_job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tune/machine.hpp"
#include "tune/tuner.hpp"

namespace petscspmv::shadow {

namespace {

using tune::Result;

/// Searches below this are too short to be worth keeping.
constexpr PetscInt kKept = 100;

/// The tuner of a matrix's local parts: all ranks of `comm` build and time the same, and decide by the slowest.
class RankTuner final : public tune::Tuner<PetscScalar, PetscInt> {
public:
  using Type = FormatType<PetscScalar, PetscInt>;

  RankTuner(MPI_Comm comm, const std::vector<View> &parts, std::span<const Type> types, const Execution &execution)
    : Tuner(parts, types, execution), comm_(comm), begin_(tune::steady_clock())
  {
    MPI_Comm_size(comm, &ranks_);
  }

  double now() override
  {
    double seconds = tune::steady_clock() - begin_;
    greatest(&seconds, 1);
    return seconds;
  }

protected:
  void agree(std::vector<tune::Prospect> &prospects) override
  {
    std::vector<double> numbers;
    for (const tune::Prospect &p : prospects) numbers.insert(numbers.end(), {p.predicted, p.build});
    greatest(numbers.data(), (int)numbers.size());
    for (std::size_t k = 0; k < prospects.size(); ++k) {
      prospects[k].predicted = numbers[2 * k];
      prospects[k].build     = numbers[2 * k + 1];
    }
  }

  std::string agree(std::string failure) override
  {
    double failed = failure.empty() ? 0 : 1;
    greatest(&failed, 1);
    return failed > 0 && failure.empty() ? "another process could not build it" : failure;
  }

private:
  void greatest(double *values, int count)
  {
    if (ranks_ > 1) MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, comm_);
  }

  MPI_Comm comm_;
  int      ranks_ = 1;
  double   begin_;
};

std::string Milliseconds(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

/// A choice as formats recall it. Without trials, by what was predicted; a single one has not shown that its type is the best.
tune::Choice ChoiceOf(const RankTuner &tuner, const Result &r)
{
  const auto trial = [&r](std::size_t candidate) {
    return std::find_if(r.trials.rbegin(), r.trials.rend(),
                        [candidate](const tune::Trial &t) { return t.candidate == candidate && t.failure.empty(); });
  };
  const auto   plain = trial(0), best = trial(r.chosen);
  const bool   known   = plain != r.trials.rend() && best != r.trials.rend();
  const auto   of      = [&](const auto &t, std::size_t candidate) { return known ? t->product : tuner.prospect(candidate).predicted; };
  const double product = of(plain, 0), build = known ? best->build : tuner.prospect(r.chosen).build;
  return {std::string(tuner.type(r.chosen).name), of(best, r.chosen) / product, r.trials.size() == 1 ? 0 : build / product,
          tuner.options(r.chosen)};
}

/// "strips=never in 1.2 ms a product, found in 310 ms by 14 trials (the budget ended); second: ...; ... "
std::string Report(const RankTuner &tuner, bool several, const Result &r)
{
  const auto  name = [&](std::size_t c) { return several ? tuner.name(c) : tune::text_of(tuner.options(c)); };
  std::string text = name(r.chosen);
  if (r.slot < 0) return text + ", by the model alone";
  const auto product = [&r](std::size_t candidate) {
    const auto found =
      std::find_if(r.trials.begin(), r.trials.end(), [candidate](const tune::Trial &t) { return t.candidate == candidate; });
    return found == r.trials.end() || !found->failure.empty() ? INFINITY : found->product;
  };
  const double best = product(r.chosen), defaults = product(0);
  text += ", " + Milliseconds(best) + " a product; found in " + Milliseconds(r.seconds) + " by " + std::to_string(r.trials.size()) +
          " trials (" + r.end + ")";
  const tune::Trial *second = nullptr;
  for (const tune::Trial &t : r.trials)
    if (t.candidate != r.chosen && t.failure.empty() && (!second || t.product < second->product)) second = &t;
  if (second) text += "; second: " + name(second->candidate) + ", " + Milliseconds(second->product);
  if (std::isfinite(defaults) && defaults > best)
    text += "; pays off after " + std::to_string((long long)std::ceil(r.seconds / (defaults - best))) + " products";
  return text;
}

/// The number of the type that has been chosen; 0 where there is but one.
int WayOf(const TuningJob &job, const TuningFound &found)
{
  if (found.choice.empty()) return 0;
  const auto        types = job.types();
  const std::string type  = tune::read_choice(types, found.choice).type;
  return int(std::find_if(types.begin(), types.end(), [&type](const auto &t) { return t.name == type; }) - types.begin());
}

PetscErrorCode TakeOver(const TuningJob &job, const TuningFound &found, RankTuner::Formats formats)
{
  Shadow *s;

  PetscFunctionBegin;
  job.shadow->configure(found.options, job.shadow->common);
  job.shadow->tuning.way = WayOf(job, found);
  for (std::size_t i = 0; i < job.parts.size(); ++i) {
    PetscCall(ShadowGet(job.parts[i], &s));
    s->configure(found.options, s->common);
    s->tuning.choice = found.choice; // gone when a format is built
    PetscCall(MatGetNonzeroState(job.parts[i], &s->tuning.pattern));
    if (i < formats.size()) PetscCall(ShadowAdopt(job.parts[i], MemorySpace::host, s, std::move(formats[i])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where one of those who choose together has no memory for it, none searches. The events are of a block: what others do does not matter to it.
PetscErrorCode Search(const TuningJob &job, PetscInt products, TuningFound *found, RankTuner::Formats *formats, bool *done)
{
  std::unique_ptr<RankTuner> tuner;
  PetscErrorCode             code = PETSC_SUCCESS;
  std::string                failure;
  const bool                 several = job.shadow->kind->format.ways;
  const auto                 seconds = (double)job.shadow->common["tune_seconds"];

  PetscFunctionBegin;
  Attempt(
    [&] {
      tuner = std::make_unique<RankTuner>(job.comm(), job.views, job.types(), Execution{MemorySpace::host, job.threads});
      if (!several) tuner->start_from(0, job.shadow->options);
    },
    &code, &failure);
  int failed = !failure.empty();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, job.comm()));
  *done = !failed;
  if (failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(Event_Tune, job.parts.front(), 0, 0, 0));
  const Result result       = tuner->run({(double)products, seconds});
  job.shadow->tuning.report = Report(*tuner, several, result);
  if (several) found->choice = tune::written(ChoiceOf(*tuner, result));
  else found->options = tuner->options(result.chosen);
  if (result.slot >= 0 && !several) *formats = tuner->take(result.slot);
  PetscCall(PetscLogEventEnd(Event_Tune, job.parts.front(), 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

bool ChoosesAlone(Mat A, const Shadow &shadow)
{
  return !IsMPI(A) || shadow.common["tune_ranks"] != 0;
}

PetscErrorCode PrepareTuning(Mat A, bool anew, TuningJob *job)
{
  Mat     blocks[2];
  Shadow *s;

  PetscFunctionBegin;
  job->A = A;
  PetscCall(ShadowGet(A, &job->shadow));
  PetscCallMPI(MPI_Comm_rank(job->comm(), &job->rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &job->ranks));
  if (IsMPI(A)) {
    if (anew) PetscCall(AttachBlocks(A));
    PetscCall(GetBlocks(A, blocks));
    job->parts.assign(blocks, blocks + 2);
  } else job->parts = {A};
  for (Mat part : job->parts) {
    PetscCall(ShadowGet(part, &s));
    View *view = &job->views.emplace_back();
    if (anew) PetscCall(ShadowShow(part, MemorySpace::host, s, view));
    else PetscCall(ShadowView(part, MemorySpace::host, s, view));
  }
  PetscCall(ShadowThreads(*job->shadow, MemorySpace::host, &job->threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowTune(Mat A, PetscInt products)
{
  TuningJob          job;
  MemorySpace        space;
  tune::CacheKey     key;
  TuningFound        found;
  RankTuner::Formats formats;
  bool               done = true, known = false;

  PetscFunctionBegin;
  PetscCall(DefaultSpace(A, &space));
  if (space == MemorySpace::device) {
    PetscCall(PetscInfo(A, "products run on a device, and only those on the host are tuned\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PrepareTuning(A, true, &job));
  const bool cached = job.shadow->common["tune_cache"] && products >= kKept;
  found.options     = job.shadow->options;
  if (cached) {
    PetscCall(CacheKeyOf(job, &key));
    PetscCall(FindTuning(job, key, &found, &known));
  }
  if (!known) PetscCall(Search(job, products, &found, &formats, &done));
  if (done) PetscCall(TakeOver(job, found, std::move(formats)));
  if (done && cached && !known) PetscCall(KeepTuning(job, key, found));
  PetscCall(MatGetNonzeroState(A, &job.shadow->tuning.pattern));
  PetscCall(PetscInfo(A, "%s: tuned: %s\n", job.shadow->kind->root.c_str(), job.shadow->tuning.report.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GoFoundWay(Mat A, Shadow *s, MemorySpace space, const View &view)
{
  PetscErrorCode   code = PETSC_SUCCESS;
  std::string      failure;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (s->tuning.choice.empty() || s->tuning.pattern != pattern || space == MemorySpace::device) PetscFunctionReturn(PETSC_SUCCESS);
  Format &format = *s->at(space).format;
  Attempt([&] { format.change(view, format.recall(s->tuning.choice, 0)); }, &code, &failure);
  if (!failure.empty()) PetscCall(PetscInfo(A, "%s: goes on as before: %s\n", s->kind->root.c_str(), failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TuneIfAsked(Mat A, Shadow *s, MemorySpace space)
{
  PetscObjectState pattern;

  PetscFunctionBegin;
  if (s->is_block || space == MemorySpace::device) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->options_read) PetscCall(ReadOptionsOnce(A));
  if (s->tune_products == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (pattern != s->tuning.pattern) PetscCall(ShadowTune(A, s->tune_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
