#include "impls/sweeps/analysis.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/kernel_analysis.hpp"
#include "impls/sweeps/swept_pattern.hpp"

namespace petscspmv {
namespace sweeps {
namespace {

/// How both triangles are solved.
template <class Index> struct Schedules {
  Schedule<Index>    lower, upper;
  std::vector<Index> colour; ///< as in AnalysisArrays

  /// As in AnalysisArrays.
  UnsetVector<Index> elimination(int threads) const
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
};

/// With more levels in both triangles together, a symmetric sweep from a zero guess on a device is predicted to take
/// longer than PETSc's on one core with copies of the vectors.
std::int64_t levels_worth_a_device(double rows, double entries)
{
  const double on_host = tuning::host_call + entries * tuning::host_entry + rows * tuning::host_row;
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
  for (const auto *s : {&by.lower, &by.upper})
    if (most_block_bytes(s->block_begins(), scalar) > tuning::team_bytes) return std::nullopt;
  return by;
}

/// What threads of the host find of this pattern in an order, there.
template <class Place, class Index>
void find_on_host(const kernels::KokkosMemory<Place> &memory, const SweptPattern<Index> &swept, const BlockOrder<Index> &order,
                  std::size_t scalar, std::int64_t most, Found<Index, typename Place::Memory> &found)
{
  const int threads = memory.threads();
  auto      by      = schedules(swept.pattern, order, scalar, threads);
  if (!by) by = schedules(swept.pattern, most, threads);
  if (found.has_more_than(most, by->lower.levels, by->upper.levels)) return;
  const auto brought = [&](const Schedule<Index> &from) {
    using There = ScheduleArrays<Index, typename Place::Memory>;
    return memory.template brought<There>(ScheduleArrays<Index, Kokkos::HostSpace>(from, scalar, !memory.on_host));
  };
  const auto rows   = by->elimination(threads);
  auto      &there  = found.arrays;
  there.lower       = brought(by->lower);
  there.upper       = brought(by->upper);
  there.pattern     = {memory.copied(swept.made.row_ptr), memory.copied(swept.made.col), memory.copied(swept.diagonal),
                       memory.copied(swept.made.source)};
  there.colour      = by->colour;
  there.elimination = memory.copied(rows);
  memory.wait();
}

/// Whether the first rows have more levels than so many, a level for each four rows on the way. Then the host is
/// faster: a kernel of a device finds a level, and the host may stop after a part of the rows.
template <class Scalar, class Index> bool is_chain(const CsrView<Scalar, Index> &a, std::int64_t most)
{
  constexpr Index    first_look = 4096; // rows
  std::vector<Index> level;
  Index              levels = 0;
  for (Index r = 0; r < a.rows && levels <= most; ++r) {
    if (r >= first_look && r / 4 > levels) return false;
    Index own = 0;
    for (Index i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i)
      if (a.col[i] < r) own = std::max(own, level[static_cast<std::size_t>(a.col[i])] + 1);
    level.push_back(own);
    levels = std::max(levels, own + 1);
  }
  return levels > most;
}

/// `symmetric`, `levels`: as in analysed_with_fill(); false, 0: of the pattern as it is.
template <class Place, class Scalar, class Index>
KeptAnalysis<Scalar, Index> made(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                 const Execution &execution, Making when)
{
  using Arrays = AnalysisArrays<Index, typename Place::Memory>;
  const kernels::KokkosMemory<Place>   memory(execution.threads);
  Analysis<Scalar, Index>              analysis{{a, execution.threads}, {order, execution.threads}, execution.space, 0};
  Found<Index, typename Place::Memory> found;
  std::int64_t                         most = std::numeric_limits<std::int64_t>::max(); // levels
  const bool for_kernels                    = a.rows > 0 && a.rows == a.cols && (!memory.on_host || execution.kernels == Kernels::kokkos) &&
                           (order || !is_chain(a, levels_worth_a_device(a.rows, a.nonzeros())));
  const auto know_entries = [&](std::size_t entries) {
    analysis.most_levels = levels_worth_a_device(a.rows, static_cast<double>(entries));
    if (when == Making::if_faster) most = analysis.most_levels;
  };
  memory.taking([&] {
    bool is_found = false;
    if (order) found.arrays.order = memory.copied(order->row);
    if (for_kernels)
      memory.run([&](const auto &exec) {
        auto pattern = pattern_of_matrix(memory, a);
        is_found     = by_kernels::find_pattern(exec, a.rows, pattern, symmetric, static_cast<Index>(levels), found.arrays);
        if (!is_found) return;
        know_entries(pattern.col.extent(0));
        if (!order || !by_kernels::find_blocks(exec, *order, a.rows, pattern.view(), sizeof(Scalar), most, found))
          by_kernels::find_rows(exec, a.rows, pattern, most, found);
      });
    if (is_found) return memory.wait();
    SweptPattern<Index> swept(a, order ? order->row.data() : nullptr, execution.threads);
    if (symmetric) swept.symmetrise(execution.threads);
    swept.fill(levels, execution.threads);
    know_entries(swept.pattern.entries());
    const BlockOrder<Index> own;
    find_on_host(memory, swept, order ? *order : own, sizeof(Scalar), most, found);
  });
  analysis.levels = found.levels;
  if (found.levels <= most) analysis.template at<typename Place::Memory>() = kernels::make_resident<Arrays>(std::move(found.arrays));
  return std::make_shared<const Analysis<Scalar, Index>>(std::move(analysis));
}

} // namespace
} // namespace sweeps

template <class Scalar, class Index> std::shared_ptr<const void> bring_pattern(CsrView<Scalar, Index> &a, const Execution &execution)
{
  return kernels::made_at(execution.space, [&]<class Place>(Place) -> std::shared_ptr<const void> {
    const kernels::KokkosMemory<Place> memory(execution.threads);
    auto                               there = kernels::make_resident<sweeps::PatternArrays<Index, typename Place::Memory>>();
    memory.taking([&] { *there = sweeps::pattern_of_matrix(memory, a); });
    a = with_pattern(a, *there);
    return there;
  });
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
  std::size_t bytes = sizeof(analysis) + analysis.order.bytes();
  if (analysis.on_host)
    analysis.on_host->each([&bytes](const std::string &, const auto &array) {
      if (array.use_count() == 1) bytes += array.extent(0) * sizeof(*array.data()); // others tell of theirs
    });
  return bytes;
}

template <class Scalar, class Index> std::map<std::string, std::vector<std::int64_t>> numbers_of(const Analysis<Scalar, Index> &analysis)
{
  std::map<std::string, std::vector<std::int64_t>> numbers{{"levels", {analysis.levels}}};
  const auto                                       tell = [&numbers](const auto &arrays) {
    if (!arrays) return;
    for (const auto *s : {&arrays->lower.summary, &arrays->upper.summary})
      numbers[s->side == sweeps::Side::lower ? "lower" : "upper"] = {s->levels, s->entries, s->width,
                                                                     static_cast<std::int64_t>(s->block_bytes)};
    numbers["by kernels"] = {arrays->by_kernels};
    numbers["colours"].assign(arrays->colour.begin(), arrays->colour.end());
    arrays->each([&numbers](const std::string &name, const auto &array) {
      const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
      auto      &to      = numbers[name];
      for (std::size_t i = 0; i < on_host.extent(0); ++i) {
        if constexpr (std::is_same_v<typename std::decay_t<decltype(array)>::value_type, sweeps::BlockBegin<Index>>)
          to.insert(to.end(), {on_host(i).entry, on_host(i).other, on_host(i).slot, on_host(i).slice});
        else to.push_back(on_host(i));
      }
    });
  };
  tell(analysis.on_host);
  tell(analysis.on_device);
  return numbers;
}

template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, const Execution &execution,
                                     Making when, KeptAnalysis<Scalar, Index> *kept)
{
  const auto is_wanted = [&](const Analysis<Scalar, Index> &known) {
    const bool is_made = known.on_host || known.on_device;
    return known.space == execution.space && known.order.is(order) && (is_made || when == Making::if_faster) && known.matrix.is_of(a);
  };
  if (kept && *kept && is_wanted(**kept)) return *kept;
  if (kept) kept->reset(); // two need not be there at the same time
  auto made =
    kernels::made_at(execution.space, [&]<class Place>(Place) { return sweeps::made<Place>(a, order, false, 0, execution, when); });
  if (kept) *kept = made;
  return made;
}

template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed_with_fill(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, bool symmetric, int levels,
                                               const Execution &execution, Making when)
{
  const BlockOrder<Index> rows = order && levels > 0 ? BlockOrder<Index>{order->row, {}, {}} : BlockOrder<Index>(); // fill ties blocks
  return kernels::made_at(execution.space, [&]<class Place>(Place) {
    return sweeps::made<Place>(a, rows.row.empty() ? order : &rows, symmetric, levels, execution, when);
  });
}

#define INSTANTIATE(S, I) \
  template std::shared_ptr<const void>                      bring_pattern(CsrView<S, I> &, const Execution &); \
  template std::size_t                                      bytes_taken(const Analysis<S, I> &); \
  template std::map<std::string, std::vector<std::int64_t>> numbers_of(const Analysis<S, I> &); \
  template struct Analysis<S, I>; \
  template KeptAnalysis<S, I> analysed(const CsrView<S, I> &, const BlockOrder<I> *, const Execution &, Making, KeptAnalysis<S, I> *); \
  template KeptAnalysis<S, I> analysed_with_fill(const CsrView<S, I> &, const BlockOrder<I> *, bool, int, const Execution &, Making);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
