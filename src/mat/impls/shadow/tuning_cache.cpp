// What searches have found before: the cache's answers for a matrix on all of its ranks, or for the part of a rank that chooses alone.

#include "impls/shadow/tuning_job.hpp"

#include <filesystem>
#include <limits>
#include <system_error>

#include "core/runtime.hpp"
#include "tune/fingerprint.hpp"
#include "tune/machine.hpp"

namespace petscspmv::shadow {

namespace {

/// All that times depend on besides the matrix and what there is to choose from.
std::string MachineOf(const TuningJob &job)
{
  return tune::processor() + ", " + std::to_string(job.ranks) + " ranks, " + std::to_string(job.threads) + " threads, " +
         (PetscDefined(USE_COMPLEX) ? "complex" : "real") + ", " + std::to_string(8 * sizeof(PetscInt)) +
         "-bit integers, petscspmv " PETSCSPMV_VERSION ", " + runtime::description();
}

} // namespace

PetscErrorCode CacheKeyOf(const TuningJob &job, tune::CacheKey *key)
{
  const MatKind     &kind  = *job.shadow->kind;
  unsigned long long local = (unsigned long long)job.rank, all;

  PetscFunctionBegin;
  for (const View &view : job.views) local = tune::mixed(local, tune::fingerprint(view));
  PetscCallMPI(MPI_Allreduce(&local, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, job.comm()));
  key->matrix           = tune::hexadecimal(all);
  std::uint64_t options = 0;
  for (const auto &type : job.types()) options = tune::mixed(options, tune::fingerprint(type.options));
  key->type    = kind.root + "/" + tune::hexadecimal(options);
  key->machine = MachineOf(job);
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

/// The first rank asks the cache for all; "?" if it does not know.
PetscErrorCode AskCache(const TuningJob &job, const tune::CacheKey &key, std::string *answer)
{
  constexpr int size       = 1024;
  char          text[size] = "?";

  PetscFunctionBegin;
  if (job.rank == 0)
    if (const auto entry = tune::Cache(tune::Cache::default_path()).find(key); entry && entry->options.size() < size)
      PetscCall(PetscStrncpy(text, entry->options.c_str(), size));
  PetscCallMPI(MPI_Bcast(text, size, MPI_CHAR, 0, job.comm()));
  *answer = text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// False for a text that is nothing that can be.
bool Understood(const TuningJob &job, const std::string &text, TuningFound *found)
{
  found->options = job.shadow->options; // whose messages name the option in full
  try {
    if (job.shadow->kind->format.ways) {
      (void)tune::read_choice<PetscScalar, PetscInt>(job.types(), text);
      found->choice = text;
    } else {
      const OptionValues kept = tune::read_options(found->options.table(), text);
      for (const OptionSpec &spec : kept.table()) found->options.set(spec.key, kept[spec.key]);
    }
  } catch (const FormatError &) {
    return false;
  }
  return true;
}

} // namespace

PetscErrorCode FindTuning(const TuningJob &job, const tune::CacheKey &key, TuningFound *found, bool *known)
{
  std::string answer;

  PetscFunctionBegin;
  PetscCall(AskCache(job, key, &answer));
  *known = Understood(job, answer, found);
  if (*known) job.shadow->tuning.report = found->text() + ", found before: " + tune::Cache::default_path();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KeepTuning(const TuningJob &job, const tune::CacheKey &key, const TuningFound &found)
{
  PetscFunctionBegin;
  if (job.rank != 0) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string problem = tune::Cache(tune::Cache::default_path()).store({{key, found.written(), job.shadow->tuning.report}});
  if (!problem.empty()) PetscCall(PetscInfo(job.A, "%s\n", problem.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double QuestionSeconds(const Shadow &shadow, MemorySpace space, bool asks, double entries)
{
  // Hashing a pattern, reading a cache: 0.25 ns an entry, 60 us and 4 ns a byte on one core of an AMD Zen 4.
  constexpr double hash = 0.4e-9, file = 100e-6, byte = 5e-9, never = std::numeric_limits<double>::infinity();
  if (!shadow.kind->format.ways || !shadow.common["tune_cache"] || space == MemorySpace::device) return never;
  if (!asks) return hash * entries;
  std::error_code error;
  const auto      bytes = std::filesystem::file_size(tune::Cache::default_path(), error);
  return error ? never : hash * entries + file + byte * double(bytes);
}

PetscErrorCode AskForWay(Mat A, std::string *choice, double *seconds)
{
  const double   begin = tune::steady_clock();
  TuningJob      job;
  tune::CacheKey key;
  TuningFound    found;
  bool           known;

  PetscFunctionBegin;
  PetscCall(PrepareTuning(A, false, &job));
  PetscCall(CacheKeyOf(job, &key));
  PetscCall(FindTuning(job, key, &found, &known));
  *choice  = known ? found.choice : "";
  *seconds = tune::steady_clock() - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
