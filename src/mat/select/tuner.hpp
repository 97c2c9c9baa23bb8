#pragma once

/// \file tuner.hpp
/// The search on real matrices: candidates are types with options, which are built from views and multiply vectors of
/// their own.

#include <memory>
#include <optional>
#include <vector>

#include "select/candidates.hpp"
#include "select/machine.hpp"
#include "select/model.hpp"
#include "select/search.hpp"

namespace petscspmv::select {

template <class Scalar, class Index> class Tuner : public Workbench {
public:
  using View    = CsrView<Scalar, Index>;
  using Type    = FormatType<Scalar, Index>;
  using Formats = std::vector<FormatPtr<Scalar, Index>>; ///< one for each part

  /// `parts` are multiplied one after the other and count as one product: a matrix, or the blocks of a parallel one on
  /// this rank. `types` is kept as a view; the first is plain CSR, or whatever budgets are counted in. Only on the
  /// host. May throw std::bad_alloc.
  Tuner(std::vector<View> parts, std::span<const Type> types, const Execution &execution);

  /// The options of a type that variations are of, if not its defaults. Before run().
  void start_from(int type, const OptionValues &options);

  /// Searches.
  Result run(const Budget &budget);

  std::size_t      candidates() const { return variations_.size(); }
  std::string      name(std::size_t candidate) const; ///< "ccoo strips=never"
  const Type      &type(std::size_t candidate) const { return types_[static_cast<std::size_t>(variations_[candidate].type)]; }
  OptionValues     options(std::size_t candidate) const; ///< as it was built, or would be now
  const Prospect  &prospect(std::size_t candidate) const { return prospects_[candidate]; }
  const Structure &structure() const { return looks_.front()->structure; }

  /// What stands in a slot.
  Formats take(int slot) { return std::move(slots_[slot]); }

  double      now() override { return steady_clock(); }
  std::string build(int slot, std::size_t candidate) override;
  void        multiply(int slot) override;
  void        drop(int slot) override { slots_[slot].clear(); }

private:
  void     predict(double seconds);
  Forecast predict(std::size_t candidate);
  void     compare(std::size_t candidate, const Forecast &forecast, const Forecast &defaults);
  bool     repeats(std::size_t candidate, const Forecast &forecast) const;

  std::vector<View>                                 parts_;
  std::span<const Type>                             types_;
  Execution                                         execution_;
  std::vector<Variation>                            variations_;
  std::vector<OptionValues>                         start_, best_; ///< [types]: to begin with, and with what has helped
  std::vector<std::optional<OptionValues>>          built_;        ///< [candidates]
  std::vector<std::unique_ptr<Look<Scalar, Index>>> looks_;        ///< [parts]
  std::vector<Prospect>                             prospects_;
  std::vector<Forecast>                             told_; ///< [candidates] what the type says of variations, where that is known
  Formats                                           slots_[2];
  std::vector<Scalar>                               x_, y_;
  double                                            entries_ = 0, bandwidth_ = 0; ///< bandwidth: 0 where it does not matter
};

} // namespace petscspmv::select
