#include <algorithm>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/aijlight/aijlight_host.hpp"
#include "impls/aijlight/aijlight_tuning.hpp"
#include "kernels/rows/pointer.hpp"

namespace petscspmv::aijlight {
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

template <class Scalar, class Index>
HostMatrix<Scalar, Index>::HostMatrix(const View &a, const OptionValues &options, const Execution &execution)
  : Base(kernels::chosen_isa(options["isa"])), plan_(a, options), kernel_(multiply_kernel<Scalar, Index>(this->isa_))
{
  layout_.order     = plan_.order;
  layout_.ticket    = plan_.ticket;
  layout_.piece     = plan_.long_rows.piece;
  layout_.pieces    = plan_.long_rows.pieces;
  layout_.long_rows = static_cast<Index>(plan_.long_rows.list.size());
  layout_.long_row  = plan_.long_rows.list.data();
  part_.renew([this] { return new_part(); });
  refresh(a);
  this->threads_ =
    static_cast<int>(std::clamp<std::int64_t>(layout_.tickets(), 1, std::max(1, std::min(execution.threads, runtime::max_threads()))));
}

template <class Scalar, class Index> void HostMatrix<Scalar, Index>::refresh(const View &a)
{
  this->view_      = a;
  layout_.rows     = a.rows;
  layout_.nonzeros = a.nonzeros();
  layout_.row_ptr  = a.row_ptr;
  layout_.col      = a.col;
  layout_.val      = a.val;
  layout_.nodes    = a.nodes;
  layout_.node_ptr = a.node_ptr;
}

template struct LongRows<std::int32_t>;
template struct LongRows<std::int64_t>;
#define INSTANTIATE(S, I) \
  template struct Plan<S, I>; \
  template HostMatrix<S, I>::HostMatrix(const View &, const OptionValues &, const Execution &); \
  template void HostMatrix<S, I>::refresh(const View &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijlight
