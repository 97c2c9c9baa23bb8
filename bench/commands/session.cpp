#include "commands/session.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>

#include "commands/versions.hpp"
#include "core/precision.hpp"
#include "matrix/builder.hpp"
#include "matrix/memory.hpp"
#include "petsc/device.hpp"
#include "petsc/plugin.hpp"
#include "records/csv.hpp"
#include "records/json.hpp"
#include "report/baseline.hpp"
#include "report/report.hpp"

namespace petscspmv::bench {

namespace {

volatile std::sig_atomic_t interrupts = 0;

/// The first Ctrl-C ends the run in good order; the second one at once.
void count_interrupt(int signal)
{
  interrupts = interrupts + 1;
  std::signal(signal, SIG_DFL);
}

/// Runs `work` on rank 0 alone; if it throws InputError there, all ranks throw.
void on_first_rank(MpiRanks &world, const std::function<void()> &work)
{
  std::string failure;
  if (world.rank() == 0) {
    try {
      work();
    } catch (const std::bad_alloc &) {
      failure = "There is not enough memory.";
    } catch (const std::exception &e) {
      failure = e.what();
    }
  }
  failure = world.broadcast(failure);
  if (!failure.empty()) throw InputError(failure);
}

void check_layout(const std::vector<Competitor> &competitors, int world_size)
{
  const int cores = allowed_cores();
  for (const Competitor &c : competitors) {
    if (c.name.ranks > world_size)
      throw InputError("--ranks has " + std::to_string(c.name.ranks) + ", but there are " + std::to_string(world_size) +
                       " MPI ranks; start them: mpiexec -n " + std::to_string(c.name.ranks) + " petscspmv-bench ...");
    if (c.name.threads > cores)
      throw InputError("--threads has " + std::to_string(c.name.threads) + ", but this process may use " + std::to_string(cores) +
                       " of the machine's cores. Take fewer threads, or undo the binding: mpiexec --bind-to none, or taskset.");
  }
}

} // namespace

std::vector<MatrixSource> sources_of(const Invocation &invocation, bool speaks)
{
  const auto &named   = invocation.run.matrices;
  auto        sources = find_sources(named.empty() ? default_matrices(invocation.command) : named);
  if (!speaks) return sources;
  if (named.empty()) {
    const double minutes = std::ceil(default_seconds(invocation) / 60);
    std::fprintf(stderr, "Note: no matrix was named; %zu generators will run, for about %.0f minute%s.\n", sources.size(), minutes,
                 minutes == 1 ? "" : "s");
  }
  for (const MatrixSource &source : sources)
    if (!source.note.empty()) std::fprintf(stderr, "Note: %s\n", source.note.c_str());
  return sources;
}

Session::Session(MpiRanks &world, Clock &clock, const Invocation &invocation)
  : world_(world), clock_(clock), invocation_(invocation), machine_(this_machine())
{
  const RunOptions &o      = invocation.run;
  CompetitorWishes  wishes = o.wishes;
  if (wishes.ranks.empty()) wishes.ranks = {world.size()};
  if (wishes.threads.empty()) wishes.threads = {1};
  wishes.solves = invocation.command == "solve";
  open_device_if_asked();
  std::vector<std::string> notes;
  competitors_ = choose_competitors(wishes, notes);
  check_layout(competitors_, world.size());
  if (world.rank() == 0)
    for (const std::string &note : notes) std::fprintf(stderr, "Note: %s\n", note.c_str());
  sources_ = sources_of(invocation, world.rank() == 0);
  if (!o.corrupt.empty() &&
      std::none_of(competitors_.begin(), competitors_.end(), [&o](const Competitor &c) { return c.name.name == o.corrupt; }))
    throw InputError("--corrupt names '" + o.corrupt + "', which takes no part in this run.");
  on_first_rank(world, [&] {
    if (!o.baseline.empty()) baseline_ = read_results(o.baseline);
    if (!o.output.empty())
      file_ = std::make_unique<ResultsFile>(o.output, o.resume ? IfExists::resume : o.replace ? IfExists::replace : IfExists::refuse);
  });

  int most_threads = 1;
  for (const Competitor &c : competitors_) most_threads = std::max(most_threads, c.name.threads);
  load_plugin(o.plugin.empty() ? default_plugin() : o.plugin, most_threads);
  versions_ = collect_versions(competitors_);
  measure_bandwidths();
  interrupts = 0;
  std::signal(SIGINT, count_interrupt);
  std::signal(SIGTERM, count_interrupt);
}

void Session::open_device_if_asked()
{
  if (options().wishes.place == Place::host) return;
  if (world_.size() > 1)
    throw InputError("--device measures one device from one process, but there are " + std::to_string(world_.size()) +
                     " MPI ranks; start petscspmv-bench without mpiexec.");
  device_ = open_device(petsc_stream());
}

bool Session::interrupted()
{
  return interrupts > 0;
}

void Session::measure_bandwidths()
{
  if (device_) {
    bandwidths_[1] = device_->bandwidth();
    return;
  }
  std::set<std::pair<int, int>> measured;
  for (const Competitor &c : competitors_) {
    if (!measured.emplace(c.name.ranks, c.name.threads).second) continue;
    if (const auto team = world_.first(c.name.ranks)) {
      const Bandwidth b    = measure_bandwidth(clock_, *team, c.name.threads, machine_.cache_bytes);
      Bandwidth      &best = bandwidths_[c.name.cores()]; // ranks or threads, the memory is the same
      best                 = {std::max(best.read, b.read), std::max(best.copy, b.copy)};
    }
    world_.barrier_asleep();
  }
}

PreparedMatrix Session::prepare(const MatrixSource &source)
{
  PreparedMatrix matrix;
  std::string    statistics;
  on_first_rank(world_, [&] {
    const Size expected = source.predict();
    check_sizes({expected.rows, expected.cols, 0});
    check_memory(source.name, expected, predicted_memory(expected, competitors_.size()), available_memory());
    matrix.whole = source.make();
    statistics   = statistics_to_json(statistics_of(matrix.whole));
  });
  matrix.name = {source.name, source.origin, statistics_from_json(world_.broadcast(statistics))};
  for (const Competitor &c : competitors_) {
    if (matrix.teams.contains(c.name.ranks)) continue;
    Team &team = matrix.teams[c.name.ranks];
    team.ranks = world_.first(c.name.ranks);
    if (!team.ranks) continue;
    team.matrix = distribute(*team.ranks, matrix.whole, matrix.name.statistics.size);
    team.oracle = std::make_unique<Oracle>(team.matrix->local);
  }
  return matrix;
}

namespace {

/// A product whose result is wrong in one entry, for --corrupt.
class Corrupted final : public Product {
public:
  explicit Corrupted(std::unique_ptr<Product> inner) : inner_(std::move(inner)) { }
  void                        build() override { inner_->build(); }
  void                        set_x(std::span<const double> local) override { inner_->set_x(local); }
  void                        fill_y(double value) override { inner_->fill_y(value); }
  void                        multiply() override { inner_->multiply(); }
  void                        launch() override { inner_->launch(); }
  void                        refresh_and_multiply() override { inner_->refresh_and_multiply(); }
  void                        scale_values(double factor) override { inner_->scale_values(factor); }
  std::optional<ProductBytes> bytes() const override { return inner_->bytes(); }
  void                        read_y(std::span<double> local) const override
  {
    inner_->read_y(local);
    if (!local.empty()) local[local.size() / 2] += 1e-3;
  }

private:
  std::unique_ptr<Product> inner_;
};

} // namespace

std::unique_ptr<Product> Session::make_product(PreparedMatrix &matrix, const Competitor &c) const
{
  Team &team = matrix.teams.at(c.name.ranks);
  auto  product =
    c.peer->make({team.matrix->local, &matrix.name.statistics, team.ranks.get(), c.name.threads, c.options, options().wishes.place});
  if (c.name.name == options().corrupt) product = std::make_unique<Corrupted>(std::move(product));
  return product;
}

std::vector<Entrant> Session::entrants(PreparedMatrix &matrix)
{
  std::vector<Entrant> list;
  for (const Competitor &c : competitors_) {
    Team   &team = matrix.teams.at(c.name.ranks);
    Entrant e;
    e.name   = c.name;
    e.ranks  = team.ranks.get();
    e.matrix = team.matrix ? &team.matrix->local : nullptr;
    e.oracle = team.oracle.get();
    for (const auto &[key, value] : c.options)
      if (key == precision_option.key) e.loss = precision_errors[Choice<Precision>::value(value)];
    e.reason = c.peer->misfit(matrix.name.statistics, c.name.ranks);
    if (!e.reason.empty()) e.status = Status::skipped;
    else if (e.takes_part()) guarded(e, [&] { e.product = make_product(matrix, c); });
    world_.barrier_asleep();
    list.push_back(std::move(e));
  }
  return list;
}

bool Session::take_turns(int least, std::vector<Entrant> &entrants, const std::function<void(std::size_t)> &work)
{
  return bench::take_turns(clock_, world_, options().contest, least, entrants, &interrupted, work);
}

Record Session::blank(const MatrixName &matrix, const Competitor &c, Regime regime) const
{
  Record r;
  r.command    = invocation_.command;
  r.date       = clock_.date();
  r.matrix     = matrix;
  r.competitor = c.name;
  r.regime     = regime;
  r.machine    = machine_;
  r.versions   = versions_;
  if (device_) r.device = OnDevice{device_->info(), {}, 0, false, 0};
  if (const auto found = bandwidths_.find(c.name.cores()); found != bandwidths_.end()) r.bandwidth = found->second;
  return r;
}

void Session::fill(Record &record, const Entrant &e)
{
  record.status = e.status;
  record.reason = e.reason;
  record.error  = e.error;
  record.first  = e.first;
  if (e.product && e.runs()) record.reason = e.product->remark();
  const auto own  = e.product && e.runs() ? e.product->bytes() : std::nullopt;
  const auto read = world_.sum(own ? own->read : 0), extra = world_.sum(own ? own->extra : 0);
  if (world_.any(own.has_value())) record.bytes = ProductBytes{read, extra};
}

bool Session::done_before(const MatrixSource &source, Regime regime) const
{
  if (!file_) return false;
  std::vector<Record> planned;
  for (const Competitor &c : competitors_) planned.push_back(blank({source.name, source.origin, {}}, c, regime));
  return file_->holds(planned);
}

void Session::take(const std::vector<Record> &records, Progress &progress)
{
  if (world_.rank() != 0) return;
  records_.insert(records_.end(), records.begin(), records.end());
  if (file_) file_->append(records);
  progress.clear();
  std::cout << terminal_table(records) << std::flush;
}

int Session::run(const std::vector<Regime> &regimes, const Measure &measure)
{
  Progress progress(sources_.size(), world_.rank() == 0 && !options().quiet);
  for (const MatrixSource &source : sources_) {
    if (world_.any(interrupted())) break;
    std::vector<Regime> left;
    for (Regime regime : regimes)
      if (!world_.any(done_before(source, regime))) left.push_back(regime);
    progress.next(source.name + (left.empty() ? " was measured before" : ""));
    if (left.empty()) continue;
    try {
      PreparedMatrix matrix = prepare(source);
      measure(matrix, left, [&](const std::vector<Record> &records) { take(records, progress); });
    } catch (const InputError &e) {
      progress.clear();
      if (world_.rank() == 0) std::fprintf(stderr, "Error: %s\n", e.what());
      trouble_ = true;
    }
  }
  progress.clear();
  return finish();
}

std::vector<Record> Session::all_records() const
{
  std::vector<Record> all = file_ ? file_->earlier() : std::vector<Record>{};
  all.insert(all.end(), records_.begin(), records_.end());
  return latest(all);
}

int Session::finish()
{
  int code = trouble_ ? kBad : kGood;
  if (world_.rank() == 0) {
    const std::vector<Record> all = all_records();
    if (!options().csv.empty() && !(std::ofstream(options().csv) << to_csv(all))) {
      std::fprintf(stderr, "Error: '%s' cannot be written; give another place with --csv.\n", options().csv.c_str());
      code = kBad;
    }
    for (const Record &r : records_)
      if (r.status == Status::wrong || r.status == Status::failed) code = kBad;
    const bool reports = options().matrices.empty() && !interrupted(); // on all matrices, with its own legend
    std::cout << (reports ? markdown_report(all, invocation_.ties) : roof_legend(records_)) << std::flush;
    if (!options().baseline.empty()) {
      const BaselineResult result = compare_with_baseline(all, baseline_, options().tolerance);
      std::cout << result.text << std::flush;
      if (result.regressions > 0 || result.compared == 0) code = kBad;
    }
    if (interrupted()) {
      std::fprintf(stderr, "Interrupted. %s\n",
                   file_ ? "What was measured is in the file of --output; --resume goes on." : "What was measured so far is above.");
      code = kInterrupted;
    }
  }
  return int(world_.max(code));
}

} // namespace petscspmv::bench
