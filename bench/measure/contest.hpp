#pragma once

/// \file contest.hpp
/// The protocol: competitors take turns on one matrix, and every result is checked before and after.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "measure/clock.hpp"
#include "measure/oracle.hpp"
#include "measure/quantiles.hpp"
#include "measure/ranks.hpp"
#include "measure/stopwatch.hpp"
#include "peers/peer.hpp"
#include "records/record.hpp"

namespace petscspmv::bench {

struct ContestSettings {
  int    samples       = 31;    ///< of each competitor
  int    least_samples = 5;     ///< taken even if the budget is used up
  double budget        = 10;    ///< seconds for one matrix and regime
  double batch         = 2e-3;  ///< seconds that a warm sample takes at least: a thousand times what the clock can tell apart
  int    products      = 10000; ///< of a warm sample at most
};

/// One competitor on one matrix. Ranks that have no part in it hold neither product nor ranks.
struct Entrant {
  CompetitorName           name;
  std::unique_ptr<Product> product;
  Ranks                   *ranks  = nullptr;
  const LocalMatrix       *matrix = nullptr;
  const Oracle            *oracle = nullptr;
  double                   loss   = 0; ///< relative error that its values may have

  Status       status = Status::ok;
  std::string  reason;
  double       error = 0; ///< the greatest of all checks
  double       first = 0; ///< seconds of building and the first product
  Quantiles    time;
  std::int64_t repeats  = 1;
  bool         replayed = false; ///< on a device: a warm sample was the replay of a recorded graph
  double       launch   = 0;     ///< on a device: seconds that the host needs to put a product on the stream

  bool takes_part() const { return ranks != nullptr; }
  bool runs() const { return status == Status::ok; }
};

/// Rounds in which everybody's turn comes once, in an order that changes, so that a slow moment of the machine, or an
/// unpleasant predecessor, hits all alike. Ends after settings.samples rounds, or when the budget is used up and
/// `least` rounds are over. An exception from work(k) fails the entrant k, and those who failed are passed over.
/// Returns false if `interrupted` said so.
bool take_turns(Clock &clock, Ranks &world, const ContestSettings &settings, int least, std::vector<Entrant> &entrants,
                const std::function<bool()> &interrupted, const std::function<void(std::size_t)> &work);

class Contest {
public:
  /// `world` is all ranks, those that idle in some turns included. `interrupted` is asked between samples.
  Contest(Clock &clock, Ranks &world, Stopwatch &stopwatch, const ContestSettings &settings, std::vector<Entrant> &entrants,
          std::function<bool()> interrupted);

  /// Builds all and checks the first product.
  void build();

  /// Times all products of one regime, and checks the results once more. Returns false if it was interrupted.
  bool run(Regime regime);

private:
  Clock                 &clock_;
  Ranks                 &world_;
  Stopwatch             &stopwatch_;
  const ContestSettings &settings_;
  std::vector<Entrant>  &entrants_;
  std::function<bool()>  interrupted_;
};

/// Builds the product, puts x in place and multiplies once, over a y full of NaN. Returns the seconds of building and
/// multiplying.
double build_and_multiply(Clock &clock, Entrant &entrant);

/// Runs `work` and turns an exception into a failed entrant.
void guarded(Entrant &entrant, const std::function<void()> &work);

/// Lets `multiply` write over a y full of NaN, and compares with factor * A x.
void check_result(Entrant &entrant, const char *when, double factor, const std::function<void()> &multiply);

/// The same with the entrant's own product.
void check_product(Entrant &entrant, const char *when, double factor = 1, bool refresh = false);

} // namespace petscspmv::bench
