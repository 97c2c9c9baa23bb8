#include <algorithm>
#include <iostream>
#include <map>
#include <tuple>

#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "measure/host_stopwatch.hpp"
#include "measure/machine.hpp"
#include "peers/several.hpp"
#include "petsc/device.hpp"
#include "petsc/plugin.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

/// The times of one regime: a row for each peer, a column for each number of vectors.
using Table = std::map<Regime, std::vector<std::vector<std::string>>>;

/// The methods of these names, or all, and the peers of others.
std::vector<SeveralPeer> wanted_peers(std::vector<SeveralPeer> peers, const std::vector<std::string> &methods)
{
  for (const std::string &name : methods)
    if (std::none_of(peers.begin(), peers.end(), [&name](const SeveralPeer &p) { return p.method == name; }))
      throw InputError("spmm has no method '" + name + "'.");
  std::erase_if(peers, [&methods](const SeveralPeer &p) {
    return !p.method.empty() && !methods.empty() && std::count(methods.begin(), methods.end(), p.method) == 0;
  });
  return peers;
}

std::string cell_of(const Entrant &e, int columns)
{
  return e.runs() ? duration(e.time.median / columns) : text_of(e.status);
}

/// How many times as fast a method of ours is with several vectors at once, in each matrix.
struct Gains {
  std::vector<double> peers;  ///< against the fastest SpMM of others
  std::vector<double> itself; ///< against its own products with single vectors
};

/// By regime, number of columns, method.
using AllGains = std::map<std::tuple<Regime, int, std::string>, Gains>;

void add_gains(const std::vector<SeveralPeer> &peers, const std::vector<Entrant> &entrants, Regime regime, int columns, AllGains &gains)
{
  double                        best = 0;
  std::map<std::string, double> single;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const double time = entrants[k].runs() ? entrants[k].time.median : 0;
    if (peers[k].one_by_one) single[peers[k].method] = time;
    if (peers[k].method.empty() && time > 0 && (best == 0 || time < best)) best = time;
  }
  for (std::size_t k = 0; k < peers.size(); ++k) {
    if (peers[k].method.empty() || peers[k].one_by_one || !entrants[k].runs()) continue;
    Gains &g = gains[{regime, columns, peers[k].method}];
    if (best > 0) g.peers.push_back(best / entrants[k].time.median);
    if (const double time = single[peers[k].method]; time > 0) g.itself.push_back(time / entrants[k].time.median);
  }
}

void print(const AllGains &gains)
{
  TextTable table(
    {"<caches", "vectors", "<method", "matrices", "against the fastest SpMM: mean, least", "against single products: mean, least"});
  for (const auto &[key, g] : gains) {
    const auto &[regime, columns, method] = key;
    table.add_row({text_of(regime), std::to_string(columns), method, std::to_string(std::max(g.peers.size(), g.itself.size())),
                   mean_and_least(g.peers), mean_and_least(g.itself)});
  }
  std::cout << table.markdown() << std::endl;
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

/// What a transposed product on a device needs besides, in products: an index, and new values in its order. Kernels are
/// loaded when they are first launched: `tells` is false for that.
void time_index(Clock &clock, const Setup &setup, const CsrMatrix &a, const std::vector<SeveralPeer> &peers, bool tells)
{
  const auto seconds_of = [&clock](const auto &work) {
    const double begin = clock.now();
    work();
    return clock.now() - begin;
  };
  const auto least_of = [&](const auto &work) {
    double least = seconds_of(work);
    for (int repeat = 0; repeat < 20; ++repeat) least = std::min(least, seconds_of(work));
    return least;
  };
  for (const SeveralPeer &peer : peers) {
    if (peer.method.empty() || peer.one_by_one) continue;
    const auto product = peer.make(setup, a, 1);
    product->build();
    product->set_x(std::vector<double>(std::size_t(a.rows), 1));
    std::vector<double> y(std::size_t(a.cols));
    product->read_y(y); // when this has come, what went to the device is there
    const double first = seconds_of([&] { product->multiply(); }), one = least_of([&] { product->multiply(); });
    const double renewed = least_of([&] { product->refresh_and_multiply(); });
    if (!tells) continue;
    std::cout << peer.name << ": the first product takes " << fixed(first / one, 1) << " products, one with new values "
              << fixed(renewed / one, 1) << " (" << duration(one) << ")\n";
  }
}

} // namespace

int run_spmm(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  const RunOptions &o         = invocation.run;
  const bool        on_device = o.wishes.place == Place::device;
  if (world.size() > 1) throw InputError("spmm measures one process; start petscspmv-bench without mpiexec.");
  const auto device = on_device ? open_device(petsc_stream()) : nullptr;
  CacheFlush flush(2 * this_machine().cache_bytes);
  if (!on_device) load_plugin(o.plugin.empty() ? default_plugin() : o.plugin, 1);
  const auto all_peers = [&] { return (on_device ? several_peers_on_device : several_peers_on_host)(invocation.transposed); };
  AllGains   gains;
  int        code = kGood;
  for (const MatrixSource &source : sources_of(invocation, true)) {
    const auto        peers = wanted_peers(all_peers(), o.wishes.types);
    const CsrMatrix   a = source.make(), at = invocation.transposed ? transposed(a) : CsrMatrix();
    const CsrMatrix  &op_a = invocation.transposed ? at : a;
    const LocalMatrix local{&op_a, op_a.rows, 0, 0, op_a.cols};
    const Setup       setup{local, nullptr, &world};
    const Oracle      oracle(local);
    Table             table;
    if (on_device && invocation.transposed)
      for (const bool tells : {false, true}) time_index(clock, setup, a, wanted_peers(all_peers(), o.wishes.types), tells);
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
        guarded(e, [&] { e.product = peers[k].make(setup, a, columns); });
      }
      const std::unique_ptr<Stopwatch> stopwatch =
        on_device ? std::unique_ptr<Stopwatch>(device->stopwatch(o.contest, 0)) : std::make_unique<HostStopwatch>(clock, flush, o.contest);
      Contest contest(clock, world, *stopwatch, o.contest, entrants, [] { return false; });
      contest.build();
      for (auto &[regime, rows] : table) {
        contest.run(regime);
        for (std::size_t k = 0; k < peers.size(); ++k) rows[k].push_back(cell_of(entrants[k], columns));
        add_gains(peers, entrants, regime, columns, gains);
      }
      for (const Entrant &e : entrants) {
        if (e.runs()) continue;
        std::cerr << e.name.name << " with " << columns << " vectors: " << e.reason << '\n';
        code = kBad;
      }
    }
    print(source.name, invocation.columns, table);
  }
  print(gains);
  return code;
}

} // namespace petscspmv::bench
