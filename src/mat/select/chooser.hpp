#pragma once

/// \file chooser.hpp
/// A format that is one of several in turn. It times its own products; when to go on as another type is decided above
/// (see Outlook).

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/format.hpp"
#include "select/machine.hpp"

namespace petscspmv::select {

/// Seconds since some moment.
using Clock = double (*)();

struct Settings {
  bool      first = false; ///< the choice is made while building, by the model, and stays
  Execution execution;
  Clock     clock = steady_clock;
};

template <class Scalar, class Index> class Chooser final : public Format<Scalar, Index> {
public:
  using View = CsrView<Scalar, Index>;
  using Type = FormatType<Scalar, Index>;

  /// `types` is kept as a view; the first is the one to begin with, unless first_way() is another.
  Chooser(std::span<const Type> types, const View &a, const Settings &settings);

  void      refresh(const View &a) override;
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  void      multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                          int columns) override;
  bool      leaves_several() const override { return format_->leaves_several(); }
  Footprint footprint() const override { return format_->footprint(); }
  Facts     facts() const override;
  Outlook   outlook(const View &a, double elsewhere) override;
  void      change(const View &a, int way) override;

private:
  /// A number of what products tell. They may run on several threads of the program: a count may be lost then, but no
  /// product waits for another one.
  template <class T> class Told {
  public:
         operator T() const { return value_.load(std::memory_order_relaxed); }
    void operator=(T value) { value_.store(value, std::memory_order_relaxed); }
    void add(T more) { *this = *this + more; }

  private:
    std::atomic<T> value_{0};
  };

  /// What is known of a way. Seconds; 0 stands for nothing yet.
  struct Way {
    double       predicted = 0; ///< by the model, of a product
    Told<double> timed;         ///< the shortest product so far
    double       build = 0, refresh = 0;
    OptionValues options;
    bool         failed = false;
  };
  struct Step {
    int          way;
    std::int64_t products; ///< before it
    double       seconds;
  };

  bool   is_timed() const { return settings_.execution.space == MemorySpace::host; }
  bool   decides() const { return !settings_.first && types_.size() > 1 && nonzeros_ >= least_entries_; }
  void   note(double seconds);
  void   look(const View &a);
  double product_seconds(const Way &way) const;
  void   build(const View &a, int way);

  std::span<const Type>    types_;
  Settings                 settings_;
  FormatPtr<Scalar, Index> format_;
  std::vector<Way>         ways_; ///< [types]
  std::vector<Step>        steps_;
  int                      way_ = 0;
  Told<int>                timed_way_; ///< the last one that was timed
  std::int64_t             nonzeros_, least_entries_;
  bool                     looked_ = false;
  Told<std::int64_t>       products_;
  Told<std::int64_t>       since_; ///< products that way
  std::int64_t             refreshes_ = 0;
  Told<double>             last_, spent_;
  double                   invested_ = 0;
};

/// The way to begin with: the first, or, on a device where AIJ has no arrays, the one whose copy is there soonest, if
/// that is before AIJ's arrays would be.
template <class Scalar, class Index>
int first_way(std::span<const FormatType<Scalar, Index>> types, double nonzeros, const Execution &execution);

/// The type that the model alone chooses for a matrix, and seconds of a product as each of them by the model (infinity
/// where a type cannot be had). Does not depend on threads, so that the choice is the same for any number.
template <class Scalar, class Index>
int modelled_choice(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a, MemorySpace space,
                    std::vector<double> *seconds = nullptr);

} // namespace petscspmv::select
