#pragma once

/// \file tuning_job.hpp
/// What a search for the best options is about and what it finds, for those who search (tune.cpp) and those who
/// remember (tuning_cache.cpp).

#include "glue/shadow.hpp"
#include "select/cache/cache.hpp"
#include "select/candidates.hpp"

namespace petscspmv::shadow {

/// What a search is about: a sequential matrix.
struct TuningJob {
  Mat     A;
  Shadow *shadow;
  View    view;
  int     threads = 1;

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

  std::string written() const { return choice.empty() ? select::written(options) : choice; } ///< for the cache
  std::string text() const { return choice.empty() ? select::text_of(options) : choice; }    ///< for people
};

/// `anew`: the format is dropped, and nodes are looked for.
PetscErrorCode PrepareTuning(Mat A, bool anew, TuningJob *job);

/// By what the cache knows a job.
select::CacheKey CacheKeyOf(const TuningJob &job);

/// What has been found before for this key; false if nothing.
bool FindTuning(const TuningJob &job, const select::CacheKey &key, TuningFound *found);

/// Keeps what has been found, with the matrix's report. A cache that cannot be written costs the result only.
PetscErrorCode KeepTuning(const TuningJob &job, const select::CacheKey &key, const TuningFound &found);

} // namespace petscspmv::shadow
