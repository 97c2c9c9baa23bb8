#pragma once

/// \file tuning_job.hpp
/// What a search for the best options is about and what it finds, for those who search (tune.cpp) and those who remember (tuning_cache.cpp).

#include "impls/shadow/shadow.hpp"
#include "tune/cache.hpp"
#include "tune/candidates.hpp"

namespace petscspmv::shadow {

/// What a search is about: a matrix, or the two blocks of a parallel one on this rank.
struct TuningJob {
  Mat               A;
  Shadow           *shadow;
  std::vector<Mat>  parts;
  std::vector<View> views;
  int               threads = 1;
  PetscMPIInt       rank    = 0; ///< among those who choose together
  PetscMPIInt       ranks   = 1; ///< that multiply together, whoever chooses

  /// Those who choose together: all ranks, or this one alone.
  MPI_Comm comm() const { return ChoosesAlone(A, *shadow) ? PETSC_COMM_SELF : PetscObjectComm((PetscObject)A); }

  /// What there is to search among: the options of the type, or all types that it can go as.
  std::span<const FormatType<PetscScalar, PetscInt>> types() const
  {
    const auto &format = shadow->kind->format;
    return format.ways ? format.ways() : std::span(&format, 1);
  }
};

/// What has been found. Of a type that goes as several, a choice; of others, options.
struct TuningFound {
  OptionValues options;
  std::string  choice;

  std::string written() const { return choice.empty() ? tune::written(options) : choice; } ///< for the cache
  std::string text() const { return choice.empty() ? tune::text_of(options) : choice; }    ///< for people
};

/// `anew`: formats are dropped, and nodes looked for. Collective.
PetscErrorCode PrepareTuning(Mat A, bool anew, TuningJob *job);

/// By what the cache knows a job: the same on all ranks that choose together. Collective on those, as all that follows.
PetscErrorCode CacheKeyOf(const TuningJob &job, tune::CacheKey *key);

/// What has been found before for this key: true on all ranks that choose together, or on none. The first of them asks.
PetscErrorCode FindTuning(const TuningJob &job, const tune::CacheKey &key, TuningFound *found, bool *known);

/// Keeps what has been found, with the matrix's report. A cache that cannot be written costs the result only.
PetscErrorCode KeepTuning(const TuningJob &job, const tune::CacheKey &key, const TuningFound &found);

} // namespace petscspmv::shadow
