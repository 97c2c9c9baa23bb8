#pragma once

/// \file settings.hpp
/// What the tests of single types share: building one with some options, and what it says of itself.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "support/formats.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {

/// A number from the environment.
inline std::int64_t setting(const char *name, std::int64_t otherwise)
{
  const char *const text = std::getenv(name);
  return text && *text ? std::stoll(text) : otherwise;
}

/// An option by its key with a number, or with an enumerator.
struct Setting {
  Setting(std::string_view k, std::int64_t v) : key(k), value(v) { }
  template <class E> Setting(const Choice<E> &option, std::type_identity_t<E> v) : key(option.key), value(petscspmv::number_of(v)) { }

  std::string_view key;
  std::int64_t     value;
};
using Settings = std::vector<Setting>;

/// All values that an option can have.
template <class E> std::vector<E> every(const Choice<E> &option)
{
  std::vector<E> all;
  for (std::int64_t number = option.min; number <= option.max; ++number) all.push_back(option.value(number));
  return all;
}

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
  using View    = CsrView<Scalar, Index>;

  static F build(const Matrix &a, const Settings &settings, int threads = 2)
  {
    return F(a.view(), options_of<F>(settings), {MemorySpace::host, threads});
  }

  /// With random values.
  static Matrix valued(Matrix a)
  {
    set_values(a, 3, false);
    return a;
  }

  static Problem uneven_rows()
  {
    return Problem(P::random(3000, 2500, 71, [](auto r, auto &random) { return r % 700 ? random.integer(0, 12) : 900; }), Mode::rounded);
  }
  static void expect_same_bits_with_threads(const Problem &problem, const Settings &settings)
  {
    F one = build(problem.a, settings, 1);
    for (int threads : {2, 3, 8}) {
      F several = build(problem.a, settings, threads);
      for (const auto &c : problem.cases)
        ASSERT_TRUE(same_bits(Problem::multiply(one, c, 0.5, -1.0), Problem::multiply(several, c, 0.5, -1.0)))
          << describe(options_of<F>(settings)) << ", " << name(c.op) << " with " << threads << " threads";
    }
  }

  /// Why one cannot be built; empty if it can.
  static std::string refusal(const View &a, const Execution &execution = {})
  {
    try {
      F(a, options_of<F>({}), execution);
    } catch (const FormatError &e) {
      return e.what();
    }
    return "";
  }
  static void expect_that_so_many_are_refused(Index n)
  {
    for (const auto &[a, what] : {std::pair{View{n, 5}, "rows"}, {View{0, n}, "columns"}}) {
      const std::string text = refusal(a);
      EXPECT_NE(text.find(std::to_string(n) + " " + what), text.npos) << text;
      EXPECT_NE(text.find("use more processes, or -mat_type aijspec"), text.npos) << text;
    }
  }
};

/// Bytes of the arrays of the footprint whose names have one of the words.
template <class F> std::size_t bytes_of(const F &format, std::initializer_list<std::string_view> words)
{
  std::size_t bytes = 0;
  bool        found = false;
  for (const auto &array : format.footprint().arrays)
    if (std::any_of(words.begin(), words.end(), [&](std::string_view w) { return array.name.find(w) != std::string::npos; })) {
      bytes += array.bytes;
      found = true;
    }
  EXPECT_TRUE(found);
  return bytes;
}

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
