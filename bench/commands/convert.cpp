#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "matrix/random.hpp"
#include "measure/conversion.hpp"

namespace petscspmv::bench {

namespace {

/// The times of one competitor, sample by sample.
struct Series {
  std::vector<double> build, refresh, product;

  void add(const ConversionSample &s)
  {
    build.push_back(s.build);
    refresh.push_back(s.refresh);
    product.push_back(s.product);
  }
};

/// Rounds as in the products: everybody once, in an order that changes. Each sample builds anew.
bool run_rounds(Session &session, PreparedMatrix &matrix, std::vector<Entrant> &entrants, std::vector<Series> &series)
{
  const ContestSettings &settings = session.options().contest;
  Random                 random(1);
  const double           begin = session.clock().now();
  for (int round = 0; round < settings.samples; ++round) {
    if (round >= std::min(3, settings.least_samples) && session.world().max(session.clock().now() - begin) > settings.budget) break;
    for (std::size_t k : random_permutation<std::size_t>(entrants.size(), random)) {
      Entrant &e = entrants[k];
      if (e.takes_part() && e.runs())
        guarded(e, [&] {
          e.product.reset(); // its memory first
          e.product = session.make_product(matrix, session.competitors()[k]);
          series[k].add(sample_conversion(session.clock(), e, settings));
        });
      session.world().barrier_asleep();
    }
    if (session.world().any(Session::interrupted())) return false;
  }
  return true;
}

} // namespace

int run_convert(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  Session session(world, clock, invocation);
  return session.run({Regime::warm}, [&](PreparedMatrix &matrix, const std::vector<Regime> &, const Session::Take &take) {
    std::vector<Entrant> entrants = session.entrants(matrix);
    std::vector<Series>  series(entrants.size());
    if (!run_rounds(session, matrix, entrants, series)) return;
    std::vector<Record> records;
    for (std::size_t k = 0; k < entrants.size(); ++k) {
      Record r = session.blank(matrix.name, session.competitors()[k], Regime::warm);
      session.fill(r, entrants[k]);
      if (entrants[k].runs()) {
        r.time       = quantiles_of(series[k].product);
        r.conversion = Conversion{quantiles_of(series[k].build), quantiles_of(series[k].refresh)};
      }
      records.push_back(std::move(r));
    }
    take(records);
  });
}

} // namespace petscspmv::bench
