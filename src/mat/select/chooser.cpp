#include "select/chooser.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/for_each_type.hpp"
#include "select/model.hpp"
#include "select/model_tuning.hpp"

namespace petscspmv::select {

template <class Scalar, class Index>
int modelled_choice(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a, MemorySpace space,
                    std::vector<double> *seconds)
{
  const Look<Scalar, Index> look(a, entries_to_look_at(std::int64_t(a.nonzeros())));
  std::vector<double>       each(types.size(), std::numeric_limits<double>::infinity());
  for (std::size_t w = 0; w < types.size(); ++w) try {
      if (space == MemorySpace::device && !types[w].on_device) continue;
      const Forecast forecast = look.forecast(types[w], OptionValues(types[w].options), space);
      each[w]                 = predicted_seconds(types[w].name, forecast, look.structure, space);
    } catch (const FormatError &) { // a matrix that is too large for it, for instance
    }
  const int best = static_cast<int>(std::min_element(each.begin(), each.end()) - each.begin());
  if (seconds) *seconds = std::move(each);
  return best;
}

template <class Scalar, class Index>
int first_way(std::span<const FormatType<Scalar, Index>> types, double nonzeros, const Execution &execution)
{
  int    way   = 0;
  double least = 1e-9 * nonzeros * tuning::device_csr;
  if (execution.space == MemorySpace::host || execution.kernels == Kernels::kokkos || nonzeros < tuning::least_copied_first) return way;
  for (std::size_t w = 0; w < types.size(); ++w) {
    const double build = predicted_upkeep(types[w].name, nonzeros, execution).build;
    if (types[w].borrows || !types[w].on_device || build >= least) continue;
    least = build;
    way   = static_cast<int>(w);
  }
  return way;
}

template <class Scalar, class Index>
Chooser<Scalar, Index>::Chooser(std::span<const Type> types, const View &a, const Settings &settings)
  : types_(types), settings_(settings), ways_(types.size()), nonzeros_(std::int64_t(a.nonzeros())), least_entries_(tuning::least_entries)
{
  for (std::size_t w = 0; w < ways_.size(); ++w) ways_[w].options = OptionValues(types_[w].options);
  build(a, settings_.first ? modelled_choice(types_, a, settings_.execution.space)
           : a.device_col  ? 0
                           : first_way(types_, double(nonzeros_), settings_.execution));
  if (!is_timed()) ways_[way_].predicted = least_device_seconds(double(format_->footprint().total()));
}

template <class Scalar, class Index> void Chooser<Scalar, Index>::build(const View &a, int way)
{
  const double begin  = settings_.clock();
  auto         format = types_[way].build(a, ways_[way].options, settings_.execution);
  ways_[way].build    = settings_.clock() - begin;
  format_             = std::move(format);
  way_                = way;
  since_              = 0;
  steps_.push_back({way, products_, ways_[way].build});
}

template <class Scalar, class Index> void Chooser<Scalar, Index>::refresh(const View &a)
{
  const double begin = settings_.clock();
  format_->refresh(a);
  ways_[way_].refresh = settings_.clock() - begin;
  spent_.add(ways_[way_].refresh);
  ++refreshes_;
}

template <class Scalar, class Index> void Chooser<Scalar, Index>::note(double seconds)
{
  Told<double> &least = ways_[way_].timed;
  least               = least > 0 ? std::min<double>(least, seconds) : seconds;
  last_               = seconds;
  timed_way_          = way_;
}

template <class Scalar, class Index>
void Chooser<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  const bool timed =
    decides() && is_timed() && (since_ < tuning::timed_products || since_ % tuning::timed_products == 0) && alpha != Scalar(0);
  since_.add(1);
  products_.add(1);
  if (!timed) {
    format_->multiply(op, alpha, x, beta, y);
    spent_.add(is_timed() ? last_ : ways_[way_].predicted);
    return;
  }
  const double begin = settings_.clock();
  format_->multiply(op, alpha, x, beta, y);
  note(settings_.clock() - begin);
  spent_.add(last_);
}

template <class Scalar, class Index>
void Chooser<Scalar, Index>::multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                           std::int64_t ldy, int columns)
{
  format_->multiply_many(op, alpha, x, ldx, beta, y, ldy, columns);
  spent_.add(columns * (is_timed() ? last_ : ways_[way_].predicted));
}

template <class Scalar, class Index> void Chooser<Scalar, Index>::look(const View &a)
{
  const double        begin = settings_.clock();
  std::vector<double> seconds;
  modelled_choice(types_, a, settings_.execution.space, &seconds);
  // A machine that multiplies more slowly than the model's builds more slowly, too.
  const double slower = is_timed() ? std::max(1.0, product_seconds(ways_[way_]) / seconds[static_cast<std::size_t>(way_)]) : 1;
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    const UpkeepSeconds upkeep = predicted_upkeep(types_[w].name, double(nonzeros_), settings_.execution);
    Way                &way    = ways_[w];
    way.predicted              = seconds[w];
    if (std::isinf(seconds[w])) way.failed = true;
    if (way.build == 0) way.build = upkeep.build * slower;
    if (way.refresh == 0) way.refresh = upkeep.refresh * slower;
  }
  looked_ = true;
  invested_ += settings_.clock() - begin;
}

/// The mean of the products that are asked for, with a share of the refreshes. What has not been timed is predicted: by
/// the model, scaled by how far it is off for a way that has been timed.
template <class Scalar, class Index> double Chooser<Scalar, Index>::product_seconds(const Way &way) const
{
  const Way   &known   = ways_[timed_way_];
  const double all     = std::max<double>(1, double(products_));
  const double off     = known.predicted > 0 && way.predicted > 0 ? way.predicted / known.predicted : 1;
  const double product = way.timed > 0 ? way.timed : is_timed() ? off * known.timed : way.predicted;
  return (way.refresh * double(refreshes_) + double(products_) * product) / all;
}

template <class Scalar, class Index> Outlook Chooser<Scalar, Index>::outlook(const View &a, double elsewhere)
{
  constexpr double never = std::numeric_limits<double>::infinity();
  // Of the time spent: with what going on as a format has taken by then (IsLeftToAij), less than a tenth. A look at a
  // graph took 1.5 times as long as predicted: with 0.045, 1.12 times AIJ after 100 products.
  constexpr double share = 0.03;
  const double     spent = spent_ + elsewhere;
  Outlook          o;
  if (!decides()) return o;
  if (!looked_ && predicted_look_seconds(nonzeros_, std::int64_t(a.rows)) <= share * spent) look(a);
  o.ways             = static_cast<int>(types_.size());
  o.way              = way_;
  o.numbers.spent    = spent;
  o.numbers.invested = invested_;
  o.numbers.unseen   = !looked_;
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    const Way &way       = ways_[w];
    o.numbers.product[w] = way.failed ? never : product_seconds(way);
    o.numbers.change[w]  = way.failed ? never : way.build;
    o.numbers.guessed[w] = way.timed == 0 && is_timed();
  }
  return o;
}

template <class Scalar, class Index> void Chooser<Scalar, Index>::change(const View &a, int way)
{
  const double begin = settings_.clock();
  const double lost  = product_seconds(ways_[way_]) - product_seconds(ways_[way]);
  if (ways_[way].timed > 0 && lost > 0) invested_ += lost * double(since_); // the present way was a trial that has failed
  try {
    build(a, way);
  } catch (...) {
    ways_[way].failed = true;
    invested_ += settings_.clock() - begin;
    throw;
  }
  invested_ += settings_.clock() - begin;
}

namespace {

std::string text(double seconds)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g us", seconds * 1e6);
  return buffer;
}

} // namespace

template <class Scalar, class Index> Facts Chooser<Scalar, Index>::facts() const
{
  Facts       facts{{"multiplies as", std::string(types_[way_].name)}};
  std::string history, known;
  for (const Step &s : steps_)
    history += (history.empty() ? "" : ", ") + std::string(types_[s.way].name) + " after " + std::to_string(s.products) + " products (" +
               text(s.seconds) + ")";
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    const Way &way = ways_[w];
    if (!looked_ && way.timed == 0) continue;
    known += (known.empty() ? "" : ", ") + std::string(types_[w].name) + " ";
    known += way.failed ? "cannot be had" : text(product_seconds(way)) + (way.timed > 0 ? " timed" : " predicted");
  }
  facts.emplace_back("was built as", history);
  facts.emplace_back("a product takes", known.empty() ? "not known yet" : known);
  if (settings_.first) facts.emplace_back("chosen", "before the first product, by the model");
  const Facts more = format_->facts();
  facts.insert(facts.end(), more.begin(), more.end());
  return facts;
}

#define INSTANTIATE(S, I) \
  template class Chooser<S, I>; \
  template int first_way(std::span<const FormatType<S, I>>, double, const Execution &); \
  template int modelled_choice(std::span<const FormatType<S, I>>, const CsrView<S, I> &, MemorySpace, std::vector<double> *);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::select
