#include "glue/tuning_job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "select/machine.hpp"
#include "select/tuner.hpp"

namespace petscspmv::shadow {

namespace {

using select::Result;

/// Searches below this are too short to be worth keeping.
constexpr PetscInt kKept = 100;

using Tuner = select::Tuner<PetscScalar, PetscInt>;

std::string Milliseconds(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

/// A choice as formats recall it. Without trials, by what was predicted; a single one has not shown that its type is
/// the best.
select::Choice ChoiceOf(const Tuner &tuner, const Result &r)
{
  const auto trial = [&r](std::size_t candidate) {
    return std::find_if(r.trials.rbegin(), r.trials.rend(),
                        [candidate](const select::Trial &t) { return t.candidate == candidate && t.failure.empty(); });
  };
  const auto   plain = trial(0), best = trial(r.chosen);
  const bool   known   = plain != r.trials.rend() && best != r.trials.rend();
  const auto   of      = [&](const auto &t, std::size_t candidate) { return known ? t->product : tuner.prospect(candidate).predicted; };
  const double product = of(plain, 0), build = known ? best->build : tuner.prospect(r.chosen).build;
  return {std::string(tuner.type(r.chosen).name), of(best, r.chosen) / product, r.trials.size() == 1 ? 0 : build / product,
          tuner.options(r.chosen)};
}

/// "strips=never in 1.2 ms a product, found in 310 ms by 14 trials (the budget ended); second: ...; ... "
std::string Report(const Tuner &tuner, bool several, const Result &r)
{
  const auto  name = [&](std::size_t c) { return several ? tuner.name(c) : select::text_of(tuner.options(c)); };
  std::string text = name(r.chosen);
  if (r.slot < 0) return text + ", by the model alone";
  const auto product = [&r](std::size_t candidate) {
    const auto found =
      std::find_if(r.trials.begin(), r.trials.end(), [candidate](const select::Trial &t) { return t.candidate == candidate; });
    return found == r.trials.end() || !found->failure.empty() ? INFINITY : found->product;
  };
  const double best = product(r.chosen), defaults = product(0);
  text += ", " + Milliseconds(best) + " a product; found in " + Milliseconds(r.seconds) + " by " + std::to_string(r.trials.size()) +
          " trials (" + r.end + ")";
  const select::Trial *second = nullptr;
  for (const select::Trial &t : r.trials)
    if (t.candidate != r.chosen && t.failure.empty() && (!second || t.product < second->product)) second = &t;
  if (second) text += "; second: " + name(second->candidate) + ", " + Milliseconds(second->product);
  if (std::isfinite(defaults) && defaults > best)
    text += "; pays off after " + std::to_string((long long)std::ceil(r.seconds / (defaults - best))) + " products";
  return text;
}

PetscErrorCode TakeOver(const TuningJob &job, const TuningFound &found, Tuner::Formats formats)
{
  PetscFunctionBegin;
  job.shadow->configure(found.options, job.shadow->common);
  job.shadow->tuning.choice = found.choice; // gone when a format is built
  if (!formats.empty()) PetscCall(ShadowAdopt(job.A, MemorySpace::host, job.shadow, std::move(formats.front())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Not `done` if there is no memory for it.
PetscErrorCode Search(const TuningJob &job, PetscInt products, TuningFound *found, Tuner::Formats *formats, bool *done)
{
  std::unique_ptr<Tuner> tuner;
  PetscErrorCode         code = PETSC_SUCCESS;
  std::string            failure;
  const bool             several = job.shadow->kind->format.ways;
  const auto             seconds = (double)job.shadow->common["tune_seconds"];

  PetscFunctionBegin;
  Attempt(
    [&] {
      tuner =
        std::make_unique<Tuner>(std::vector<View>{job.view}, job.types(), Execution{MemorySpace::host, job.threads, job.shadow->kernels()});
      if (!several) tuner->start_from(0, job.shadow->options);
    },
    &code, &failure);
  *done = failure.empty();
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(Event_Tune, job.A, 0, 0, 0));
  const Result result       = tuner->run({(double)products, seconds});
  job.shadow->tuning.report = Report(*tuner, several, result);
  if (several) found->choice = select::written(ChoiceOf(*tuner, result));
  else found->options = tuner->options(result.chosen);
  if (result.slot >= 0 && !several) *formats = tuner->take(result.slot);
  PetscCall(PetscLogEventEnd(Event_Tune, job.A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PrepareTuning(Mat A, bool anew, TuningJob *job)
{
  PetscFunctionBegin;
  job->A = A;
  PetscCall(ShadowGet(A, &job->shadow));
  if (anew) PetscCall(ShadowShow(A, MemorySpace::host, job->shadow, &job->view));
  else PetscCall(ShadowView(A, MemorySpace::host, job->shadow, &job->view));
  PetscCall(ShadowThreads(*job->shadow, MemorySpace::host, &job->threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowTune(Mat A, PetscInt products)
{
  TuningJob        job;
  MemorySpace      space;
  select::CacheKey key;
  TuningFound      found;
  Tuner::Formats   formats;
  bool             done = true, known = false;

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
    key   = CacheKeyOf(job);
    known = FindTuning(job, key, &found);
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
  if (space == MemorySpace::device) PetscFunctionReturn(PETSC_SUCCESS);
  if (!s->options_read) PetscCall(ReadOptionsOnce(A));
  if (s->tune_products == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (pattern != s->tuning.pattern) PetscCall(ShadowTune(A, s->tune_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
