#include <iostream>
#include <map>

#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "device/several.hpp"
#include "petsc/device.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

/// The times of one regime: a row for each peer, a column for each number of vectors.
using Table = std::map<Regime, std::vector<std::vector<std::string>>>;

std::string cell_of(const Entrant &e, int columns)
{
  return e.runs() ? duration(e.time.median / columns) : text_of(e.status);
}

void print(const std::string &matrix, const std::vector<int> &columns, const Table &table)
{
  for (const auto &[regime, rows] : table) {
    std::vector<std::string> headings{"<" + matrix + ", " + text_of(regime) + ", time per vector of"};
    for (int k : columns) headings.push_back(std::to_string(k));
    TextTable text(headings);
    for (const auto &row : rows) text.add_row(row);
    std::cout << text.terminal() << std::endl;
  }
}

} // namespace

int run_spmm(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  const RunOptions &o = invocation.run;
  if (world.size() > 1) throw InputError("spmm measures one device from one process; start petscspmv-bench without mpiexec.");
  const auto                     device = open_device(petsc_stream());
  const std::vector<SeveralPeer> peers  = several_peers();
  int                            code   = kGood;
  for (const MatrixSource &source : find_sources(o.matrices.empty() ? default_matrices(invocation.command) : o.matrices)) {
    const CsrMatrix   a = source.make();
    const LocalMatrix local{&a, a.rows, 0, 0, a.cols};
    const Oracle      oracle(local);
    Table             table;
    for (const Regime regime : {Regime::cold, Regime::warm})
      for (const SeveralPeer &peer : peers) table[regime].push_back({peer.name});
    for (int columns : invocation.columns) {
      std::vector<Entrant> entrants(peers.size());
      for (std::size_t k = 0; k < peers.size(); ++k) {
        Entrant &e  = entrants[k];
        e.name.name = peers[k].name;
        e.ranks     = &world;
        e.matrix    = &local;
        e.oracle    = &oracle;
        guarded(e, [&] { e.product = peers[k].make({local, nullptr, &world}, columns); });
      }
      const auto stopwatch = device->stopwatch(o.contest, 0);
      Contest    contest(clock, world, *stopwatch, o.contest, entrants, [] { return false; });
      contest.build();
      for (auto &[regime, rows] : table) {
        contest.run(regime);
        for (std::size_t k = 0; k < peers.size(); ++k) rows[k].push_back(cell_of(entrants[k], columns));
      }
      for (const Entrant &e : entrants) {
        if (e.runs()) continue;
        std::cerr << e.name.name << " with " << columns << " vectors: " << e.reason << '\n';
        code = kBad;
      }
    }
    print(source.name, invocation.columns, table);
  }
  return code;
}

} // namespace petscspmv::bench
