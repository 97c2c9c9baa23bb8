#include "impls/sweeps/analysis.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/footprint.hpp"
#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/sweeps_tuning.hpp"

namespace petscspmv {
namespace sweeps {
namespace {

/// With more levels in both triangles together, a symmetric sweep from a zero guess on a device is predicted to take longer
/// than PETSc's on one core with copies of the vectors.
template <class Index> std::int64_t levels_worth_a_device(const Pattern<Index> &p)
{
  const double on_host =
    tuning::host_call + static_cast<double>(p.entries()) * tuning::host_entry + static_cast<double>(p.rows) * tuning::host_row;
  return static_cast<std::int64_t>((on_host - tuning::device_call) / tuning::device_level);
}

/// Of both triangles, with no more than so many levels each.
template <class Index> Schedules<Index> schedules(const Pattern<Index> &p, std::int64_t most, int threads)
{
  std::optional<Schedule<Index>> of[2]; // a thread makes each
  runtime::for_each_batch(threads, 2, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto k = static_cast<int>(first); k < static_cast<int>(last); ++k) of[k].emplace(p, k == 0 ? Side::lower : Side::upper, most);
  });
  return {std::move(*of[0]), std::move(*of[1]), {}};
}

/// Of blocks; nothing unless there are some, and teams have room for each.
template <class Index>
std::optional<Schedules<Index>> schedules(const Pattern<Index> &p, const BlockOrder<Index> &order, std::size_t scalar, int threads)
{
  if (order.block.empty()) return std::nullopt;
  Schedules<Index> by{{p, Side::lower, order.block, threads}, {p, Side::upper, order.block, threads}, order.colour};
  if (std::max(by.lower.most_block_bytes(scalar), by.upper.most_block_bytes(scalar)) > tuning::team_bytes) return std::nullopt;
  return by;
}

} // namespace

template <class Index> UnsetVector<Index> Schedules<Index>::elimination(int threads) const
{
  if (colour.empty()) return lower.row;
  UnsetVector<Index> rows(lower.row.size());
  runtime::for_each_batch(threads, std::ssize(colour) - 1, 1, [&](std::int64_t c, std::int64_t) {
    const Index        from = lower.first[lower.block[colour[c]]], to = lower.first[lower.block[colour[c + 1]]];
    std::vector<Index> ends(static_cast<std::size_t>(lower.levels) + 1, from);
    for (Index s = from; s < to; ++s) ++ends[lower.level[s] + 1];
    for (std::size_t l = 1; l < ends.size(); ++l) ends[l] += ends[l - 1] - from;
    for (Index s = from; s < to; ++s) rows[ends[lower.level[s]]++] = lower.row[s];
  });
  return rows;
}

template struct Schedules<std::int32_t>;
template struct Schedules<std::int64_t>;

} // namespace sweeps

template <class Scalar, class Index>
Analysis<Scalar, Index>::Analysis(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *its_order,
                                  sweeps::SweptPattern<Index> its_pattern, int threads, Making when)
  : matrix(a, threads), order(its_order ? *its_order : BlockOrder<Index>()), swept(std::move(its_pattern)),
    by(sweeps::schedules(swept.pattern, order, sizeof(Scalar), threads)), most_levels(sweeps::levels_worth_a_device(swept.pattern))
{
  const std::int64_t most = when == Making::if_faster ? most_levels : std::numeric_limits<std::int64_t>::max();
  if (!by) by = sweeps::schedules(swept.pattern, most, threads);
  const std::int64_t lower = by->lower.levels, upper = by->upper.levels;
  levels = std::max(lower, upper) > most ? std::max(lower, upper) : lower + upper;
  if (levels > most) by.reset();
}

template <class Scalar, class Index> std::string Analysis<Scalar, Index>::why_not(Making when) const
{
  if (when == Making::always || levels <= most_levels) return "";
  return "With " + std::to_string(levels) + " levels of rows or more, a device is slower than the host, copies of the vectors included. " +
         "Coloured blocks of rows have few: -mat_spmv_sweeps blocks, which is another preconditioner, uses the device, and so does "
         "-pc_factor_mat_ordering_type spmv_blocks for factors. -mat_spmv_sweeps exact uses it all the same.";
}

template <class Scalar, class Index> std::size_t bytes_taken(const Analysis<Scalar, Index> &analysis)
{
  const auto  of    = [](const auto &...vector) { return (std::size_t{0} + ... + (vector.capacity() * sizeof(vector[0]))); };
  const auto &order = analysis.order;
  const auto &made  = analysis.swept.made;
  std::size_t bytes =
    sizeof(analysis) + of(order.row, order.block, order.colour, made.row_ptr, made.col, made.source, analysis.swept.diagonal);
  if (!analysis.by) return bytes;
  for (const auto *s : {&analysis.by->lower, &analysis.by->upper})
    bytes += of(s->row, s->slot, s->first, s->begin, s->block, s->level, s->others);
  return bytes + of(analysis.by->colour);
}

template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, int threads, Making when,
                                     KeptAnalysis<Scalar, Index> *kept)
{
  const auto is_wanted = [&](const Analysis<Scalar, Index> &known) {
    const bool same_order = order ? known.order == *order : known.order.row.empty();
    return same_order && (known.by || when == Making::if_faster) && known.matrix.is_of(a);
  };
  if (kept && *kept && is_wanted(**kept)) return *kept;
  if (kept) kept->reset(); // two need not be there at the same time
  auto made = std::make_shared<const Analysis<Scalar, Index>>(
    a, order, sweeps::SweptPattern<Index>(a, order ? order->row.data() : nullptr, threads), threads, when);
  if (kept) *kept = made;
  return made;
}

template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed_with_fill(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                               int threads, Making when)
{
  sweeps::SweptPattern<Index> swept(a, order ? order->row.data() : nullptr, threads);
  if (symmetric) swept.symmetrise(threads);
  swept.fill(levels, threads);
  const BlockOrder<Index> rows = order && levels > 0 ? BlockOrder<Index>{order->row, {}, {}} : BlockOrder<Index>(); // fill ties blocks
  return std::make_shared<const Analysis<Scalar, Index>>(a, rows.row.empty() ? order : &rows, std::move(swept), threads, when);
}

#define INSTANTIATE(S, I) \
  template struct Analysis<S, I>; \
  template std::size_t        bytes_taken(const Analysis<S, I> &); \
  template KeptAnalysis<S, I> analysed(const CsrView<S, I> &, const BlockOrder<I> *, int, Making, KeptAnalysis<S, I> *); \
  template KeptAnalysis<S, I> analysed_with_fill(const CsrView<S, I> &, const BlockOrder<I> *, bool, int, int, Making);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
