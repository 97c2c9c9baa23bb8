#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "measure/host_stopwatch.hpp"

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

int run_on_host(Session &session)
{
  const RunOptions &o           = session.options();
  const auto        flush_bytes = o.flush_mb > 0 ? std::int64_t(o.flush_mb * 1e6) : 2 * this_machine().cache_bytes;
  CacheFlush        flush(flush_bytes);
  HostStopwatch     stopwatch(session.clock(), flush, o.contest);
  return session.run(regimes_of(o), [&](PreparedMatrix &matrix, const std::vector<Regime> &regimes, const Session::Take &take) {
    std::vector<Entrant> entrants = session.entrants(matrix);
    Contest              contest(session.clock(), session.world(), stopwatch, o.contest, entrants, &Session::interrupted);
    contest.build();
    for (Regime regime : regimes)
      if (contest.run(regime)) take(to_records(session, matrix, entrants, regime)); // half a measurement is none
  });
}

int run_on_device(Session &session)
{
  const RunOptions &o           = session.options();
  const auto        flush_bytes = std::int64_t(o.flush_mb * 1e6);
  return session.run(regimes_of(o), [&](PreparedMatrix &matrix, const std::vector<Regime> &regimes, const Session::Take &take) {
    std::vector<Entrant> entrants  = session.entrants(matrix);
    const auto           stopwatch = session.device()->stopwatch(o.contest, flush_bytes);
    Contest              contest(session.clock(), session.world(), *stopwatch, o.contest, entrants, &Session::interrupted);
    contest.build();
    for (Regime regime : regimes) {
      const DeviceFloor floor = stopwatch->floor(regime, matrix.name.statistics.size);
      if (!contest.run(regime)) continue;
      std::vector<Record> records = to_records(session, matrix, entrants, regime);
      for (std::size_t k = 0; k < records.size(); ++k)
        records[k].device = OnDevice{session.device()->info(), floor, stopwatch->flush_bytes(), entrants[k].replayed, entrants[k].launch};
      take(records);
    }
  });
}

} // namespace

int run_spmv(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  Session session(world, clock, invocation);
  return session.device() ? run_on_device(session) : run_on_host(session);
}

} // namespace petscspmv::bench
