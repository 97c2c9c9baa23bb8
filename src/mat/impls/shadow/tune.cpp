#include "impls/shadow/shadow.hpp"

#include <algorithm>
#include <cmath>

#include "tune/cache.hpp"
#include "tune/fingerprint.hpp"
#include "tune/machine.hpp"
#include "tune/tuner.hpp"

namespace petscspmv::shadow {

namespace {

using tune::Result;

/// Searches below this are too short to be worth keeping.
constexpr PetscInt kKept = 100;

/// The tuner of a matrix's local parts: all ranks build and time the same, and decide by the slowest.
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
  void agree(std::vector<tune::Prospect> &prospects) override { greatest(&prospects.data()->predicted, 2 * (int)prospects.size()); }

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
static_assert(sizeof(tune::Prospect) == 2 * sizeof(double));

/// What a search is about: a matrix, or the two blocks of a parallel one on this rank.
struct Job {
  Mat               A;
  Shadow           *shadow;
  std::vector<Mat>  parts;
  std::vector<View> views;
  int               threads = 1;
  PetscMPIInt       rank = 0, ranks = 1;

  MPI_Comm comm() const { return PetscObjectComm((PetscObject)A); }
};

PetscErrorCode Prepare(Mat A, Job *job)
{
  Mat     blocks[2];
  Shadow *s;

  PetscFunctionBegin;
  job->A = A;
  PetscCall(ShadowGet(A, &job->shadow));
  PetscCallMPI(MPI_Comm_rank(job->comm(), &job->rank));
  PetscCallMPI(MPI_Comm_size(job->comm(), &job->ranks));
  if (IsMPI(A)) {
    PetscCall(AttachBlocks(A));
    PetscCall(GetBlocks(A, blocks));
    job->parts.assign(blocks, blocks + 2);
  } else job->parts = {A};
  for (Mat part : job->parts) {
    PetscCall(ShadowGet(part, &s));
    PetscCall(ShadowShow(part, MemorySpace::host, s, &job->views.emplace_back()));
  }
  PetscCall(ShadowThreads(*job->shadow, MemorySpace::host, &job->threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same on all ranks.
PetscErrorCode KeyOf(const Job &job, tune::CacheKey *key)
{
  const MatKind     &kind  = *job.shadow->kind;
  unsigned long long local = (unsigned long long)job.rank, all;

  PetscFunctionBegin;
  for (const View &view : job.views) local = tune::mixed(local, tune::fingerprint(view));
  PetscCallMPI(MPI_Allreduce(&local, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, job.comm()));
  key->matrix  = tune::hexadecimal(all);
  key->type    = kind.root + "/" + tune::hexadecimal(tune::fingerprint(kind.format.options));
  key->machine = tune::processor() + ", " + std::to_string(job.ranks) + " ranks, " + std::to_string(job.threads) + " threads, " +
                 (PetscDefined(USE_COMPLEX) ? "complex" : "real") + ", " + std::to_string(8 * sizeof(PetscInt)) + "-bit integers";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The first rank asks the cache for all. A text that is no set of options is as good as none.
PetscErrorCode AskCache(const Job &job, const tune::CacheKey &key, OptionValues *options, bool *found)
{
  constexpr int size       = 1024;
  char          text[size] = "?";
  OptionValues  kept       = job.shadow->options;

  PetscFunctionBegin;
  *found = false;
  if (job.rank == 0)
    if (const auto entry = tune::Cache(tune::Cache::default_path()).find(key); entry && entry->options.size() < size)
      PetscCall(PetscStrncpy(text, entry->options.c_str(), size));
  PetscCallMPI(MPI_Bcast(text, size, MPI_CHAR, 0, job.comm()));
  try {
    kept     = tune::read_options(kept.table(), text);
    *options = job.shadow->options; // whose messages name the option in full
    for (const OptionSpec &spec : kept.table()) options->set(spec.key, kept[spec.key]);
    *found = true;
  } catch (const FormatError &) {
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Keep(const Job &job, const tune::CacheKey &key, const OptionValues &options)
{
  PetscFunctionBegin;
  if (job.rank != 0) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string problem = tune::Cache(tune::Cache::default_path()).store({{key, tune::written(options), job.shadow->tuning.report}});
  if (!problem.empty()) PetscCall(PetscInfo(job.A, "%s\n", problem.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string Milliseconds(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

/// "strips=never in 1.2 ms a product, found in 310 ms by 14 trials (the budget ended); second: ...; ... "
std::string Report(const RankTuner &tuner, const Result &r)
{
  std::string text = tune::text_of(tuner.options(r.chosen));
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
  if (second) text += "; second: " + tune::text_of(tuner.options(second->candidate)) + ", " + Milliseconds(second->product);
  if (std::isfinite(defaults) && defaults > best)
    text += "; pays off after " + std::to_string((long long)std::ceil(r.seconds / (defaults - best))) + " products";
  return text;
}

PetscErrorCode TakeOver(const Job &job, const OptionValues &options, RankTuner::Formats formats)
{
  Shadow *s;

  PetscFunctionBegin;
  job.shadow->configure(options, job.shadow->common);
  for (std::size_t i = 0; i < job.parts.size(); ++i) {
    PetscCall(ShadowGet(job.parts[i], &s));
    s->configure(options, s->common);
    if (i < formats.size()) PetscCall(ShadowAdopt(job.parts[i], MemorySpace::host, s, std::move(formats[i])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where one rank has no memory for it, none searches.
PetscErrorCode Search(const Job &job, PetscInt products, OptionValues *options, RankTuner::Formats *formats, bool *done)
{
  std::unique_ptr<RankTuner> tuner;
  PetscErrorCode             code = PETSC_SUCCESS;
  std::string                failure;
  const std::span            types(&job.shadow->kind->format, 1);
  const double               seconds = (double)job.shadow->common["tune_seconds"];

  PetscFunctionBegin;
  Attempt(
    [&] {
      tuner = std::make_unique<RankTuner>(job.comm(), job.views, types, Execution{MemorySpace::host, job.threads});
      tuner->start_from(0, job.shadow->options);
    },
    &code, &failure);
  int failed = !failure.empty();
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, job.comm()));
  *done = !failed;
  if (failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(Event_Tune, job.A, 0, 0, 0));
  const Result result       = tuner->run({(double)products, seconds});
  *options                  = tuner->options(result.chosen);
  job.shadow->tuning.report = Report(*tuner, result);
  if (result.slot >= 0) *formats = tuner->take(result.slot);
  PetscCall(PetscLogEventEnd(Event_Tune, job.A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ShadowTune(Mat A, PetscInt products)
{
  Job                job;
  MemorySpace        space;
  tune::CacheKey     key;
  OptionValues       options;
  RankTuner::Formats formats;
  bool               found = false, done = true;

  PetscFunctionBegin;
  PetscCall(DefaultSpace(A, &space));
  if (space == MemorySpace::device) {
    PetscCall(PetscInfo(A, "products run on a device, and only those on the host are tuned\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Prepare(A, &job));
  const bool cached = job.shadow->common["tune_cache"] && products >= kKept;
  options           = job.shadow->options;
  PetscCall(KeyOf(job, &key));
  if (cached) PetscCall(AskCache(job, key, &options, &found));
  if (found) job.shadow->tuning.report = tune::text_of(options) + ", found before: " + tune::Cache::default_path();
  else PetscCall(Search(job, products, &options, &formats, &done));
  if (done) PetscCall(TakeOver(job, options, std::move(formats)));
  if (done && cached && !found) PetscCall(Keep(job, key, options));
  PetscCall(MatGetNonzeroState(A, &job.shadow->tuning.pattern));
  PetscCall(PetscInfo(A, "%s: tuned: %s\n", job.shadow->kind->root.c_str(), job.shadow->tuning.report.c_str()));
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
