/// \file auto.cpp
/// What aijauto costs and gains: over few products against aij, in the long run against the best type.

#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/session.hpp"
#include "measure/machine.hpp"
#include "measure/streams.hpp"
#include "report/text_table.hpp"

namespace petscspmv::bench {

namespace {

/// 1, 3, 10, 30, ... most
std::vector<int> steps(int most)
{
  std::vector<int> list;
  for (int n = 1; n < most; n = list.size() % 2 ? n * 3 : list.back() / 3 * 10) list.push_back(n);
  list.push_back(most);
  return list;
}

/// Seconds of an entrant from the assembled AIJ matrix on.
struct Course {
  Entrant            *entrant = nullptr;
  double              start   = 0; ///< to convert the matrix; none where it has its type before it is assembled, as with -mat_type
  double              now     = 0;
  std::vector<double> at      = {}; ///< after each step
  int                 done    = 0;  ///< products
};

class AutoCommand {
public:
  AutoCommand(MpiRanks &world, Clock &clock, const Invocation &i)
    : clock_(clock), world_(world), invocation_(with_peers(i)), session_(world, clock, invocation_)
  {
  }

  int run()
  {
    const int code = session_.run({Regime::warm}, [&](PreparedMatrix &matrix, const std::vector<Regime> &, const Session::Take &) {
      std::vector<Entrant> entrants = session_.entrants(matrix);
      Course               plain{find(entrants, "aij")}, automatic{find(entrants, "aijauto")};
      if (!plain.entrant || !automatic.entrant) throw InputError("auto needs the peer aij and the type aijauto.");
      race(plain, automatic);
      long_run(matrix.name.name, entrants, plain, automatic);
    });
    if (world_.rank() == 0 && matrices_ > 0) summary();
    return code;
  }

private:
  /// Of all peers only aij is needed.
  static Invocation with_peers(Invocation i)
  {
    if (i.run.wishes.peers.empty()) i.run.wishes.peers = {"aij"};
    return i;
  }

  static Entrant *find(std::vector<Entrant> &entrants, const std::string &name)
  {
    const auto found = std::find_if(entrants.begin(), entrants.end(), [&](const Entrant &e) { return e.name.name == name && e.runs(); });
    return found == entrants.end() ? nullptr : &*found;
  }

  /// To change values takes each as long, and is not timed; what a format does with them is.
  void multiply(Course &c, int products)
  {
    const int each = invocation_.automatic.values;
    if (!c.entrant->takes_part()) return;
    for (int left = products, some; left > 0; left -= some, c.done += some) {
      if (each > 0 && c.done > 0 && c.done % each == 0) c.entrant->product->scale_values(c.done / each % 2 ? 2 : 0.5);
      some = each > 0 ? std::min(left, each - c.done % each) : left;
      c.now += timed(clock_, *c.entrant->ranks, [&] {
        for (int k = 0; k < some; ++k) c.entrant->product->multiply();
      });
    }
  }

  /// Both in turns, a few milliseconds each. Before that the caches are emptied, where the matrix that was assembled
  /// last would find some of it.
  void race(Course &plain, Course &automatic)
  {
    int          done  = 0;
    const double begin = clock_.now();
    for (Course *c : {&plain, &automatic})
      if (c->entrant->takes_part()) {
        c->entrant->product->set_x(std::vector<double>(std::size_t(c->entrant->matrix->local_cols), 1.0));
        c->entrant->product->fill_y(0);
        c->now = c->start = timed(clock_, *c->entrant->ranks, [&] { c->entrant->product->build(); });
      }
    flush_.run(world_.size(), 1);
    for (const int step : steps(invocation_.automatic.most)) {
      while (done < step) {
        const int turn = std::min(step - done, std::max(1, done / 20));
        multiply(plain, turn);
        multiply(automatic, turn);
        done += turn;
      }
      plain.at.push_back(plain.now);
      automatic.at.push_back(automatic.now);
      if (world_.any(clock_.now() - begin > invocation_.automatic.seconds)) break;
    }
  }

  /// The other types are built only now, so that they take nothing from the race.
  void long_run(const std::string &matrix, std::vector<Entrant> &entrants, const Course &plain, const Course &automatic)
  {
    std::vector<double> least(entrants.size(), INFINITY);
    for (Entrant &e : entrants)
      if (e.runs() && e.takes_part() && &e != plain.entrant && &e != automatic.entrant) guarded(e, [&] { build_and_multiply(clock_, e); });
    ContestSettings settings = session_.options().contest;
    take_turns(clock_, world_, settings, settings.least_samples, entrants, &Session::interrupted, [&](std::size_t k) {
      Course c{&entrants[k]};
      multiply(c, 20);
      least[k] = std::min(least[k], c.now / 20);
    });
    if (world_.rank() == 0) print(matrix, entrants, least, plain, automatic);
  }

  void print(const std::string &matrix, const std::vector<Entrant> &entrants, const std::vector<double> &least, const Course &plain,
             const Course &automatic)
  {
    TextTable  table({"products", "aij", "aijauto", "ratio", "-mat_type"});
    const auto all = steps(invocation_.automatic.most);
    for (std::size_t k = 0; k < plain.at.size(); ++k) {
      const double converted = automatic.at[k] / plain.at[k], typed = (automatic.at[k] - automatic.start) / plain.at[k];
      table.add_row({std::to_string(all[k]), duration(plain.at[k]), duration(automatic.at[k]), fixed(converted, 2), fixed(typed, 2)});
      if (ratios_.size() <= k) ratios_.resize(k + 1);
      ratios_[k].push_back({converted, typed});
    }
    const auto   best = std::min_element(least.begin(), least.end());
    const double mine = least[std::size_t(automatic.entrant - entrants.data())], end = mine / *best;
    std::cout << matrix << "\n"
              << table.terminal() << "in the end " << duration(mine) << " a product, " << fixed(end, 2) << " times "
              << entrants[std::size_t(best - least.begin())].name.name << "\n\n"
              << std::flush;
    ++matrices_;
    within_ += end <= 1.15;
    if (end > worst_end_) {
      worst_end_        = end;
      worst_end_matrix_ = matrix;
    }
  }

  /// Over all matrices that got so far.
  void summary() const
  {
    TextTable  table({"products", "matrices", "mean", "worst", "best", "-mat_type: mean", "worst", "best"});
    const auto all = steps(invocation_.automatic.most);
    for (std::size_t k = 0; k < ratios_.size(); ++k) {
      std::vector<std::string> row{std::to_string(all[k]), std::to_string(ratios_[k].size())};
      for (const auto which : {&Ratio::converted, &Ratio::typed}) {
        double logs = 0, worst = 0, best = INFINITY;
        for (const Ratio &r : ratios_[k]) {
          logs += std::log(r.*which);
          worst = std::max(worst, r.*which);
          best  = std::min(best, r.*which);
        }
        for (const double number : {std::exp(logs / double(ratios_[k].size())), worst, best}) row.push_back(fixed(number, 2));
      }
      table.add_row(row);
    }
    std::cout
      << "Time of aijauto over that of aij: from the assembled AIJ matrix on, which is converted, and of a matrix that has its type before "
         "it is assembled, as with -mat_type; means are geometric.\n"
      << table.markdown() << "Of " << matrices_ << " matrices, a product took in the end at most " << fixed(worst_end_, 2)
      << " times that of the best type (" << worst_end_matrix_ << "), and at most 1.15 times on " << within_ << ".\n";
  }

  /// Time of aijauto over that of aij: with the conversion, and without.
  struct Ratio {
    double converted, typed;
  };

  Clock           &clock_;
  MpiRanks        &world_;
  const Invocation invocation_;
  Session          session_;
  CacheFlush       flush_{2 * this_machine().cache_bytes};
  int              matrices_ = 0, within_ = 0;
  double           worst_end_ = 0;
  std::string      worst_end_matrix_;

  std::vector<std::vector<Ratio>> ratios_; ///< [steps][matrices]
};

} // namespace

int run_auto(MpiRanks &world, Clock &clock, const Invocation &invocation)
{
  return AutoCommand(world, clock, invocation).run();
}

} // namespace petscspmv::bench
