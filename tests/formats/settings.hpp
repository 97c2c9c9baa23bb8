#pragma once

/// \file settings.hpp
/// What the tests of single types share: building one with some options, and what it says of itself.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {

using Settings = std::vector<std::pair<const char *, std::int64_t>>;

/// The defaults of a type, but for these.
template <class F> OptionValues options_of(const Settings &settings)
{
  OptionValues options(F::options());
  for (const auto &[key, value] : settings) options.set(key, value);
  return options;
}

/// What the tests of a type need: the names of its parts, and building one.
template <class F> class SettingsFixture : public ::testing::Test {
protected:
  using Scalar  = typename F::scalar_type;
  using Index   = typename F::index_type;
  using P       = Patterns<Scalar, Index>;
  using Matrix  = CsrMatrix<Scalar, Index>;
  using Problem = ProblemOf<F>;

  static F build(const Matrix &a, const Settings &settings, int threads = 2)
  {
    return F(a.view(), options_of<F>(settings), {MemorySpace::host, threads});
  }
};

inline std::string fact(const Facts &facts, std::string_view name)
{
  for (const auto &[key, value] : facts)
    if (key == name) return value;
  ADD_FAILURE() << "There is no fact '" << name << "'.";
  return "";
}

template <class F> std::string fact(const F &format, std::string_view name)
{
  return fact(format.facts(), name);
}

} // namespace petscspmv::test
