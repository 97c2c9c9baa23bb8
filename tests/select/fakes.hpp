#pragma once

/// \file fakes.hpp
/// A clock that stands still but for what fakes do, and types whose products take what a test says.

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "core/format.hpp"
#include "support/csr_matrix.hpp"

namespace petscspmv::test {

using View = CsrView<double, std::int32_t>;
using Type = FormatType<double, std::int32_t>;

/// What a fake takes, in seconds.
struct Fake {
  double      product = 1e-4;
  double      build = 0, refresh = 0;
  double      predicted = 0; ///< what it tells of itself before it is built; 0: as product
  double      learning  = 0; ///< what each of the first six products after a build takes more
  bool        throws    = false;
  std::size_t bytes     = 0;
  std::string tells     = {}; ///< of this option it tells by a nanosecond whether it is the default
  int         builds = 0, alive = 0, most_alive = 0;
};

/// All of them, and the time. One test at a time.
struct FakeWorld {
  double              now = 0;
  std::array<Fake, 4> fakes;
  int                 alive = 0, most_alive = 0;
};
inline FakeWorld &world()
{
  static FakeWorld w;
  return w;
}
inline double fake_clock()
{
  return world().now;
}

template <int n> class FakeFormat final : public Format<double, std::int32_t> {
public:
  FakeFormat()
  {
    world().now += mine().build;
    ++mine().builds;
    if (mine().throws) throw std::bad_alloc();
    world().most_alive = std::max(world().most_alive, ++world().alive);
  }
  ~FakeFormat() override { --world().alive; }
  void refresh(const View &) override { world().now += mine().refresh; }
  void multiply(Operation, double, const double *, double, double *) override
  {
    world().now += mine().product;
    if (++products_ <= 6) world().now += mine().learning;
  }
  Footprint footprint() const override { return {{{"fake", mine().bytes, false}}}; }
  Facts     facts() const override { return {{"fake", std::to_string(n)}}; }

private:
  static Fake &mine() { return world().fakes[n]; }

  int products_ = 0;
};

/// The n-th fake as a type. It has the name of ccoo, so that the model believes what it tells of itself.
template <int n> Type fake_type(std::span<const OptionSpec> options = {})
{
  const auto bytes    = [](const View &, const OptionValues &) { return world().fakes[n].bytes; };
  const auto forecast = [](const View &, const OptionValues &o, MemorySpace) {
    constexpr double believed = 0.49; // of the nanoseconds that a ccoo tells
    const Fake      &f        = world().fakes[n];
    const double     told     = !f.tells.empty() && o[f.tells] != 0 ? 1 : 0;
    return Forecast{f.bytes, told + (f.predicted > 0 ? f.predicted : f.product) * 1e9 / believed};
  };
  const auto build = [](const View &, const OptionValues &, const Execution &) -> FormatPtr<double, std::int32_t> {
    return std::make_unique<FakeFormat<n>>();
  };
  return {.name            = "ccoo",
          .method          = "a fake",
          .borrows         = true,
          .transposes      = true,
          .options         = options,
          .predicted_bytes = bytes,
          .own_forecast    = forecast,
          .on_host         = build};
}

/// Five entries a row.
inline CsrMatrix<double, std::int32_t> five_diagonals(std::int32_t rows)
{
  CsrMatrix<double, std::int32_t> a;
  a.cols = rows;
  for (std::int32_t r = 0; r < rows; ++r) {
    std::vector<std::int32_t> columns;
    for (std::int32_t c = std::max(0, r - 2); c <= std::min(rows - 1, r + 2); ++c) columns.push_back(c);
    a.add_row(columns);
  }
  return a;
}

} // namespace petscspmv::test
