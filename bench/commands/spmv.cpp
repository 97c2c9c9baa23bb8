#include "commands/commands.hpp"
#include "commands/session.hpp"

namespace petscspmv::bench {

namespace {

std::vector<Regime> regimes_of(const RunOptions &o)
{
  std::vector<Regime> regimes;
  for (const std::string &text : o.regimes) regimes.push_back(text == "cold" ? Regime::cold : Regime::warm);
  return regimes;
}

std::vector<Record> to_records(Session &session, const PreparedMatrix &matrix, const std::vector<Entrant> &entrants, Regime regime)
{
  std::vector<Record> records;
  for (std::size_t k = 0; k < entrants.size(); ++k) {
    Record r = session.blank(matrix.name, session.competitors()[k], regime);
    session.fill(r, entrants[k]);
    if (entrants[k].runs()) {
      r.time    = entrants[k].time;
      r.repeats = entrants[k].repeats;
    }
    records.push_back(std::move(r));
  }
  return records;
}

} // namespace

int run_spmv(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  Session           session(world, clock, invocation);
  const RunOptions &o           = invocation.run;
  const auto        flush_bytes = o.flush_mb > 0 ? std::int64_t(o.flush_mb * 1e6) : 2 * this_machine().cache_bytes;
  CacheFlush        flush(flush_bytes);
  return session.run(regimes_of(o), [&](PreparedMatrix &matrix, const std::vector<Regime> &regimes, const Session::Take &take) {
    std::vector<Entrant> entrants = session.entrants(matrix);
    Contest              contest(clock, world, flush, o.contest, entrants, &Session::interrupted);
    contest.build();
    for (Regime regime : regimes)
      if (contest.run(regime)) take(to_records(session, matrix, entrants, regime)); // half a measurement is none
  });
}

} // namespace petscspmv::bench
