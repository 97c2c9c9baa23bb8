#pragma once

/// \file search.hpp
/// Builds and times the most promising candidates, until the budget ends.

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace petscspmv::select {

struct Budget {
  double products = 300; ///< of the first candidate, which all that is done together may take; 0: the model decides alone
  double seconds  = std::numeric_limits<double>::infinity();
  double spent    = 0; ///< seconds of both that were spent before the search begins
};

/// How candidates are compared. In tests, fakes.
class Workbench {
public:
  virtual ~Workbench() = default;

  /// Seconds since some moment.
  virtual double now() = 0;

  /// Builds a candidate in one of two slots; what went wrong on any rank, or nothing. Nothing is left in the slot then.
  virtual std::string build(int slot, std::size_t candidate) = 0;
  virtual void        multiply(int slot)                     = 0;
  virtual void        drop(int slot)                         = 0;
};

/// A candidate as the search sees it.
struct Prospect {
  double predicted = 0;  ///< seconds of a product, by the model
  double build     = 0;  ///< seconds, predicted
  int    varies    = -1; ///< the candidate that this is a variation of, which comes first; -1: of none
};

struct Trial {
  std::size_t candidate = 0;
  double      build     = 0; ///< seconds
  double      product   = 0; ///< seconds: the first's, times what those since took of the best before them; 0 if it could not be built
  std::string failure;
};

struct Result {
  std::size_t        chosen = 0;
  int                slot   = -1; ///< in which it stands ready; -1: it is not built
  std::vector<Trial> trials;      ///< in the order in which they were made; empty: the model has decided
  double             seconds = 0; ///< that the search took
  const char        *end     = "all were tried";
};

/// The first prospect is plain CSR, by whose products the budget is counted. `improve(candidate)` is told each time a
/// candidate is the best so far (it may change what later candidates are). Never throws anything but what the workbench
/// throws.
///
/// Candidates come in the order of their predictions, variations last; those that take a quarter longer than the best
/// are dropped after a few turns. Predictions are corrected by how far that of the first was off, or that of the best
/// so far if that speaks for a type, and those of variations, once what they vary has been tried, by that; those that
/// then are a quarter behind are left out, and while nothing has been tried, those half as long again as the best. At
/// most two exist at a time. If the first cannot be built, budgets of products are counted by its prediction. Where the
/// budget has no room for the candidate that is predicted to be the best, and what was tried is not better than that
/// prediction, it is chosen without having been tried.
Result search(const std::vector<Prospect> &prospects, const Budget &budget, Workbench &bench,
              const std::function<void(std::size_t)> &improve = {});

} // namespace petscspmv::select
