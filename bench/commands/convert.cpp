#include <algorithm>

#include "commands/commands.hpp"
#include "commands/session.hpp"
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

} // namespace

int run_convert(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  Session session(world, clock, invocation);
  return session.run({Regime::warm}, [&](PreparedMatrix &matrix, const std::vector<Regime> &, const Session::Take &take) {
    std::vector<Entrant>   entrants = session.entrants(matrix);
    std::vector<Series>    series(entrants.size());
    const ContestSettings &settings = session.options().contest;
    const bool             complete = session.take_turns(std::min(3, settings.least_samples), entrants, [&](std::size_t k) {
      entrants[k].product.reset(); // its memory first
      entrants[k].product = session.make_product(matrix, session.competitors()[k]);
      series[k].add(sample_conversion(clock, entrants[k], settings));
    });
    if (!complete) return;
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
