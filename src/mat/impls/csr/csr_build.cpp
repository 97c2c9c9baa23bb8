#include <algorithm>
#include <limits>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/csr/csr_host.hpp"
#include "impls/csr/csr_tuning.hpp"
#include "kernels/rows/pointer.hpp"

namespace petscspmv::csr {
namespace {

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

/// Rows that have about the entries of a ticket; a row itself counts as one. The number of threads has no say: it must
/// not change a bit.
std::int64_t ticket_rows(std::int64_t rows, std::int64_t nonzeros)
{
  const std::int64_t all     = rows + nonzeros;
  const std::int64_t entries = std::clamp(all / tuning::ticket_share, tuning::least_ticket_entries, tuning::most_ticket_entries);
  const std::int64_t n       = rows * entries / std::max<std::int64_t>(all, 1);
  return (n / tuning::ticket_grain + 1) * tuning::ticket_grain;
}

/// An option that says how many, where 0 leaves it to us.
template <class Index> Index asked_or(const OptionValues &options, std::string_view key, std::int64_t otherwise)
{
  return static_cast<Index>(options[key] > 0 ? options[key] : otherwise);
}

} // namespace

template <class Scalar, class Index>
Plan<Scalar, Index>::Plan(Schedule how, const CsrView<Scalar, Index> &a, const OptionValues &options) : Layout<Scalar, Index>{}
{
  this->schedule = how;
  this->all_rows = this->rows = a.rows;
  this->order                 = choose_order(a, options[order_option]);
  if (how == Schedule::parts) plan_parts(a, options);
  else plan_tickets(a, options);
}

template <class Scalar, class Index> void Plan<Scalar, Index>::plan_parts(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  Index empty = 0;
  kernels::visit_rows(a.row_ptr, a.rows, [&empty](Index, Index entries) { empty += entries == 0; });
  this->piece   = std::numeric_limits<Index>::max(); // rows are cut at the ends of bunches alone
  this->tile    = static_cast<int>(options["bunch"] * options["height"]);
  this->bunch   = options["steps"] * this->tile;
  this->bunches = static_cast<Index>((a.nonzeros() + this->bunch - 1) / this->bunch);
  this->group   = static_cast<Index>(options["group"]);
  if (this->order == Order::nodes || a.nonzeros() == 0 || empty == 0 || empty * std::int64_t(100) < a.rows * options["skip_empty"]) return;
  this->rows -= empty;
  this->order = by_tiles(this->order);
}

template <class Scalar, class Index> void Plan<Scalar, Index>::plan_tickets(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  this->ticket = asked_or<Index>(options, "ticket", ticket_rows(a.rows, a.nonzeros()));
  this->piece  = asked_or<Index>(options, "threshold", tuning::piece);
  kernels::visit_rows(a.row_ptr, a.rows, [this](Index row, Index entries) {
    if (entries <= this->piece) return;
    long_list.push_back({row, this->pieces});
    this->pieces += (entries - 1) / this->piece + 1;
  });
  this->long_rows = static_cast<Index>(long_list.size());
}

template <class Scalar, class Index>
HostMatrix<Scalar, Index>::HostMatrix(Schedule schedule, const View &a, const OptionValues &options, const Execution &execution)
  : Format<Scalar, Index>(a, execution, a.nodes > 0 ? PatternUse::all : PatternUse::row_ptr),
    isa_(kernels::chosen_isa(options[kernels::isa_option])), kernels_(kernels_for<Scalar, Index>(isa_)), plan_(schedule, a, options)
{
  if (plan_.skips_empty()) non_empty_ = list_non_empty_rows(a.row_ptr, a.rows, plan_.rows);
  plan_.long_row = plan_.long_list.data();
  HostMatrix::take_values(a);
  const std::int64_t most = std::max(1, std::min(execution.threads, runtime::max_threads()));
  threads_                = static_cast<int>(std::clamp<std::int64_t>(plan_.shares(), 1, most));
  scratch_.raise(scratch_bytes());
}

template <class Scalar, class Index> void HostMatrix<Scalar, Index>::take_values(const View &a)
{
  view_          = a;
  plan_.row_ptr  = plan_.skips_empty() ? non_empty_.row_ptr.data() : a.row_ptr;
  plan_.row      = plan_.skips_empty() ? non_empty_.row.data() : nullptr;
  plan_.col      = a.col;
  plan_.val      = a.val;
  plan_.nonzeros = a.nonzeros();
  plan_.nodes    = a.nodes;
  plan_.node_ptr = a.node_ptr;
}

#define INSTANTIATE(S, I) \
  template struct Plan<S, I>; \
  template HostMatrix<S, I>::HostMatrix(Schedule, const View &, const OptionValues &, const Execution &); \
  template void HostMatrix<S, I>::take_values(const View &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::csr
