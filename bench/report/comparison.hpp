#pragma once

/// \file comparison.hpp
/// Speed-ups of a subject over its opponents, matrix by matrix. Only right results count, and only the same regime, the
/// same number of cores and the same machine are compared.

#include <string>
#include <vector>

#include "records/record.hpp"

namespace petscspmv::bench {

/// Records of one kind of measurement: the same command, regime, cores and machine, or device.
struct Setting {
  std::string                 command;
  Regime                      regime;
  int                         cores;
  std::string                 hardware;
  bool                        on_device;
  std::vector<const Record *> records;

  /// Matrices in the order of the records.
  std::vector<std::string> matrices() const;
  /// Labels of those with the role, in the order of the records.
  std::vector<std::string> labels(Role role) const;
  /// Null if that was not measured.
  const Record *find(const std::string &matrix, const std::string &label) const;
};

/// Sorts records into settings: the host before the device, cold before warm, few cores before many. The records must
/// outlive them.
std::vector<Setting> settings_of(const std::vector<Record> &records);

/// Opponent in the place of a label: the fastest peer of each matrix.
inline constexpr const char *kBestPeer = "best peer";

struct Duel {
  const Record *subject;
  const Record *opponent;
  double        speedup; ///< time of the opponent over time of the subject
};

/// The time that is compared: of a product, or to solution.
double compared_time(const Record &r);

/// Duels on all matrices where both were right.
std::vector<Duel> duels(const Setting &setting, const std::string &subject, const std::string &opponent);

/// The fastest peer on a matrix; null if there is none.
const Record *best_peer(const std::vector<const Record *> &records, const std::string &matrix);

struct Score {
  int         matrices = 0;
  double      mean     = 0; ///< geometric
  const Duel *worst    = nullptr;
  const Duel *best     = nullptr;
  int         wins = 0, ties = 0, losses = 0;
};

/// Speed-ups within 1 +- ties count as ties.
Score score(const std::vector<Duel> &duels, double ties);

} // namespace petscspmv::bench
