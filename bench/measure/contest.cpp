#include "measure/contest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <sstream>

#include "matrix/random.hpp"

namespace petscspmv::bench {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void judge(Entrant &e, const Check &check, const char *when)
{
  e.error = std::max(e.error, e.ranks->max(check.error));
  if (!e.ranks->any(!check.right) || !e.runs()) return;
  e.status = Status::wrong;
  std::ostringstream text;
  text << "the result " << when << " differs from the oracle's";
  if (!check.right) text << " in row " << check.row << ", by " << check.error << " times the bound of rounding errors";
  e.reason = text.str();
}

} // namespace

void guarded(Entrant &entrant, const std::function<void()> &work)
{
  try {
    work();
  } catch (const std::bad_alloc &) {
    entrant.status = Status::failed;
    entrant.reason = "there is not enough memory";
  } catch (const std::exception &e) {
    entrant.status = Status::failed;
    entrant.reason = e.what();
  }
}

void check_product(Entrant &e, const char *when, double factor, bool refresh)
{
  e.product->fill_y(kNaN);
  refresh ? e.product->refresh_and_multiply() : e.product->multiply();
  std::vector<double> y(e.oracle->rows());
  e.product->read_y(y);
  judge(e, e.oracle->check(y, factor), when);
}

double build_and_multiply(Clock &clock, Entrant &e)
{
  const LocalMatrix  &a = *e.matrix;
  std::vector<double> x(std::size_t(a.local_cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = vector_entry(std::int64_t(a.first_col) + std::int64_t(j));
  const auto timed = [&](const std::function<void()> &work) {
    e.ranks->barrier();
    const double begin = clock.now();
    work();
    return e.ranks->max(clock.now() - begin);
  };
  const double build = timed([&] { e.product->build(); });
  e.product->set_x(x);
  e.product->fill_y(kNaN);
  return build + timed([&] { e.product->multiply(); });
}

Contest::Contest(Clock &clock, Ranks &world, CacheFlush &flush, const ContestSettings &settings, std::vector<Entrant> &entrants,
                 std::function<bool()> interrupted)
  : clock_(clock), world_(world), flush_(flush), settings_(settings), entrants_(entrants), interrupted_(std::move(interrupted))
{
}

/// Those who have no part in it sleep; all go on together, and agree on whether the entrant is still in the race.
void Contest::turn(Entrant &entrant, const std::function<void()> &work)
{
  if (entrant.takes_part() && entrant.runs()) guarded(entrant, work);
  world_.barrier_asleep();
}

void Contest::build()
{
  for (Entrant &e : entrants_) {
    turn(e, [&] { e.first = build_and_multiply(clock_, e); });
    turn(e, [&] { check_product(e, "before timing"); });
  }
}

void Contest::calibrate(Entrant &e, Regime regime)
{
  e.repeats = 1;
  if (regime == Regime::cold) return;
  e.product->multiply();
  e.ranks->barrier();
  const double begin = clock_.now();
  e.product->multiply();
  const double one = std::max(e.ranks->max(clock_.now() - begin), 1e-9);
  e.repeats        = std::clamp<std::int64_t>(std::int64_t(std::ceil(settings_.batch / one)), 1, settings_.products);
}

double Contest::cold_sample(Entrant &e)
{
  flush_.run(e.name.threads);
  e.ranks->barrier();
  const double begin = clock_.now();
  e.product->multiply();
  return e.ranks->max(clock_.now() - begin);
}

double Contest::warm_sample(Entrant &e)
{
  e.product->multiply(); // the one before was somebody else's
  e.ranks->barrier();
  const double begin = clock_.now();
  for (std::int64_t k = 0; k < e.repeats; ++k) e.product->multiply();
  return e.ranks->max(clock_.now() - begin) / double(e.repeats);
}

bool Contest::run(Regime regime)
{
  std::vector<std::vector<double>> times(entrants_.size());
  for (Entrant &e : entrants_) turn(e, [&] { calibrate(e, regime); });

  // Everybody's turn comes once in a round, in an order that changes, so that a slow moment of the machine, or an unpleasant
  // predecessor, hits all alike.
  Random       random(std::uint64_t(regime) + 1);
  const double begin       = clock_.now();
  bool         interrupted = false;
  for (int round = 0; round < settings_.samples && !interrupted; ++round) {
    if (round >= settings_.least_samples && world_.max(clock_.now() - begin) > settings_.budget) break;
    for (std::size_t k : random_permutation<std::size_t>(entrants_.size(), random)) {
      Entrant &e = entrants_[k];
      turn(e, [&] { times[k].push_back(regime == Regime::cold ? cold_sample(e) : warm_sample(e)); });
    }
    interrupted = world_.any(interrupted_());
  }
  for (std::size_t k = 0; k < entrants_.size(); ++k) {
    Entrant &e = entrants_[k];
    turn(e, [&] { check_product(e, "after timing"); });
    e.time = quantiles_of(times[k]);
  }
  return !interrupted;
}

} // namespace petscspmv::bench
