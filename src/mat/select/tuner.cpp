#include "select/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "core/for_each_type.hpp"
#include "select/model_tuning.hpp"
#include "select/search_tuning.hpp"

namespace petscspmv::select {

template <class Scalar, class Index>
Tuner<Scalar, Index>::Tuner(std::vector<View> parts, std::span<const Type> types, const Execution &execution)
  : parts_(std::move(parts)), types_(types), execution_(execution)
{
  std::size_t rows = 0, cols = 0;
  for (const View &part : parts_) {
    rows = std::max(rows, static_cast<std::size_t>(part.rows));
    cols = std::max(cols, static_cast<std::size_t>(part.cols));
    entries_ += double(part.nonzeros());
  }
  x_.assign(cols, Scalar(1));
  y_.assign(rows, Scalar(0));
  for (std::size_t t = 0; t < types_.size(); ++t) {
    start_from(static_cast<int>(t), OptionValues(types_[t].options));
    variations_.push_back({static_cast<int>(t), {}, 0}); // the defaults of all types first
  }
  for (std::size_t t = 0; t < types_.size(); ++t) {
    const auto more = variations(static_cast<int>(t), types_[t].options, execution_.space);
    variations_.insert(variations_.end(), more.begin(), more.end());
  }
  built_.resize(variations_.size());
  told_.resize(variations_.size());
}

template <class Scalar, class Index> void Tuner<Scalar, Index>::start_from(int type, const OptionValues &options)
{
  const auto t = static_cast<std::size_t>(type);
  best_.resize(types_.size());
  start_.resize(types_.size());
  best_[t] = start_[t] = options;
}

template <class Scalar, class Index> OptionValues Tuner<Scalar, Index>::options(std::size_t candidate) const
{
  const Variation &v    = variations_[candidate];
  const auto       type = static_cast<std::size_t>(v.type);
  if (built_[candidate]) return *built_[candidate];
  return v.key.empty() ? start_[type] : with(best_[type], v);
}

template <class Scalar, class Index> std::string Tuner<Scalar, Index>::name(std::size_t candidate) const
{
  return std::string(type(candidate).name) + " " + text_of(options(candidate));
}

template <class Scalar, class Index> Forecast Tuner<Scalar, Index>::predict(std::size_t candidate)
{
  const Variation &v = variations_[candidate];
  Prospect         p;
  Forecast         all;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Forecast forecast = looks_[i]->forecast(types_[v.type], options(candidate), execution_.space);
    all.bytes += forecast.bytes;
    all.nanoseconds += forecast.nanoseconds;
    p.predicted += predicted_seconds(types_[v.type].name, forecast, looks_[i]->structure, execution_.space, bandwidth_);
    p.build += predicted_upkeep(types_[v.type].name, double(parts_[i].nonzeros()), execution_).build;
  }
  p.varies              = v.key.empty() ? -1 : v.type;
  prospects_[candidate] = p;
  return all;
}

/// All types, and variations as long as there is time for it: the others are expected to take a little longer than the
/// defaults.
template <class Scalar, class Index> void Tuner<Scalar, Index>::predict(double seconds)
{
  constexpr double      never = std::numeric_limits<double>::infinity();
  std::vector<Forecast> known; // of the defaults of each type
  const double          begin = steady_clock();
  for (const View &part : parts_)
    looks_.push_back(std::make_unique<Look<Scalar, Index>>(part, entries_to_look_at(std::int64_t(part.nonzeros()))));
  prospects_.assign(variations_.size(), {never, never});
  if (entries_ * (sizeof(Scalar) + sizeof(Index)) > tuning::last_cache) bandwidth_ = memory_bandwidth();
  for (std::size_t c = 0; c < variations_.size(); ++c) {
    const Prospect &defaults = prospects_[static_cast<std::size_t>(variations_[c].type)];
    if (c >= types_.size()) prospects_[c] = {tuning::unknown * defaults.predicted, defaults.build, variations_[c].type};
    if (c >= types_.size() && steady_clock() - begin > seconds) continue;
    try {
      const Forecast forecast = predict(c);
      if (c < types_.size()) known.push_back(forecast);
      else compare(c, forecast, known[static_cast<std::size_t>(variations_[c].type)]);
    } catch (const std::exception &) { // too large for the type, or no memory to look at it
      prospects_[c] = {never, never};
      if (c < types_.size()) known.emplace_back();
    }
  }
}

/// Defaults are what a type expects to be the best: if it tells less of another value, that is within what it errs. A
/// number that changes nothing of what it tells would build the same once more; a name may stand for another kernel.
/// Other types that are predicted to be as good come before all of them.
template <class Scalar, class Index>
void Tuner<Scalar, Index>::compare(std::size_t candidate, const Forecast &forecast, const Forecast &defaults)
{
  const Variation &v = variations_[candidate];
  const auto       spec =
    std::find_if(types_[v.type].options.begin(), types_[v.type].options.end(), [&v](const OptionSpec &o) { return o.key == v.key; });
  const bool same = forecast.bytes == defaults.bytes && forecast.nanoseconds == defaults.nanoseconds;
  Prospect  &p    = prospects_[candidate];
  p.predicted =
    std::max(p.predicted, (same ? tuning::unknown : tuning::different) * prospects_[static_cast<std::size_t>(v.type)].predicted);
  if ((same && spec->choices.empty()) || (!same && repeats(candidate, forecast))) p.predicted = std::numeric_limits<double>::infinity();
  told_[candidate] = forecast;
}

/// True if another value of the same option, other than the default, has told the same: codings that the values do not
/// allow, say.
template <class Scalar, class Index> bool Tuner<Scalar, Index>::repeats(std::size_t candidate, const Forecast &forecast) const
{
  const Variation &v = variations_[candidate];
  for (std::size_t c = types_.size(); c < candidate; ++c)
    if (variations_[c].type == v.type && variations_[c].key == v.key && told_[c].bytes == forecast.bytes &&
        told_[c].nanoseconds == forecast.nanoseconds)
      return true;
  return false;
}

template <class Scalar, class Index> Result Tuner<Scalar, Index>::run(const Budget &budget)
{
  constexpr double nanoseconds = 1e-9; // that an entry of plain CSR takes, roughly
  const double     begin       = now();
  const double     products    = std::isfinite(budget.products) ? budget.products : 1e6;
  predict(tuning::predicting_share * std::min(budget.seconds, products * entries_ * nanoseconds));
  return search(prospects_, {budget.products, budget.seconds, budget.spent + now() - begin}, *this,
                [this](std::size_t c) { best_[static_cast<std::size_t>(variations_[c].type)] = options(c); });
}

template <class Scalar, class Index> std::string Tuner<Scalar, Index>::build(int slot, std::size_t candidate)
{
  std::string failure;
  slots_[slot].clear();
  built_[candidate] = options(candidate);
  try {
    for (const View &part : parts_) slots_[slot].push_back(type(candidate).build(part, options(candidate), execution_));
  } catch (const std::exception &e) {
    failure = e.what();
  }
  if (!failure.empty()) slots_[slot].clear();
  return failure;
}

template <class Scalar, class Index> void Tuner<Scalar, Index>::multiply(int slot)
{
  for (const auto &format : slots_[slot]) format->multiply(Operation::none, Scalar(1), x_.data(), Scalar(0), y_.data());
}

#define INSTANTIATE(S, I) template class Tuner<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::select
