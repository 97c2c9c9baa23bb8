#pragma once

/// \file session.hpp
/// What the measuring commands share: the ranks, the competitors, the conditions, the matrices one after the other, and
/// where the records go.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "commands/options.hpp"
#include "commands/progress.hpp"
#include "matrix/source.hpp"
#include "measure/contest.hpp"
#include "measure/device.hpp"
#include "petsc/mpi_ranks.hpp"
#include "records/results_file.hpp"

namespace petscspmv::bench {

/// The matrices of a run. If `speaks`, says on stderr which are not what the user may think, and, where none was named,
/// how many there are and how long they may take.
std::vector<MatrixSource> sources_of(const Invocation &invocation, bool speaks);

/// The ranks that share a matrix, and their parts of it. Ranks outside hold nulls.
struct Team {
  std::unique_ptr<MpiRanks>          ranks;
  std::unique_ptr<DistributedMatrix> matrix;
  std::unique_ptr<Oracle>            oracle;
};

/// A matrix on all ranks, ready to be measured.
struct PreparedMatrix {
  MatrixName          name;
  CsrMatrix           whole; ///< on rank 0
  std::map<int, Team> teams; ///< by number of ranks
};

class Session {
public:
  /// Prints notes, loads the plugin, measures the bandwidth. Throws InputError for options that cannot be.
  Session(MpiRanks &world, Clock &clock, const Invocation &invocation);

  using Take    = std::function<void(const std::vector<Record> &)>;
  using Measure = std::function<void(PreparedMatrix &, const std::vector<Regime> &, const Take &)>;

  /// Calls measure(matrix, regimes, take) for each matrix with the regimes whose records are not there yet; it hands
  /// the records of each regime to `take` when they are complete. Then compares with the baseline and writes what was
  /// asked for. Returns the exit code.
  int run(const std::vector<Regime> &regimes, const Measure &measure);

  MpiRanks                      &world() { return world_; }
  Clock                         &clock() { return clock_; }
  const std::vector<Competitor> &competitors() const { return competitors_; }
  const RunOptions              &options() const { return invocation_.run; }

  /// Products of all competitors that suit the matrix, not built yet; the others have a status that says why.
  std::vector<Entrant>     entrants(PreparedMatrix &matrix);
  std::unique_ptr<Product> make_product(PreparedMatrix &matrix, const Competitor &competitor) const;

  /// A record with everything but the measurement itself.
  Record blank(const MatrixName &matrix, const Competitor &competitor, Regime regime) const;

  /// What an entrant gives the record besides its times.
  void fill(Record &record, const Entrant &entrant);

  /// Rounds by the protocol, at least `least` of them. Returns false if the user has interrupted them.
  bool take_turns(int least, std::vector<Entrant> &entrants, const std::function<void(std::size_t)> &work);

  static bool interrupted();

  /// Null where products run on the host.
  Device *device() { return device_.get(); }

private:
  PreparedMatrix      prepare(const MatrixSource &source);
  void                open_device_if_asked();
  void                measure_bandwidths();
  bool                done_before(const MatrixSource &source, Regime regime) const;
  void                take(const std::vector<Record> &records, Progress &progress);
  int                 finish();
  std::vector<Record> all_records() const;

  MpiRanks                    &world_;
  Clock                       &clock_;
  const Invocation            &invocation_;
  std::vector<Competitor>      competitors_;
  std::vector<MatrixSource>    sources_;
  std::map<int, Bandwidth>     bandwidths_; ///< by number of cores
  Machine                      machine_;
  std::unique_ptr<Device>      device_;
  Versions                     versions_;
  std::unique_ptr<ResultsFile> file_;
  std::vector<Record>          records_;
  std::vector<Record>          baseline_;
  bool                         trouble_ = false; ///< a matrix could not be had
};

} // namespace petscspmv::bench
