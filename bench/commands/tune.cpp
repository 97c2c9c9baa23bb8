/// \file tune.cpp
/// The search for the fastest type and options, as the library does it, and how far it and the model are from the best.

#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "core/runtime.hpp"
#include "interface/type_list.hpp"
#include "matrix/nodes.hpp"
#include "matrix/source.hpp"
#include "report/text_table.hpp"
#include "tune/tuner.hpp"

namespace petscspmv::bench {

namespace {

using Type  = FormatType<double, Index>;
using View  = CsrView<double, Index>;
using Tuner = tune::Tuner<double, Index>;

const std::vector<Type> &all_types()
{
  static const std::vector<Type> types = [] {
    std::vector<Type> list;
    for_each_in<Methods<double, Index>>([&list]<class F>() { list.push_back(format_type<F>()); });
    return list;
  }();
  return types;
}

/// How many times the best of all candidates the choices take.
struct Quality {
  double model, search;
};

/// Seconds of a product of the candidate as a multiple of plain CSR's in the same moments; infinity if it cannot be built.
double against_plain(Tuner &tuner, std::size_t candidate)
{
  constexpr int    rounds = 7;
  constexpr double least  = 2e-4; // seconds of a timing
  if (!tuner.build(1, candidate).empty()) return INFINITY;
  double    best[2] = {INFINITY, INFINITY};
  const int times   = std::max(1, int(least / std::max(tuner.prospect(candidate).predicted, 1e-8)));
  for (int round = 0; round < rounds; ++round)
    for (int slot = 0; slot < 2; ++slot) {
      tuner.multiply(slot);
      const double begin = tuner.now();
      for (int k = 0; k < times; ++k) tuner.multiply(slot);
      best[slot] = std::min(best[slot], tuner.now() - begin);
    }
  tuner.drop(1);
  return best[1] / best[0];
}

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
    const auto &names = invocation_.run.matrices;
    for (const MatrixSource &source : find_sources(names.empty() ? default_matrices("tune") : names)) tune(source);
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
    Tuner              tuner({view}, all_types(), execution_);
    const tune::Result r = tuner.run({options_.products, options_.seconds});
    print(source.name, tuner, r);
    if (options_.exhaustive) compare(view, tuner, r.chosen);
  }

  static void print(const std::string &matrix, const Tuner &tuner, const tune::Result &r)
  {
    TextTable table({"<candidate", "predicted", "product", "build", "<"});
    for (const tune::Trial &t : r.trials)
      table.add_row({tuner.name(t.candidate), duration(tuner.prospect(t.candidate).predicted), duration(t.product), duration(t.build),
                     t.failure.empty() ? (t.candidate == r.chosen ? "chosen" : "") : t.failure});
    std::cout << matrix << ": " << tuner.name(r.chosen) << ", " << duration(r.seconds) << ", " << r.end << "\n"
              << table.terminal() << "\n"
              << std::flush;
  }

  /// Times all candidates and then, five times each, the fastest of them and the choices, of which the median counts: what wins once among many
  /// was lucky, too.
  void compare(const View &view, Tuner &searched, std::size_t chosen)
  {
    constexpr std::size_t finalists = 4;
    Tuner                 tuner({view}, all_types(), execution_);
    const tune::Result    model = tuner.run({0, 0});
    tuner.build(0, 0);
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t c = 0; c < tuner.candidates(); ++c) all.emplace_back(against_plain(tuner, c), c);
    std::sort(all.begin(), all.end());
    searched.drop(0);
    searched.drop(1);
    searched.build(0, 0);
    struct Finalist {
      Tuner              &tuner;
      std::size_t         candidate;
      std::vector<double> times;
      double              median() const { return times[times.size() / 2]; }
    };
    std::vector<Finalist> last{{tuner, model.chosen, {}}, {searched, chosen, {}}};
    for (std::size_t f = 0; f < finalists; ++f) last.push_back({tuner, all[f].second, {}});
    // Small arrays lie where there is room, each time in the same place if nothing else is there: so that all get different ones, in turns.
    constexpr std::size_t places = 61, line = 64;
    std::size_t           place = 0;
    for (int build = 0; build < 5; ++build)
      for (Finalist &f : last) {
        const std::vector<char> before(line * (1 + (place += 17) % places));
        f.times.push_back(against_plain(f.tuner, f.candidate));
      }
    for (Finalist &f : last) std::sort(f.times.begin(), f.times.end());
    const auto least =
      std::min_element(last.begin(), last.end(), [](const Finalist &a, const Finalist &b) { return a.median() < b.median(); });
    const double      by_model = last[0].median(), by_search = last[1].median(), best = least->median();
    const std::string fastest = least->tuner.name(least->candidate);
    qualities_.push_back({by_model / best, by_search / best});
    std::cout << "best of " << tuner.candidates() << ": " << fastest << ", " << fixed(best, 2) << " of plain CSR; the model's choice, "
              << tuner.name(model.chosen) << ", takes " << fixed(by_model / best, 2) << " times that, the search's "
              << fixed(by_search / best, 2) << "\n\n"
              << std::flush;
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
              << within(&Quality::model, 0.15) << ".\n";
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
