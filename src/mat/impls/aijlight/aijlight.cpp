#include "impls/aijlight/aijlight_host.hpp"

#include <string>

#include "core/for_each_type.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/transpose.hpp"

namespace petscspmv::aijlight {
namespace {

constexpr std::int64_t                    most = std::int64_t(1) << 30;
constexpr std::array<std::string_view, 7> widths{"auto", "1", "2", "4", "8", "16", "32"};

template <class Scalar, class Index> Footprint footprint(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index> &plan)
{
  const auto bytes = [](std::int64_t n, std::size_t size) { return static_cast<std::size_t>(n) * size; };
  Footprint  f{{{"columns", bytes(a.nonzeros(), sizeof(Index)), true},
                {"values", bytes(a.nonzeros(), sizeof(Scalar)), true},
                {"row pointer", bytes(a.rows + 1, sizeof(Index)), true}}};
  if (plan.order == Order::nodes) f.arrays.push_back({"nodes", bytes(a.nodes + 1, sizeof(Index)), true});
  f.arrays.push_back({"long rows", bytes(std::ssize(plan.long_rows.list), sizeof(LongRow<Index>)), false});
  f.arrays.push_back({"sums of pieces of long rows", bytes(plan.long_rows.pieces, sizeof(Scalar)), false});
  return f;
}

/// Adds the pieces of every long row in their order.
template <class Scalar, class Index>
void join_pieces(const Layout<Scalar, Index> &a, const Scalar *part, const kernels::RowUpdate<Scalar> &update)
{
  for (Index k = 0; k < a.long_rows; ++k) {
    const Index end = k + 1 < a.long_rows ? a.long_row[k + 1].first_piece : a.pieces;
    Scalar      sum = 0;
    for (Index piece = a.long_row[k].first_piece; piece < end; ++piece) sum += part[piece];
    update(a.long_row[k].row, sum);
  }
}

} // namespace

constexpr std::array<OptionSpec, 5> option_table{{
  internal({"ticket", 0, 0, most, "Rows that are dealt at a time; 0 for a number that suits their mean length"}),
  internal({"threshold", 0, 0, most, "Rows with more entries are cut in pieces of so many; 0 for one that suits the host or the device"}),
  internal(host_only({"order", 0, 0, std::ssize(kernels::order_choices) - 1,
                      "Way through the rows of a ticket, and what is asked for early; auto looks at sizes, rows and columns",
                      kernels::order_choices})),
  kernels::isa_option,
  internal(device_only(
    {"width", 0, 0, std::ssize(widths) - 1, "On a device: lanes that sum a row, the paper's V; auto looks at the mean length", widths})),
}};

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  return footprint(a, Plan<Scalar, Index>(a, options)).total();
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return std::make_unique<HostMatrix<Scalar, Index>>(a, options, execution);
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (kernels::multiply_plainly(op, this->view_, alpha, x, beta, y)) return;
  const kernels::RowUpdate<Scalar> update(alpha, beta, y);
  const auto                       loan = part_.borrow_if(layout_.pieces > 0, [this] { return new_part(); });
  Scalar *const                    part = loan ? loan->data() : nullptr;
  kernels::for_each_ticket(this->threads_, layout_.tickets(), [&](std::int64_t ticket) { kernel_(layout_, ticket, x, update, part); });
  join_pieces(layout_, part, update);
}

template <class Scalar, class Index> Footprint HostMatrix<Scalar, Index>::footprint() const
{
  return aijlight::footprint(this->view_, plan_);
}

template <class Scalar, class Index> Facts HostMatrix<Scalar, Index>::facts() const
{
  return this->with_common({{"tickets", std::to_string(layout_.tickets())},
                            {"rows a ticket", std::to_string(layout_.ticket)},
                            {"long rows", std::to_string(layout_.long_rows)},
                            {"pieces of long rows", std::to_string(layout_.pieces)},
                            {"order of sums", std::string(kernels::order_names[static_cast<int>(layout_.order)])}});
}

#define INSTANTIATE(S, I) \
  template class HostMatrix<S, I>; \
  template std::size_t     predicted_bytes(const CsrView<S, I> &, const OptionValues &); \
  template FormatPtr<S, I> on_host(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijlight
