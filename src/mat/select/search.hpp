#pragma once

/// \file search.hpp
/// The auto-tuning of yaSpMV for any type: builds other values of its options, times them in turns, keeps the best.

#include <cstddef>
#include <string>

#include "core/options.hpp"

namespace petscspmv::select {

/// How candidates are compared. In tests, fakes.
class Workbench {
public:
  virtual ~Workbench() = default;

  /// Seconds since some moment.
  virtual double now() = 0;

  /// Builds with these options in one of two slots; what went wrong, or nothing. Nothing is left in the slot then.
  virtual std::string build(int slot, const OptionValues &options) = 0;
  virtual void        multiply(int slot)                           = 0;
  virtual void        drop(int slot)                               = 0;
};

struct Result {
  OptionValues chosen;
  int          slot     = -1;   ///< in which it stands ready; -1: what the search starts from cannot be built
  int          trials   = 0;    ///< candidates that were built, what the search starts from included
  bool         all      = true; ///< no candidate was left when the search ended
  double       product  = 0;    ///< seconds, with the options that were chosen
  double       at_first = 0;    ///< seconds, with those that the search started from
  double       seconds  = 0;    ///< that the search took
};

/// Tries the variations of `start`, each on top of the best options so far, in about the time of so many products with
/// `start`. At most two builds exist at a time. Throws only what the workbench throws.
Result search(const OptionValues &start, double products, Workbench &bench);

} // namespace petscspmv::select
