/// \file tune.cpp
/// The search for the fastest type and options, as the library does it, and how far it and the model are from the best.

#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "core/runtime.hpp"
#include "interface/type_list.hpp"
#include "matrix/nodes.hpp"
#include "report/text_table.hpp"
#include "select/tuner.hpp"

namespace petscspmv::bench {

namespace {

using Type  = FormatType<double, Index>;
using View  = CsrView<double, Index>;
using Tuner = select::Tuner<double, Index>;

/// How many times the best of all candidates the choices take, and the best itself if it takes part a second time, as
/// another competitor: the noise. How many times as long as before that takes once more.
struct Quality {
  double model, search, twin, again;
};

/// A type with options.
struct Entry {
  const Type  *type;
  OptionValues options;

  bool        operator==(const Entry &o) const { return type == o.type && select::written(options) == select::written(o.options); }
  std::string name() const { return std::string(type->name) + " " + select::text_of(options); }
};

/// Builds of one matrix, which are timed against plain CSR. All multiply the same vectors.
class Race {
public:
  Race(const View &view, const Execution &execution)
    : view_(view), execution_(execution),
      plain_(methods<double, Index>[0].build(view, OptionValues(methods<double, Index>[0].options), execution))
  {
    move_to(0);
    product_ = timed(*plain_, 1);
  }

  /// Seconds of a product as a multiple of plain CSR's in the same moments; infinity if it cannot be built.
  double against_plain(const Entry &entry)
  {
    constexpr int rounds = 7;
    Format        format;
    try {
      format = entry.type->build(view_, entry.options, execution_);
    } catch (const std::exception &) {
      return INFINITY;
    }
    constexpr double least   = 2e-4; // seconds of a timing
    const int        times   = std::max(1, int(least / product_));
    double           best[2] = {INFINITY, INFINITY};
    for (int round = 0; round < rounds; ++round)
      for (int which = 0; which < 2; ++which) best[which] = std::min(best[which], timed(which == 0 ? *plain_ : *format, times));
    return best[1] / best[0];
  }

  /// Small arrays lie where there is room, each time in the same place if nothing else is there. From now on they, and
  /// vectors, lie elsewhere.
  void move_to(std::size_t place)
  {
    constexpr std::size_t places = 61, line = 64, step = 17;
    const std::size_t     bytes = line * (1 + place * step % places);
    before_                     = std::vector<char>(bytes);
    x_.assign(static_cast<std::size_t>(view_.cols) + bytes / sizeof(double), 1);
    y_.assign(static_cast<std::size_t>(view_.rows) + bytes / sizeof(double), 0);
    x_.shrink_to_fit();
    y_.shrink_to_fit();
    first_ = bytes / sizeof(double);
  }

private:
  using Format = FormatPtr<double, Index>;

  void multiply(petscspmv::Format<double, Index> &format)
  {
    format.multiply(Operation::none, 1, x_.data() + first_, 0, y_.data() + first_);
  }
  /// Seconds of so many products, after one that brings all to the caches.
  double timed(petscspmv::Format<double, Index> &format, int times)
  {
    multiply(format);
    const double begin = select::steady_clock();
    for (int k = 0; k < times; ++k) multiply(format);
    return select::steady_clock() - begin;
  }

  const View         &view_;
  const Execution    &execution_;
  Format              plain_;
  std::vector<char>   before_;
  std::vector<double> x_, y_;
  std::size_t         first_   = 0;
  double              product_ = 0;
};

class TuneCommand {
public:
  explicit TuneCommand(const Invocation &i) : invocation_(i), options_(i.tune)
  {
    const auto &threads = i.run.wishes.threads;
    execution_.threads  = threads.empty() ? 1 : threads.front();
    runtime::start(execution_.threads);
  }

  int run()
  {
    for (const MatrixSource &source : sources_of(invocation_, true)) tune(source);
    if (!qualities_.empty()) summary();
    return kGood;
  }

private:
  void tune(const MatrixSource &source)
  {
    const CsrMatrix a     = source.make();
    const auto      nodes = find_nodes(a);
    View            view{a.rows, a.cols, a.row_ptr.data(), a.col.data(), a.val.data()};
    if (!nodes.empty()) {
      view.nodes    = Index(nodes.size() - 1);
      view.node_ptr = nodes.data();
    }
    Tuner                tuner({view}, methods<double, Index>, execution_);
    const select::Result r = tuner.run({options_.products, options_.seconds});
    print(source.name, tuner, r);
    if (options_.exhaustive) compare(view, tuner, r.chosen);
  }

  static void print(const std::string &matrix, const Tuner &tuner, const select::Result &r)
  {
    TextTable table({"<candidate", "predicted", "product", "build", "<"});
    for (const select::Trial &t : r.trials)
      table.add_row({tuner.name(t.candidate), duration(tuner.prospect(t.candidate).predicted), duration(t.product), duration(t.build),
                     t.failure.empty() ? (t.candidate == r.chosen ? "chosen" : "") : t.failure});
    if (r.slot < 0) table.add_row({tuner.name(r.chosen), duration(tuner.prospect(r.chosen).predicted), "", "", "chosen by the model"});
    std::cout << matrix << ": " << tuner.name(r.chosen) << ", " << duration(r.seconds) << ", " << r.end << "\n"
              << table.terminal() << "\n"
              << std::flush;
  }

  /// Times all candidates and then, nine times each, the fastest of them and the choices, of which the median counts,
  /// and takes the fastest for the best. It was lucky, too: how many times it the choices take is found in 25 more
  /// builds of each. After nine, the best itself, as another competitor, took more than 1.05 times that on four of 35
  /// matrices (AMD Zen 3, a machine that others use), after 25 on none.
  void compare(const View &view, const Tuner &searched, std::size_t chosen)
  {
    constexpr std::size_t                       finalists = 4;
    constexpr int                               builds = 9, last_builds = 25;
    Tuner                                       tuner({view}, methods<double, Index>, execution_);
    const select::Result                        model = tuner.run({0, 0});
    const auto                                  entry = [](const Tuner &t, std::size_t c) { return Entry{&t.type(c), t.options(c)}; };
    Race                                        race(view, execution_);
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t c = 0; c < tuner.candidates(); ++c) all.emplace_back(race.against_plain(entry(tuner, c)), c);
    std::sort(all.begin(), all.end());
    std::vector<Entry> last; // each once, and the fastest a second time
    const auto         add = [&last](const Entry &e) {
      const auto found = std::find(last.begin(), last.end(), e);
      if (found != last.end()) return static_cast<std::size_t>(found - last.begin());
      last.push_back(e);
      return last.size() - 1;
    };
    const std::size_t by_model = add(entry(tuner, model.chosen)), by_search = add(entry(searched, chosen));
    for (std::size_t f = 0; f < finalists; ++f) add(entry(tuner, all[f].second));
    const auto               medians = final_medians(race, last, builds);
    const std::size_t        best    = static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
    std::vector<std::size_t> once{best}; // the best and the choices, each once
    for (const std::size_t e : {by_model, by_search})
      if (std::find(once.begin(), once.end(), e) == once.end()) once.push_back(e);
    std::vector<Entry> entries;
    entries.reserve(once.size());
    for (const std::size_t e : once) entries.push_back(last[e]);
    entries.push_back(last[best]);
    const auto again = final_medians(race, entries, last_builds);
    const auto times = [&](std::size_t e) { return again[std::size_t(std::find(once.begin(), once.end(), e) - once.begin())] / again[0]; };
    qualities_.push_back({times(by_model), times(by_search), again.back() / again[0], again[0] / medians[best]});
    std::cout << "best of " << tuner.candidates() << ": " << last[best].name() << ", " << fixed(medians[best], 2)
              << " of plain CSR, once more " << fixed(qualities_.back().again, 2) << " times that; the model's choice, "
              << last[by_model].name() << ", takes " << fixed(qualities_.back().model, 2) << " times that, the search's "
              << fixed(qualities_.back().search, 2) << ", and the best itself, as another competitor, " << fixed(qualities_.back().twin, 2)
              << "\n\n"
              << std::flush;
  }

  /// The median of so many builds of each, in turns and in different places of memory.
  static std::vector<double> final_medians(Race &race, const std::vector<Entry> &entries, int builds)
  {
    std::vector<std::vector<double>> times(entries.size());
    for (int build = 0; build < builds; ++build) {
      race.move_to(static_cast<std::size_t>(build));
      for (std::size_t e = 0; e < entries.size(); ++e) times[e].push_back(race.against_plain(entries[e]));
    }
    std::vector<double> medians;
    for (auto &t : times) {
      std::sort(t.begin(), t.end());
      medians.push_back(t[t.size() / 2]);
    }
    return medians;
  }

  void summary() const
  {
    const auto within = [this](double Quality::*which, double limit) {
      const auto n = std::count_if(qualities_.begin(), qualities_.end(), [&](const Quality &q) { return q.*which <= 1 + limit; });
      return fixed(100 * double(n) / double(qualities_.size()), 0) + " %";
    };
    std::cout << "Of " << qualities_.size() << " matrices, the search's choice is within 5 % of the best on "
              << within(&Quality::search, 0.05) << ", within 15 % on " << within(&Quality::search, 0.15)
              << "; the model's alone within 5 % on " << within(&Quality::model, 0.05) << ", within 15 % on "
              << within(&Quality::model, 0.15) << "; the best one itself, as another competitor, within 5 % on "
              << within(&Quality::twin, 0.05) << ", and timed once more, is within 5 % of what it took on " << within(&Quality::again, 0.05)
              << ".\n";
  }

  const Invocation    &invocation_;
  TuneOptions          options_;
  Execution            execution_;
  std::vector<Quality> qualities_;
};

} // namespace

int run_tune(const Invocation &invocation)
{
  return TuneCommand(invocation).run();
}

} // namespace petscspmv::bench
