#include <algorithm>
#include <limits>
#include <string>

#include "core/runtime.hpp"
#include "impls/aijspec/aijspec_impl.hpp"
#include "impls/aijspec/aijspec_tuning.hpp"
#include "kernels/segmented_sum.hpp"

namespace petscspmv {
namespace aijspec {
namespace {

kernels::Isa chosen_isa(const OptionValues &options)
{
  const std::int64_t choice = options["isa"];
  if (choice == 0) return kernels::best_isa();
  const auto isa = static_cast<kernels::Isa>(choice - 1);
  if (!kernels::available(isa))
    throw FormatError("Option 'isa' asks for " + std::string(name(isa)) +
                      ", which this processor or this build does not have. The best here is " + std::string(name(kernels::best_isa())) +
                      "; leave the option at 'auto' to get it.");
  return isa;
}

// One pass over the row pointer: how many rows are empty, and whether it is a row pointer at all.
template <class Scalar, class Index> Index count_empty_rows(const CsrView<Scalar, Index> &a)
{
  Index empty = 0, backwards = 0;
  for (Index r = 0; r < a.rows; ++r) {
    empty += a.row_ptr[r] == a.row_ptr[r + 1];
    backwards += a.row_ptr[r] > a.row_ptr[r + 1];
  }
  if (backwards > 0)
    throw FormatError("The row pointer decreases in " + std::to_string(backwards) + " places. If the matrix has more than " +
                      std::to_string(std::numeric_limits<Index>::max()) + " nonzeros, use a PETSc configured with --with-64-bit-indices.");
  return empty;
}

template <class Index> NonEmptyRows<Index> list_non_empty_rows(const Index *row_ptr, Index rows, Index non_empty)
{
  NonEmptyRows<Index> list;
  list.row.reserve(non_empty);
  list.row_ptr.reserve(non_empty + 1);
  for (Index r = 0; r < rows; ++r) {
    if (row_ptr[r] == row_ptr[r + 1]) continue;
    list.row.push_back(r);
    list.row_ptr.push_back(row_ptr[r]);
  }
  list.row_ptr.push_back(row_ptr[rows]);
  return list;
}

/// Whether x is scattered: windows of entries touch about as many of its cache lines as they have entries.
template <class Scalar, class Index> bool scattered(const CsrView<Scalar, Index> &a)
{
  const std::int64_t window = tuning::sample_entries, last = a.nonzeros() - window;
  std::int64_t       lines = 0;
  std::vector<Index> line;
  for (std::int64_t s = 0; s < tuning::samples; ++s) {
    const Index *col = a.col + last / tuning::samples * s;
    line.clear();
    for (std::int64_t k = 0; k < window; ++k) line.push_back(col[k] / Index(64 / sizeof(Scalar)));
    std::sort(line.begin(), line.end());
    lines += std::unique(line.begin(), line.end()) - line.begin();
  }
  return lines * 100 > tuning::samples * window * tuning::scattered_percent;
}

/// Whether rows are as long as their neighbours, so that a loop over rows ends where the processor predicts it.
template <class Scalar, class Index> bool even(const CsrView<Scalar, Index> &a)
{
  if (a.rows < 2) return false;
  const std::int64_t window = std::min<std::int64_t>(tuning::sample_rows, a.rows - 1), last = a.rows - 1 - window;
  std::int64_t       same = 0;
  for (std::int64_t s = 0; s < tuning::samples; ++s) {
    const Index *row_ptr = a.row_ptr + last / tuning::samples * s;
    for (std::int64_t r = 0; r < window; ++r) same += row_ptr[r + 1] - row_ptr[r] == row_ptr[r + 2] - row_ptr[r + 1];
  }
  return same * 100 >= tuning::samples * window * tuning::even_percent;
}

/// Whether rows have so many entries in the mean, or more.
template <class Scalar, class Index> bool mean_reaches(const CsrView<Scalar, Index> &a, std::int64_t entries)
{
  return a.nonzeros() >= entries * a.rows;
}

/// For matrices that caches hold: what counts is the number of instructions, and of branches that are predicted wrongly.
template <class Scalar, class Index> Order order_in_caches(const CsrView<Scalar, Index> &a, bool small)
{
  const bool regular = even(a);
  if (a.nodes > 0 && mean_reaches(a, tuning::node_mean) && (small || !(regular || mean_reaches(a, tuning::node_mean_outside))))
    return Order::nodes;
  if (regular || mean_reaches(a, tuning::long_mean)) return small ? Order::rows_cached : Order::rows;
  if (!small) return Order::tiles_ahead;
  const bool learned = a.rows <= tuning::learned_rows && mean_reaches(a, tuning::loop_mean) && !mean_reaches(a, tuning::tile_mean);
  return learned ? Order::rows_cached : Order::tiles;
}

/// What a product waits for decides on the way through the matrix: instructions where caches hold it, else memory. From some samples.
template <class Scalar, class Index> Order find_order(const CsrView<Scalar, Index> &a)
{
  const std::int64_t bytes = a.nonzeros() * std::int64_t(sizeof(Scalar) + sizeof(Index));
  if (bytes < tuning::cache_bytes) return order_in_caches(a, bytes < tuning::small_bytes);
  if (a.cols * std::int64_t(sizeof(Scalar)) >= tuning::x_bytes && scattered(a))
    return mean_reaches(a, tuning::gather_mean) ? Order::rows_gather : Order::tiles_x;
  return mean_reaches(a, tuning::long_mean) || even(a) ? Order::rows : Order::tiles_ahead;
}

/// The order that was asked for, or found.
template <class Scalar, class Index> Order choose_order(const CsrView<Scalar, Index> &a, std::int64_t option)
{
  const Order order = option == 0 ? find_order(a) : static_cast<Order>(option - 1);
  return order == Order::nodes && a.nodes == 0 ? Order::tiles : order;
}

/// Rows of a list are written tile by tile.
Order by_tiles(Order order)
{
  if (order == Order::rows_cached) return Order::tiles;
  if (order == Order::rows) return Order::tiles_ahead;
  return order == Order::rows_gather ? Order::tiles_x : order;
}

} // namespace

template <class Scalar, class Index>
Plan<Scalar, Index>::Plan(const CsrView<Scalar, Index> &a, const OptionValues &options)
  : order(choose_order(a, options["order"])), non_empty(a.rows - count_empty_rows(a)),
    tile(static_cast<int>(options["bunch"] * options["height"])), bunch(options["steps"] * tile)
{
  const std::int64_t nonzeros = a.nonzeros(), empty = a.rows - non_empty;
  bunches    = static_cast<Index>((nonzeros + bunch - 1) / bunch);
  skip_empty = order != Order::nodes && nonzeros > 0 && empty > 0 && empty * 100 >= a.rows * options["skip_empty"];
  if (skip_empty) order = by_tiles(order);
}

template <class Scalar>
Buffers<Scalar>::Buffers(int tile)
  : product(kernels::TileBuffer<Scalar>::ring + kernels::TileBuffer<Scalar>::mirror), sum(tile + 1 + kernels::TileBuffer<Scalar>::pad),
    end(1 + tile + 1 + kernels::TileBuffer<Scalar>::pad)
{
  end.get()[0] = 0;
}

} // namespace aijspec

template <class Scalar, class Index>
AijSpec<Scalar, Index>::Impl::Impl(const View &a, const OptionValues &options, const Execution &execution)
  : plan(a, options), isa(aijspec::chosen_isa(options)), kernel(aijspec::multiply_kernel<Scalar, Index>(isa)), carry(plan.carries())
{
  if (plan.skip_empty) non_empty = aijspec::list_non_empty_rows(a.row_ptr, a.rows, plan.non_empty);
  layout.tile    = plan.tile;
  layout.bunch   = plan.bunch;
  layout.bunches = plan.bunches;
  layout.group   = static_cast<Index>(options["group"]);
  layout.order   = plan.order;
  layout.carry   = carry.data();

  const std::int64_t groups = (std::int64_t(layout.bunches) + layout.group - 1) / layout.group;
  const std::int64_t parts  = std::clamp<std::int64_t>(groups, 1, std::min(execution.threads, runtime::max_threads()));
  const int          tile   = static_cast<int>(std::min<std::int64_t>(layout.tile, a.nonzeros()));
  for (std::int64_t part = 0; part < parts; ++part) workspace.push_back({buffers.emplace_back(tile).view()});
  borrow(a);
}

template <class Scalar, class Index> void AijSpec<Scalar, Index>::Impl::borrow(const View &a)
{
  view            = a;
  layout.all_rows = a.rows;
  layout.rows     = plan.skip_empty ? static_cast<Index>(non_empty.row.size()) : a.rows;
  layout.row_ptr  = plan.skip_empty ? non_empty.row_ptr.data() : a.row_ptr;
  layout.row      = plan.skip_empty ? non_empty.row.data() : nullptr;
  layout.col      = a.col;
  layout.val      = a.val;
  layout.nonzeros = a.nonzeros();
  layout.nodes    = a.nodes;
  layout.node_ptr = a.node_ptr;
}

template struct aijspec::Plan<double, std::int32_t>;
template struct aijspec::Plan<double, std::int64_t>;
template struct aijspec::Plan<std::complex<double>, std::int32_t>;
template struct aijspec::Plan<std::complex<double>, std::int64_t>;
template struct AijSpec<double, std::int32_t>::Impl;
template struct AijSpec<double, std::int64_t>::Impl;
template struct AijSpec<std::complex<double>, std::int32_t>::Impl;
template struct AijSpec<std::complex<double>, std::int64_t>::Impl;

} // namespace petscspmv
