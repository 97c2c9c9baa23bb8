#pragma once

/// \file rental.hpp
/// By whom a matrix of auto multiplies, not knowing how many products are to come: the ski-rental rule.
///
/// A. R. Karlin, M. S. Manasse, L. Rudolph, D. D. Sleator: Competitive snoopy caching. Algorithmica 3 (1988) 79-119:
/// rent until the rent paid equals the price, then buy.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/execution.hpp"

namespace petscspmv::select {

/// By whom: AIJ itself, the type that is fast once it is built (ccoo), or plain CSR of ours.
enum class Way { aij, fast, plain };
inline constexpr std::size_t ways = 3;

/// What a matrix of auto is worth, before anything was timed. Seconds.
struct Prices {
  double build   = 0;     ///< of the fast type
  double refresh = 0;     ///< new values of the fast type
  double product = 0;     ///< by AIJ, where products are not timed, as on a device; 0: they are
  bool   small   = false; ///< a product is so short that to time it would take a share of it
};

/// What a matrix with so many entries is worth there. On a device products read `bytes` and are not timed.
Prices prices(double entries, double bytes, const Execution &execution);

/// True if the fast type is on a device before AIJ's arrays, which are on the host, would be.
bool is_there_sooner(double entries, const Execution &execution);

/// Products of one matrix with one pattern. AIJ multiplies first. Each product pays what the fast type is expected to
/// save as rent; when that is the price of building it, the matrix changes to it. If it saves nothing when it is timed,
/// the matrix goes back to AIJ, and plain CSR, which costs next to nothing, has its turn by the same rule.
class Rental {
public:
  explicit Rental(const Prices &prices);

  /// The way that is chosen before the first product and stays.
  static Rental fixed(Way way);

  Way way() const { return way_; }

  /// Counts a product that is to come and says by whom it is. Only at moments that are the same for all blocks of all
  /// ranks does the way change: ranks that build at different times wait for each other twice.
  Way next(bool new_values);

  /// Whether that product is to be timed.
  bool is_timed() const;

  /// What was timed: a product, building the present way, and giving it new values.
  void took(Way way, double seconds);
  void built(double seconds);
  void refreshed(double seconds);

  /// The present way cannot be built. The next one is gone at once.
  void failed();

  /// For reports: name and value, in the order to print. `names` of the ways.
  std::vector<std::pair<std::string, std::string>> facts(const std::array<std::string, ways> &names) const;

private:
  struct Known {
    double product = 0; ///< the shortest one that was timed; 0: none yet
    double build = 0, refresh = 0;
    bool   possible = true;
  };
  struct Change {
    Way          way;
    std::int64_t products; ///< before it
  };

  Known       &of(Way way) { return known_[static_cast<std::size_t>(way)]; }
  const Known &of(Way way) const { return known_[static_cast<std::size_t>(way)]; }
  double       product(Way way) const;
  bool         is_time();
  bool         pays(Way way) const;
  void         change(Way way);

  std::array<Known, ways> known_;
  std::vector<Change>     changes_;
  Way                     way_     = Way::aij;
  bool                    decides_ = true, timed_ = true;
  std::int64_t            products_ = 0, next_check_ = 0;
  std::int64_t            since_ = 0, values_since_ = 0; ///< products, and new values, since the last change
};

} // namespace petscspmv::select
