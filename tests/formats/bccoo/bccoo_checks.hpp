#pragma once

/// \file bccoo_checks.hpp
/// What the tests of bccoo share: building one with options, what it says of itself, and what its decoder yields.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "impls/bccoo/bccoo_host.hpp"
#include "kernels/coding/options.hpp"
#include "formats/settings.hpp"
#include "support/formats.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {

using BccooTypes = EveryNumber<Bccoo>;

using kernels::Coding, kernels::values_option;

/// The defaults, but for these.
inline OptionValues bccoo_options(const Settings &settings)
{
  return options_of<Bccoo<double, std::int32_t>>(settings);
}

template <class F> class BccooFixture : public SettingsFixture<F> {
protected:
  using Index  = typename SettingsFixture<F>::Index;
  using Matrix = typename SettingsFixture<F>::Matrix;
  using P      = typename SettingsFixture<F>::P;

  /// What matters to blocks of any shape, in few rows: one that has so many blocks however wide they are, short ones,
  /// some without entries and eight such side by side; and no side of a block divides the sizes.
  static Matrix little(Index blocks)
  {
    constexpr Index rows = 43, longest = 8; // side of a block
    const Index     cols = longest * blocks + 5;
    return P::by_rows(rows, cols, [=](Index r) {
      std::set<Index> columns;
      if (r == 20)
        for (Index k = 0; k < blocks; ++k) columns.insert(longest * k + k % 3);
      else if (r % 9 != 4 && r / longest != 3)
        for (Index k = 0; k < 1 + r % 6; ++k) columns.insert((r * 3 + k * k * 2) % cols);
      if (r + 1 == rows) columns.insert(cols - 1);
      return typename P::Row(columns.begin(), columns.end());
    });
  }
};

/// An option and the values that it shall take.
using Axis = std::pair<const char *, std::vector<std::int64_t>>;

inline Axis axis(const char *option, std::int64_t first, std::int64_t last)
{
  Axis a{option, {}};
  for (std::int64_t value = first; value <= last; ++value) a.second.push_back(value);
  return a;
}

/// Calls check(settings) with every combination of the values of all options, until there is a fatal failure. Returns
/// how many there were.
template <class Check> std::size_t for_each_combination(const std::vector<Axis> &axes, const Check &check)
{
  std::size_t all = 1;
  for (const Axis &a : axes) all *= a.second.size();
  for (std::size_t k = 0; k < all && !::testing::Test::HasFatalFailure(); ++k) {
    Settings    settings;
    std::size_t rest = k;
    for (const auto &[option, values] : axes) {
      settings.emplace_back(option, values[rest % values.size()]);
      rest /= values.size();
    }
    check(settings);
  }
  return all;
}

/// "3 x 3"
template <class F> std::string shape_of(const F &format)
{
  const std::string text = fact(format, "blocks");
  return text.substr(text.find(" of ") + 4);
}

/// Empty if the decoder yields every entry of `a` once, bit for bit, and nothing else; else what is wrong. Of entries
/// of a row with the same column only the order counts.
template <class F> std::string block_decoding_error(const F &format, const CsrView<typename F::scalar_type, typename F::index_type> &a)
{
  using Scalar = typename F::scalar_type;
  using Index  = typename F::index_type;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Scalar>> left; // latest first
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r + 1]; k-- > a.row_ptr[r];) left[{r, a.col[k]}].push_back(a.val[k]);
  std::string error;
  dynamic_cast<const bccoo::HostMatrix<Scalar, Index> &>(format.format()).decode([&](std::int32_t row, std::int32_t col, Scalar value) {
    const auto at = left.find({row, col});
    if (!error.empty()) return;
    if (at == left.end()) error = "an entry that is not there, or too often";
    else if (!kernels::same_bits(at->second.back(), value)) error = "other bits";
    if (!error.empty()) error += ": row " + std::to_string(row) + ", column " + std::to_string(col);
    else if (at->second.pop_back(); at->second.empty()) left.erase(at);
  });
  if (error.empty() && !left.empty()) error = std::to_string(left.size()) + " entries are missing";
  return error;
}

/// What multiplies wrongly; empty if all is right.
template <class F> std::string products_wrong(F &format, const Problem<typename F::scalar_type, typename F::index_type> &problem)
{
  for (const auto &c : problem.cases)
    for (const auto &[alpha, beta] : {std::pair(1.0, 0.0), std::pair(0.5, -1.0)})
      if (std::string error = problem.wrong(format, c, alpha, beta); !error.empty()) return error;
  return "";
}

} // namespace petscspmv::test
