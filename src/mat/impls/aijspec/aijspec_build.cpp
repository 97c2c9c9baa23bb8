#include <algorithm>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/aijspec/aijspec_impl.hpp"
#include "impls/aijspec/aijspec_tuning.hpp"
#include "kernels/rows/pointer.hpp"
#include "kernels/rows/segments.hpp"

namespace petscspmv {
namespace aijspec {
namespace {

template <class Scalar, class Index> Index count_empty_rows(const CsrView<Scalar, Index> &a)
{
  Index empty = 0;
  kernels::visit_rows(a.row_ptr, a.rows, [&empty](Index, Index entries) { empty += entries == 0; });
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

/// Rows of a list are written tile by tile.
Order by_tiles(Order order)
{
  if (order == Order::rows_cached) return Order::tiles;
  if (order == Order::rows) return Order::tiles_ahead;
  return order == Order::rows_gather || order == Order::rows_x ? Order::tiles_x : order;
}

} // namespace

template <class Scalar, class Index>
Plan<Scalar, Index>::Plan(const CsrView<Scalar, Index> &a, const OptionValues &options)
  : order(kernels::choose_order(a, options["order"])), non_empty(a.rows - count_empty_rows(a)),
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

template <class Scalar, class Index> Scratch<Scalar, Index>::Scratch(Index carries, int parts, int tile) : carry(carries)
{
  for (int part = 0; part < parts; ++part) workspace.push_back({buffers.emplace_back(tile).view(), carry.data()});
}

} // namespace aijspec

template <class Scalar, class Index>
AijSpec<Scalar, Index>::Impl::Impl(const View &a, const OptionValues &options, const Execution &execution)
  : plan(a, options), isa(kernels::chosen_isa(options["isa"])), kernel(aijspec::multiply_kernel<Scalar, Index>(isa))
{
  if (plan.skip_empty) non_empty = aijspec::list_non_empty_rows(a.row_ptr, a.rows, plan.non_empty);
  layout.tile    = plan.tile;
  layout.bunch   = plan.bunch;
  layout.bunches = plan.bunches;
  layout.group   = static_cast<Index>(options["group"]);
  layout.order   = plan.order;

  const std::int64_t groups = (std::int64_t(layout.bunches) + layout.group - 1) / layout.group;
  parts                     = static_cast<int>(std::clamp<std::int64_t>(groups, 1, std::min(execution.threads, runtime::max_threads())));
  largest_tile              = static_cast<int>(std::min<std::int64_t>(layout.tile, a.nonzeros()));
  scratch.renew([this] { return new_scratch(); });
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

#define INSTANTIATE(S, I) \
  template struct aijspec::Plan<S, I>; \
  template struct aijspec::Scratch<S, I>; \
  template struct AijSpec<S, I>::Impl;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
