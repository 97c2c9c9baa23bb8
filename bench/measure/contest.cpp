#include "measure/contest.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <sstream>
#include <thread>

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

/// GNU's OpenMP keeps threads spinning for 3.5 to 4.1 ms after a parallel region (measured), on a core that another
/// rank may need in the next turn.
constexpr auto kThreadsSpin = std::chrono::milliseconds(6);

/// Those who have no part in it sleep; all go on together.
void turn(Ranks &world, Entrant &entrant, const std::function<void()> &work)
{
  if (entrant.takes_part() && entrant.runs()) {
    guarded(entrant, work);
    if (entrant.name.threads > 1 && world.size() > 1) std::this_thread::sleep_for(kThreadsSpin);
  }
  world.barrier_asleep();
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

void check_result(Entrant &e, const char *when, double factor, const std::function<void()> &multiply)
{
  e.product->fill_y(kNaN);
  multiply();
  std::vector<double> y(e.oracle->rows());
  e.product->read_y(y);
  judge(e, e.oracle->check(y, factor, e.loss), when);
}

void check_product(Entrant &e, const char *when, double factor, bool refresh)
{
  check_result(e, when, factor, [&] { refresh ? e.product->refresh_and_multiply() : e.product->multiply(); });
}

double build_and_multiply(Clock &clock, Entrant &e)
{
  const LocalMatrix  &a = *e.matrix;
  std::vector<double> x(std::size_t(a.local_cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = vector_entry(std::int64_t(a.first_col) + std::int64_t(j));
  const double build = timed(clock, *e.ranks, [&] { e.product->build(); });
  e.product->set_x(x);
  e.product->fill_y(kNaN);
  return build + timed(clock, *e.ranks, [&] { e.product->multiply(); });
}

bool take_turns(Clock &clock, Ranks &world, const ContestSettings &settings, int least, std::vector<Entrant> &entrants,
                const std::function<bool()> &interrupted, const std::function<void(std::size_t)> &work)
{
  Random       random(1);
  const double begin = clock.now();
  for (int round = 0; round < settings.samples; ++round) {
    if (round >= least && world.max(clock.now() - begin) > settings.budget) break;
    for (std::size_t k : random_permutation<std::size_t>(entrants.size(), random)) turn(world, entrants[k], [&] { work(k); });
    if (world.any(interrupted())) return false;
  }
  return true;
}

Contest::Contest(Clock &clock, Ranks &world, Stopwatch &stopwatch, const ContestSettings &settings, std::vector<Entrant> &entrants,
                 std::function<bool()> interrupted)
  : clock_(clock), world_(world), stopwatch_(stopwatch), settings_(settings), entrants_(entrants), interrupted_(std::move(interrupted))
{
}

void Contest::build()
{
  for (Entrant &e : entrants_) {
    turn(world_, e, [&] { e.first = build_and_multiply(clock_, e); });
    turn(world_, e, [&] { check_product(e, "before timing"); });
  }
}

bool Contest::run(Regime regime)
{
  std::vector<std::vector<double>> times(entrants_.size());
  for (Entrant &e : entrants_) turn(world_, e, [&] { stopwatch_.calibrate(e, regime); });
  const bool complete = take_turns(clock_, world_, settings_, settings_.least_samples, entrants_, interrupted_,
                                   [&](std::size_t k) { times[k].push_back(stopwatch_.sample(entrants_[k], regime)); });
  for (std::size_t k = 0; k < entrants_.size(); ++k) {
    Entrant &e = entrants_[k];
    turn(world_, e, [&] { check_product(e, "after timing"); });
    e.time = quantiles_of(times[k]);
  }
  return complete;
}

} // namespace petscspmv::bench
