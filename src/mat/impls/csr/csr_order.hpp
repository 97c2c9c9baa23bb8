#pragma once

/// \file csr_order.hpp
/// The ways through a matrix on the host, and which one suits it: from its sizes and some samples of its rows and
/// columns.

#include <optional>

#include "core/csr_view.hpp"
#include "core/options.hpp"
#include "kernels/lanes/prefetch.hpp"

namespace petscspmv::csr {

/// How entries become sums of rows.
enum class Order {
  tiles,       ///< many short rows at a time by segmented sums, no prefetches
  tiles_ahead, ///< the same, entries prefetched
  tiles_x,     ///< the same, x too
  rows_cached, ///< row by row, no prefetches
  rows,        ///< the same, entries prefetched
  rows_gather, ///< the same with the processor's gathers, which keep more of a scattered x under way
  rows_x,      ///< the same, x prefetched, too
  nodes,       ///< the rows of a node side by side, no prefetches; never where nothing is known of nodes
};
inline constexpr auto order_names   = names<Order>({{Order::tiles, "tiles"},
                                                    {Order::tiles_ahead, "tiles_ahead"},
                                                    {Order::tiles_x, "tiles_x"},
                                                    {Order::rows_cached, "rows_cached"},
                                                    {Order::rows, "rows"},
                                                    {Order::rows_gather, "rows_gather"},
                                                    {Order::rows_x, "rows_x"},
                                                    {Order::nodes, "nodes"}});
inline constexpr auto order_choices = or_auto(order_names);

/// The option that asks for one.
inline constexpr auto order_option = internal(host_only(Choice(
  "order", order_choices, {}, "Way through the matrix or a ticket, and what is asked for early; auto looks at sizes, rows and columns")));

/// What it stands for.
template <class Scalar, class Index> Order choose_order(const CsrView<Scalar, Index> &a, std::optional<Order> asked);

[[gnu::always_inline]] constexpr bool goes_by_tiles(Order order)
{
  return order <= Order::tiles_x;
}

/// What it asks for early.
[[gnu::always_inline]] constexpr kernels::Access access_of(Order order)
{
  switch (order) {
  case Order::tiles_ahead:
  case Order::rows:
    return kernels::Access::streams;
  case Order::rows_gather:
    return kernels::Access::scattered;
  case Order::tiles_x:
  case Order::rows_x:
    return kernels::Access::far;
  case Order::tiles:
  case Order::rows_cached:
  case Order::nodes:
    return kernels::Access::cached;
  }
  __builtin_unreachable();
}

} // namespace petscspmv::csr
