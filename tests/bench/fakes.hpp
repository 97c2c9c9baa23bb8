#pragma once

/// \file fakes.hpp
/// A clock that stands still unless told, and products that take exactly as long as they are told.

#include <algorithm>
#include <cstddef>
#include <functional>

#include "generators/generator.hpp"
#include "measure/host_stopwatch.hpp"

namespace petscspmv::bench {

class FakeClock final : public Clock {
public:
  double      now() override { return seconds_; }
  std::string date() override { return "2026-01-02T03:04:05Z"; }
  void        pass(double seconds) { seconds_ += seconds; }

private:
  double seconds_ = 0;
};

/// What a fake product does.
struct FakeBehaviour {
  double                      build = 0, product = 1e-3, refresh = 0; ///< seconds
  double                      error              = 0;                 ///< added to the entry in the middle of y
  int                         right_products     = 1 << 30;           ///< the error begins after so many
  bool                        ignores_new_values = false;
  std::string                 fails              = {}; ///< what build() throws, unless empty
  std::optional<ProductBytes> bytes              = {};
};

class FakeProduct final : public Product {
public:
  FakeProduct(const LocalMatrix &a, FakeClock &clock, FakeBehaviour behaviour, std::function<void()> on_product = {})
    : a_(*a.rows), clock_(clock), does_(std::move(behaviour)), on_product_(std::move(on_product)), y_(std::size_t(a_.rows))
  {
  }

  void build() override
  {
    if (!does_.fails.empty()) throw std::runtime_error(does_.fails);
    clock_.pass(does_.build);
  }
  void set_x(std::span<const double> local) override { x_.assign(local.begin(), local.end()); }
  void fill_y(double value) override { std::fill(y_.begin(), y_.end(), value); }
  void read_y(std::span<double> local) const override { std::copy(y_.begin(), y_.end(), local.begin()); }
  void multiply() override
  {
    clock_.pass(does_.product);
    for (Index r = 0; r < a_.rows; ++r) {
      double sum = 0;
      for (Index k = a_.row_ptr[r]; k < a_.row_ptr[r + 1]; ++k) sum += a_.val[k] * x_[std::size_t(a_.col[k])];
      y_[std::size_t(r)] = factor_ * sum;
    }
    if (++products_ > does_.right_products && !y_.empty()) y_[y_.size() / 2] += does_.error;
    if (on_product_) on_product_();
  }
  std::optional<ProductBytes> bytes() const override { return does_.bytes; }
  void                        scale_values(double factor) override
  {
    if (!does_.ignores_new_values) factor_ *= factor;
  }
  void refresh_and_multiply() override
  {
    clock_.pass(does_.refresh);
    multiply();
  }

private:
  const CsrMatrix      &a_;
  FakeClock            &clock_;
  FakeBehaviour         does_;
  std::function<void()> on_product_;
  std::vector<double>   x_, y_;
  double                factor_   = 1;
  int                   products_ = 0;
};

/// A contest of fakes on one small matrix.
class FakeContest {
public:
  FakeContest() : matrix(parse_generator("9pt:12").generate()), local{&matrix, matrix.rows, 0, 0, matrix.cols}, oracle(local)
  {
    settings.samples = 15;
  }

  void add(const std::string &name, Role role, const FakeBehaviour &behaviour)
  {
    Entrant e;
    e.name    = {name, "", role, 1, 1};
    e.ranks   = &alone;
    e.matrix  = &local;
    e.oracle  = &oracle;
    e.product = std::make_unique<FakeProduct>(local, clock, behaviour, [this, name] { turns.push_back(name); });
    entrants.push_back(std::move(e));
  }

  Contest contest()
  {
    return {clock, alone, stopwatch, settings, entrants, [this] { return interrupted; }};
  }

  FakeClock                clock;
  OneRank                  alone;
  CacheFlush               flush{1 << 12};
  ContestSettings          settings;
  HostStopwatch            stopwatch{clock, flush, settings};
  CsrMatrix                matrix;
  LocalMatrix              local;
  Oracle                   oracle;
  std::vector<Entrant>     entrants;
  std::vector<std::string> turns; ///< who multiplied, in order
  bool                     interrupted = false;
};

} // namespace petscspmv::bench
