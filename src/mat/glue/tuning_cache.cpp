// What searches have found before: the cache's answers for a matrix.

#include "glue/tuning_job.hpp"

#include <filesystem>
#include <limits>
#include <system_error>

#include "core/runtime.hpp"
#include "select/cache/fingerprint.hpp"
#include "select/machine.hpp"

namespace petscspmv::shadow {

namespace {

/// All that times depend on besides the matrix and what there is to choose from.
std::string MachineOf(const TuningJob &job)
{
  return select::processor() + ", " + std::to_string(PetscGlobalSize) + " ranks, " + std::to_string(job.threads) + " threads, " +
         (PetscDefined(USE_COMPLEX) ? "complex" : "real") + ", " + std::to_string(8 * sizeof(PetscInt)) +
         "-bit integers, petscspmv " PETSCSPMV_VERSION ", " + runtime::description();
}

} // namespace

select::CacheKey CacheKeyOf(const TuningJob &job)
{
  select::CacheKey key;
  std::uint64_t    options = 0;
  for (const auto &type : job.types()) options = select::mixed(options, select::fingerprint(type.options));
  key.matrix  = select::hexadecimal(select::fingerprint(job.view));
  key.type    = job.shadow->kind->root + "/" + select::hexadecimal(options);
  key.machine = MachineOf(job);
  return key;
}

namespace {

/// False for a text that is nothing that can be.
bool Understood(const TuningJob &job, const std::string &text, TuningFound *found)
{
  found->options = job.shadow->options; // whose messages name the option in full
  try {
    if (job.shadow->kind->format.ways) {
      (void)select::read_choice<PetscScalar, PetscInt>(job.types(), text);
      found->choice = text;
    } else {
      const OptionValues kept = select::read_options(found->options.table(), text);
      for (const OptionSpec &spec : kept.table()) found->options.set(spec.key, kept[spec.key]);
    }
  } catch (const FormatError &) {
    return false;
  }
  return true;
}

} // namespace

bool FindTuning(const TuningJob &job, const select::CacheKey &key, TuningFound *found)
{
  const auto entry = select::Cache(select::Cache::default_path()).find(key);
  if (!entry || !Understood(job, entry->options, found)) return false;
  job.shadow->tuning.report = found->text() + ", found before: " + select::Cache::default_path();
  return true;
}

PetscErrorCode KeepTuning(const TuningJob &job, const select::CacheKey &key, const TuningFound &found)
{
  PetscFunctionBegin;
  const std::string problem = select::Cache(select::Cache::default_path()).store({{key, found.written(), job.shadow->tuning.report}});
  if (!problem.empty()) PetscCall(PetscInfo(job.A, "%s\n", problem.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double QuestionSeconds(const Shadow &shadow, MemorySpace space, double entries)
{
  // Hashing a pattern, reading a cache: 0.25 ns an entry, 60 us and 4 ns a byte on one core of an AMD Zen 4.
  constexpr double hash = 0.4e-9, file = 100e-6, byte = 5e-9, never = std::numeric_limits<double>::infinity();
  if (!shadow.kind->format.ways || !shadow.common["tune_cache"] || space == MemorySpace::device) return never;
  std::error_code error;
  const auto      bytes = std::filesystem::file_size(select::Cache::default_path(), error);
  return error ? never : hash * entries + file + byte * double(bytes);
}

PetscErrorCode AskForWay(Mat A, std::string *choice, double *seconds)
{
  const double begin = select::steady_clock();
  TuningJob    job;
  TuningFound  found;

  PetscFunctionBegin;
  PetscCall(PrepareTuning(A, false, &job));
  *choice  = FindTuning(job, CacheKeyOf(job), &found) ? found.choice : "";
  *seconds = select::steady_clock() - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
