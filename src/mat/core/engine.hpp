#pragma once

/// \file engine.hpp
/// Whatever is made of a matrix and kept in step with it.

#include <string>
#include <utility>
#include <vector>

#include "execution.hpp"
#include "footprint.hpp"
#include "known_pattern.hpp"

namespace petscspmv {

/// What is to be told besides bytes: name and value, in the order to print.
using Facts = std::vector<std::pair<std::string, std::string>>;

template <class Scalar, class Index> class Engine {
public:
  using View = CsrView<Scalar, Index>;

  virtual ~Engine() = default;

  /// Takes over new values, and addresses. False, and nothing is changed, if the pattern is not the one that this was
  /// made from: it has to be made anew. Throws what making does.
  bool refresh(const View &a)
  {
    if (!pattern_.is_of(a)) return false;
    take_values(a);
    return true;
  }

  // For reports.
  virtual Footprint footprint() const = 0;
  virtual Facts     facts() const     = 0;

protected:
  explicit Engine(const KnownPattern<Scalar, Index> &pattern) : pattern_(pattern) { }
  Engine(const View &a, const Execution &execution, PatternUse use = PatternUse::all) : pattern_(a, execution.threads, use) { }

private:
  /// The pattern is the same.
  virtual void take_values(const View &a) = 0;

  KnownPattern<Scalar, Index> pattern_;
};

} // namespace petscspmv
