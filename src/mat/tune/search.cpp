#include "tune/search.hpp"

#include <algorithm>
#include <numeric>

#include "tune/search_tuning.hpp"

namespace petscspmv::tune {

namespace {

class Search {
public:
  Search(const std::vector<Prospect> &prospects, const Budget &budget, Workbench &bench, const std::function<void(std::size_t)> &improve)
    : prospects_(prospects), budget_(budget), bench_(bench), improve_(improve), begin_(bench.now())
  {
  }

  Result run()
  {
    const std::vector<std::size_t> order = by_prediction();
    result_.chosen                       = order.front();
    result_.end                          = "the model alone";
    if (budget_.products > 0 && budget_.seconds > 0) {
      result_.end = "all were tried";
      result_.trials.reserve(prospects_.size()); // best_ stays where it is
      try_out(0);
      for (const std::size_t candidate : order)
        if (candidate != 0 && !try_out(candidate)) break;
      if (best_) {
        result_.chosen = best_->candidate;
        result_.slot   = best_slot_;
      }
    }
    result_.seconds = elapsed();
    return std::move(result_);
  }

private:
  double elapsed() { return bench_.now() - begin_; }

  /// Promising ones only, best first; of equals, those that come first.
  std::vector<std::size_t> by_prediction() const
  {
    std::vector<std::size_t> order(prospects_.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto predicted = [this](std::size_t c) { return prospects_[c].predicted; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return predicted(a) < predicted(b); });
    const double least = predicted(order.front());
    std::erase_if(order, [&](std::size_t c) { return predicted(c) > tuning::hopeless * least; });
    return order;
  }

  /// Seconds that are left.
  double left()
  {
    const double product = plain_ > 0 ? plain_ : prospects_[0].predicted;
    return std::min(budget_.products * product, budget_.seconds) - elapsed();
  }

  /// False if the budget has no room for it.
  bool try_out(std::size_t candidate)
  {
    const double product = best_ ? best_->product : prospects_[candidate].predicted;
    if (best_ && prospects_[candidate].build + 2 * tuning::quick_rounds * product > left()) {
      result_.end = "the budget ended";
      return false;
    }
    const int    slot  = best_ ? 1 - best_slot_ : 0;
    const double begin = bench_.now();
    Trial       &trial = result_.trials.emplace_back(Trial{candidate, 0, 0, bench_.build(slot, candidate)});
    trial.build        = bench_.now() - begin;
    if (!trial.failure.empty()) return true;
    compare(trial, slot);
    if (candidate == 0) plain_ = trial.product;
    if (best_ && trial.product > (1 - tuning::least_gain) * best_->product) bench_.drop(slot);
    else {
      if (best_) bench_.drop(best_slot_);
      best_      = &trial;
      best_slot_ = slot;
      if (improve_) improve_(candidate);
    }
    return true;
  }

  /// In turns with the best so far, so that a slow moment of the machine hits both.
  void compare(Trial &trial, int slot)
  {
    bench_.multiply(slot); // brings its arrays and code into the caches
    for (int round = 0; round < tuning::rounds; ++round) {
      if (best_) best_->product = std::min(best_->product, timed(best_slot_));
      const double product = timed(slot);
      trial.product        = round == 0 ? product : std::min(trial.product, product);
      if (round + 1 < tuning::quick_rounds) continue;
      if (best_ && (trial.product > tuning::behind * best_->product || left() <= 0)) break;
    }
  }

  /// Seconds of a product. Short ones are done several times, for the clock's sake.
  double timed(int slot)
  {
    for (int times = 1;; times *= 4) {
      const double begin = bench_.now();
      for (int k = 0; k < times; ++k) bench_.multiply(slot);
      const double seconds = bench_.now() - begin;
      if (seconds >= tuning::least_seconds || times >= tuning::most_times) return seconds / times;
    }
  }

  const std::vector<Prospect>            &prospects_;
  const Budget                           &budget_;
  Workbench                              &bench_;
  const std::function<void(std::size_t)> &improve_;
  double                                  begin_, plain_ = 0;
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

} // namespace petscspmv::tune
