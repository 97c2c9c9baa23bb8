#pragma once

/// \file order.hpp
/// The ways through a matrix on the host, and which one suits it: from its sizes and some samples of its rows and
/// columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/csr_view.hpp"
#include "kernels/lanes/prefetch.hpp"

namespace petscspmv::kernels {

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
inline constexpr std::array<std::string_view, 8> order_names{"tiles", "tiles_ahead", "tiles_x", "rows_cached",
                                                             "rows",  "rows_gather", "rows_x",  "nodes"};

/// The values of an option that asks for one: auto, and these.
inline constexpr auto order_choices = [] {
  std::array<std::string_view, order_names.size() + 1> names{"auto"};
  for (std::size_t i = 0; i < order_names.size(); ++i) names[i + 1] = order_names[i];
  return names;
}();

/// What such an option stands for.
template <class Scalar, class Index> Order choose_order(const CsrView<Scalar, Index> &a, std::int64_t choice);

[[gnu::always_inline]] constexpr bool goes_by_tiles(Order order)
{
  return order <= Order::tiles_x;
}

/// What it asks for early.
[[gnu::always_inline]] constexpr Access access_of(Order order)
{
  switch (order) {
  case Order::tiles_ahead:
  case Order::rows:
    return Access::streams;
  case Order::rows_gather:
    return Access::scattered;
  case Order::tiles_x:
  case Order::rows_x:
    return Access::far;
  case Order::tiles:
  case Order::rows_cached:
  case Order::nodes:
    return Access::cached;
  }
  __builtin_unreachable();
}

} // namespace petscspmv::kernels
