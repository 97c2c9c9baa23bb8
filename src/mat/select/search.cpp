#include "select/search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "select/duel.hpp"
#include "select/search_tuning.hpp"

namespace petscspmv::select {

namespace {

class Search {
public:
  Search(const std::vector<Prospect> &prospects, const Budget &budget, Workbench &bench, const std::function<void(std::size_t)> &improve)
    : prospects_(prospects), budget_(budget), bench_(bench), improve_(improve), turns_(bench), begin_(bench.now()),
      tried_(prospects.size(), 0), off_(prospects.size(), 1), builds_(prospects.size(), 0)
  {
  }

  Result run()
  {
    const auto less = [](const Prospect &a, const Prospect &b) { return a.predicted < b.predicted; };
    result_.chosen  = static_cast<std::size_t>(std::min_element(prospects_.begin(), prospects_.end(), less) - prospects_.begin());
    result_.end     = "the model alone";
    if (budget_.products > 0 && budget_.seconds > budget_.spent) {
      result_.end = "all were tried";
      result_.trials.reserve(prospects_.size()); // best_ stays where it is
      for (std::optional<std::size_t> candidate = 0; candidate && try_out(*candidate);) candidate = next();
      if (best_ && !is_trusted(result_.chosen)) {
        result_.chosen = best_->candidate;
        result_.slot   = best_slot_;
      } else if (best_) bench_.drop(best_slot_);
    }
    result_.seconds = elapsed();
    return std::move(result_);
  }

private:
  double elapsed() { return budget_.spent + bench_.now() - begin_; }

  /// Seconds of a product that a candidate is expected to take: corrected by what has been tried of which it is a
  /// variation, or else by the first or the best so far, whichever speaks for it: how far predictions are off depends
  /// on the matrix, too, and types are few.
  double expected(std::size_t candidate) const
  {
    const Prospect &p = prospects_[candidate];
    if (p.varies >= 0) return p.predicted * off_[static_cast<std::size_t>(p.varies)];
    return p.predicted * (best_ ? std::min(off_[0], off_[best_->candidate]) : off_[0]);
  }

  bool is_promising(std::size_t candidate) const
  {
    if (best_) return expected(candidate) <= (prospects_[candidate].varies >= 0 ? tuning::behind : tuning::hopeless) * best_->product;
    return prospects_[candidate].predicted <= tuning::hopeless * prospects_[result_.chosen].predicted;
  }

  /// True if the budget had no room for the model's choice, and it is predicted to be faster than the best that was
  /// tried: then the model decides, as it does where there is no budget at all.
  bool is_trusted(std::size_t choice) const
  {
    if (tried_[choice]) return false;
    const double off = plain_ > 0 ? plain_ / prospects_[0].predicted : 1; // here and now
    return off * prospects_[choice].predicted < (1 - tuning::least_gain) * best_->product;
  }

  /// By how much it has to be better than the best that was tried before.
  double least_gain(std::size_t candidate) const
  {
    if (candidate == result_.chosen) return -tuning::trust;
    if (best_->candidate == result_.chosen) return tuning::distrust;
    return prospects_[candidate].varies >= 0 ? tuning::least_gain_of_variations : tuning::least_gain;
  }

  /// The most promising one; of equals, that which comes first. Variations come after what they are variations of and
  /// its likes: types differ by more, and are predicted less well, than options of one.
  std::optional<std::size_t> next() const
  {
    const auto before = [this](std::size_t a, std::size_t b) {
      const bool varies_a = prospects_[a].varies >= 0, varies_b = prospects_[b].varies >= 0;
      return varies_a != varies_b ? varies_b : expected(a) < expected(b);
    };
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < prospects_.size(); ++c)
      if (!tried_[c] && is_promising(c) && (!best || before(c, *best))) best = c;
    return best;
  }

  /// Seconds that are left.
  double left()
  {
    const double product = plain_ > 0 ? plain_ : prospects_[0].predicted;
    return std::min(budget_.products * product, budget_.seconds) - elapsed();
  }

  /// What building is expected to take: that of a variation no less than what that of which it is one has taken.
  double build_seconds(std::size_t candidate) const
  {
    const Prospect &p = prospects_[candidate];
    return p.varies >= 0 ? std::max(p.build, builds_[static_cast<std::size_t>(p.varies)]) : p.build;
  }

  /// False if the budget has no room for it.
  bool try_out(std::size_t candidate)
  {
    if (best_ && build_seconds(candidate) + tuning::least_products * std::max(best_->product, expected(candidate)) > left()) {
      result_.end = "the budget ended";
      return false;
    }
    const int    slot  = best_ ? 1 - best_slot_ : 0;
    const double begin = bench_.now();
    tried_[candidate]  = true;
    Trial &trial       = result_.trials.emplace_back(Trial{candidate, 0, 0, bench_.build(slot, candidate)});
    trial.build        = bench_.now() - begin;
    builds_[candidate] = trial.build;
    if (!trial.failure.empty()) return true;
    turns_.settle(slot);
    compare(trial, slot);
    off_[candidate] = trial.product / prospects_[candidate].predicted;
    if (candidate == 0) {
      plain_ = trial.product;
      std::fill(off_.begin(), off_.end(), off_[0]); // until they are tried
    }
    if (best_ && trial.product > (1 - least_gain(candidate)) * best_->product) bench_.drop(slot);
    else {
      if (best_) bench_.drop(best_slot_);
      best_      = &trial;
      best_slot_ = slot;
      if (improve_) improve_(candidate);
    }
    return true;
  }

  /// In turns with the best so far, new and best, best and new, until it is clear whether it is better by what it takes
  /// to replace that. The first one has nothing to be compared with.
  void compare(Trial &trial, int slot)
  {
    if (!best_) {
      trial.product = turns_.turn(slot);
      return;
    }
    const double limit = 1 - least_gain(trial.candidate);
    Ratios       ratios;
    double       pair = 0; // seconds
    for (bool first = true; !is_decided(trial.candidate, ratios, limit, pair); first = !first) {
      const double begin = bench_.now();
      const double one = turns_.turn(first ? slot : best_slot_), other = turns_.turn(first ? best_slot_ : slot);
      ratios.add(first ? one / other : other / one);
      pair = bench_.now() - begin;
    }
    trial.product = best_->product * ratios.median();
  }

  /// True if no more pairs are worth their time, which is that of the last one. What speaks against the model takes
  /// more of them.
  bool is_decided(std::size_t candidate, const Ratios &ratios, double limit, double pair)
  {
    if (ratios.pairs() < tuning::least_pairs) return false;
    if (ratios.pairs() >= tuning::most_pairs || left() < pair) return true;
    const bool wins    = ratios.median() <= limit;
    const bool against = candidate == result_.chosen ? !wins : wins && best_->candidate == result_.chosen;
    if (against && ratios.pairs() < tuning::least_pairs_against) return false;
    return ratios.median() > tuning::behind || ratios.is_clear(limit);
  }

  const std::vector<Prospect>            &prospects_;
  const Budget                           &budget_;
  Workbench                              &bench_;
  const std::function<void(std::size_t)> &improve_;
  Turns                                   turns_;
  double                                  begin_, plain_ = 0;
  std::vector<char>                       tried_;
  std::vector<double>                     off_;    ///< [prospects] how many times its prediction a product has taken
  std::vector<double>                     builds_; ///< [prospects] seconds that building has taken; 0: not tried
  Trial                                  *best_      = nullptr;
  int                                     best_slot_ = 0;
  Result                                  result_;
};

} // namespace

Result search(const std::vector<Prospect> &prospects, const Budget &budget, Workbench &bench,
              const std::function<void(std::size_t)> &improve)
{
  return Search(prospects, budget, bench, improve).run();
}

} // namespace petscspmv::select
