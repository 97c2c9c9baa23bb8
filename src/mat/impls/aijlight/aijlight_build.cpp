#include <algorithm>

#include "core/runtime.hpp"
#include "impls/aijlight/aijlight_impl.hpp"
#include "impls/aijlight/aijlight_tuning.hpp"
#include "kernels/rows/pointer.hpp"

namespace petscspmv {
namespace aijlight {
namespace {

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

template <class Index> LongRows<Index>::LongRows(const Index *row_ptr, Index rows, Index piece_entries) : piece(piece_entries)
{
  kernels::visit_rows(row_ptr, rows, [this](Index row, Index entries) {
    if (entries <= piece) return;
    list.push_back({row, pieces});
    pieces += (entries - 1) / piece + 1;
  });
}

template <class Scalar, class Index>
Plan<Scalar, Index>::Plan(const CsrView<Scalar, Index> &a, const OptionValues &options)
  : order(kernels::choose_order(a, options["order"])), ticket(asked_or<Index>(options, "ticket", ticket_rows(a.rows, a.nonzeros()))),
    long_rows(a.row_ptr, a.rows, asked_or<Index>(options, "threshold", tuning::piece))
{
}

} // namespace aijlight

template <class Scalar, class Index>
AijLight<Scalar, Index>::Impl::Impl(const View &a, const OptionValues &options, const Execution &execution)
  : plan(a, options), isa(kernels::chosen_isa(options["isa"])), kernel(aijlight::multiply_kernel<Scalar, Index>(isa))
{
  layout.order     = plan.order;
  layout.ticket    = plan.ticket;
  layout.piece     = plan.long_rows.piece;
  layout.pieces    = plan.long_rows.pieces;
  layout.long_rows = static_cast<Index>(plan.long_rows.list.size());
  layout.long_row  = plan.long_rows.list.data();
  part.renew([this] { return new_part(); });
  borrow(a);
  threads =
    static_cast<int>(std::clamp<std::int64_t>(layout.tickets(), 1, std::max(1, std::min(execution.threads, runtime::max_threads()))));
}

template <class Scalar, class Index> void AijLight<Scalar, Index>::Impl::borrow(const View &a)
{
  view            = a;
  layout.rows     = a.rows;
  layout.nonzeros = a.nonzeros();
  layout.row_ptr  = a.row_ptr;
  layout.col      = a.col;
  layout.val      = a.val;
  layout.nodes    = a.nodes;
  layout.node_ptr = a.node_ptr;
}

template struct aijlight::LongRows<std::int32_t>;
template struct aijlight::LongRows<std::int64_t>;
template struct aijlight::Plan<double, std::int32_t>;
template struct aijlight::Plan<double, std::int64_t>;
template struct aijlight::Plan<std::complex<double>, std::int32_t>;
template struct aijlight::Plan<std::complex<double>, std::int64_t>;
template struct AijLight<double, std::int32_t>::Impl;
template struct AijLight<double, std::int64_t>::Impl;
template struct AijLight<std::complex<double>, std::int32_t>::Impl;
template struct AijLight<std::complex<double>, std::int64_t>::Impl;

} // namespace petscspmv
