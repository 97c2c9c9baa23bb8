#include "select/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "select/candidates.hpp"

namespace petscspmv::select {

namespace {

// By less than this a candidate is not better: it is what two timings of the same differ by, and there are many
// candidates to be lucky.
constexpr double least_gain = 0.04;
// A candidate that takes so many times the best is dropped after one pair of turns.
constexpr double behind = 1.25;
// Products of a turn, and those before it that do not count, as the other candidate's are in the caches. Without them
// bccoo seemed slower by 10 to 60 %.
constexpr int warming = 3, timed_products = 3;
// Pairs of turns. With two pairs 5 searches in a hundred ended at more than 1.15 times the best, with four 1.
constexpr std::size_t least_pairs = 3, most_pairs = 13;
// Products after a build do not count until so many were not faster by a share than the fastest before, as a processor
// learns where rows end. A linear program, us of the first products: 361, 224, 160, 149.
constexpr int    settling = 4, most_settling = 40;
constexpr double settles = 0.02;
// A ratio is clear if the median is further from the limit than so many standard errors, of ratios that differ by no
// less than the least spread.
constexpr double doubt = 2, least_spread = 0.02;
// A timing takes at least so long: a hundred times what the clock can tell apart.
constexpr double least_seconds = 5e-6;
constexpr int    most_times    = 256;

/// What pairs of turns have shown, one right after the other, so that a slow moment of the machine hits both or spoils
/// one of several.
class Ratios {
public:
  void        add(double ratio) { ratios_.insert(std::upper_bound(ratios_.begin(), ratios_.end(), ratio), ratio); }
  std::size_t pairs() const { return ratios_.size(); }
  double      median() const { return (ratios_[(pairs() - 1) / 2] + ratios_[pairs() / 2]) / 2; }

  /// Whether no more pairs are needed to tell on which side of `limit` the true ratio is.
  bool are_clear(double limit) const
  {
    const double middle = median();
    double       spread = 0;
    if (middle > behind) return true;
    for (const double r : ratios_) spread += std::abs(r - middle) / double(pairs());
    return pairs() >= least_pairs && std::abs(middle - limit) * std::sqrt(double(pairs())) > doubt * (spread + least_spread * limit);
  }

private:
  std::vector<double> ratios_; ///< sorted
};

class Search {
public:
  Search(const OptionValues &start, double products, Workbench &bench) : products_(products), bench_(bench), begin_(bench.now())
  {
    result_.chosen = start;
  }

  Result run()
  {
    if (build(0, result_.chosen)) {
      result_.slot     = 0;
      result_.at_first = result_.product = turn(0);
      for (const Variation &v : variations(result_.chosen))
        if (!(result_.all = try_out(v))) break;
    }
    result_.seconds = bench_.now() - begin_;
    return std::move(result_);
  }

private:
  double left() { return products_ * result_.at_first - (bench_.now() - begin_); }

  bool build(int slot, const OptionValues &options)
  {
    const double begin = bench_.now();
    ++result_.trials;
    const bool done = bench_.build(slot, options).empty();
    longest_        = std::max(longest_, bench_.now() - begin);
    if (done) settle(slot);
    return done;
  }

  /// False if the budget has no room for it.
  bool try_out(const Variation &variation)
  {
    constexpr int products = settling + warming + int(least_pairs) * (2 * timed_products + warming);
    OptionValues  options  = result_.chosen;
    const int     slot     = 1 - result_.slot;
    if (longest_ + products * result_.product > left()) return false;
    options.set(variation.key, variation.value);
    if (!build(slot, options)) return true;
    const double ratio = compare(slot);
    if (ratio > 1 - least_gain) bench_.drop(slot);
    else {
      bench_.drop(result_.slot);
      result_.slot    = slot;
      result_.chosen  = options;
      result_.product = ratio * result_.product;
    }
    return true;
  }

  /// How many times the best so far it takes: in turns, new and best, best and new.
  double compare(int slot)
  {
    Ratios ratios;
    double pair = 0; // seconds
    for (bool first = true; ratios.pairs() == 0 || !ratios.are_clear(1 - least_gain); first = !first) {
      if (ratios.pairs() >= most_pairs || (ratios.pairs() >= least_pairs && left() < pair)) break;
      const double begin = bench_.now();
      const double one = turn(first ? slot : result_.slot), other = turn(first ? result_.slot : slot);
      ratios.add(first ? one / other : other / one);
      pair = bench_.now() - begin;
    }
    return ratios.median();
  }

  /// The first products after a build, which do not count.
  void settle(int slot)
  {
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0, since = 0; k < most_settling && since < settling; ++k, ++since) {
      const double product = timed(slot);
      if (product < (1 - settles) * best) since = -1;
      best = std::min(best, product);
    }
    last_ = slot;
  }

  /// Seconds of a product that follows others of the same: the median of a few.
  double turn(int slot)
  {
    if (slot != last_)
      for (int k = 0; k < warming; ++k) bench_.multiply(slot);
    last_ = slot;
    std::array<double, timed_products> times;
    for (double &t : times) t = timed(slot);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

  /// Seconds of a product. Short ones are done several times, for the clock's sake.
  double timed(int slot)
  {
    const double begin = bench_.now();
    bench_.multiply(slot);
    const double one = bench_.now() - begin;
    if (one >= least_seconds) return one;
    const int times = least_seconds < most_times * one ? static_cast<int>(std::ceil(least_seconds / one)) : most_times;
    for (int k = 1; k < times; ++k) bench_.multiply(slot);
    return (bench_.now() - begin) / times;
  }

  double     products_;
  Workbench &bench_;
  double     begin_, longest_ = 0; ///< seconds of a build, at most so far
  int        last_ = -1;           ///< the slot that has multiplied last
  Result     result_;
};

} // namespace

Result search(const OptionValues &start, double products, Workbench &bench)
{
  return Search(start, products, bench).run();
}

} // namespace petscspmv::select
