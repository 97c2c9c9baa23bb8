#include <algorithm>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/aijspec/aijspec_host.hpp"
#include "impls/aijspec/aijspec_tuning.hpp"
#include "kernels/rows/pointer.hpp"
#include "kernels/rows/segments.hpp"

namespace petscspmv::aijspec {
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

template <class Scalar, class Index>
HostMatrix<Scalar, Index>::HostMatrix(const View &a, const OptionValues &options, const Execution &execution)
  : Base(kernels::chosen_isa(options["isa"])), plan_(a, options), kernel_(multiply_kernel<Scalar, Index>(this->isa_))
{
  if (plan_.skip_empty) non_empty_ = list_non_empty_rows(a.row_ptr, a.rows, plan_.non_empty);
  layout_.tile    = plan_.tile;
  layout_.bunch   = plan_.bunch;
  layout_.bunches = plan_.bunches;
  layout_.group   = static_cast<Index>(options["group"]);
  layout_.order   = plan_.order;

  const std::int64_t groups = (std::int64_t(layout_.bunches) + layout_.group - 1) / layout_.group;
  this->threads_            = static_cast<int>(std::clamp<std::int64_t>(groups, 1, std::min(execution.threads, runtime::max_threads())));
  largest_tile_             = static_cast<int>(std::min<std::int64_t>(layout_.tile, a.nonzeros()));
  scratch_.renew([this] { return new_scratch(); });
  refresh(a);
}

template <class Scalar, class Index> void HostMatrix<Scalar, Index>::refresh(const View &a)
{
  this->view_      = a;
  layout_.all_rows = a.rows;
  layout_.rows     = plan_.skip_empty ? static_cast<Index>(non_empty_.row.size()) : a.rows;
  layout_.row_ptr  = plan_.skip_empty ? non_empty_.row_ptr.data() : a.row_ptr;
  layout_.row      = plan_.skip_empty ? non_empty_.row.data() : nullptr;
  layout_.col      = a.col;
  layout_.val      = a.val;
  layout_.nonzeros = a.nonzeros();
  layout_.nodes    = a.nodes;
  layout_.node_ptr = a.node_ptr;
}

#define INSTANTIATE(S, I) \
  template struct Plan<S, I>; \
  template struct Scratch<S, I>; \
  template HostMatrix<S, I>::HostMatrix(const View &, const OptionValues &, const Execution &); \
  template void HostMatrix<S, I>::refresh(const View &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijspec
