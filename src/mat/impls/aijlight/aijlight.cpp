#include "impls/aijlight/aijlight.hpp"

#include <array>
#include <string>

#include "core/runtime.hpp"
#include "impls/aijlight/aijlight_device.hpp"
#include "impls/aijlight/aijlight_impl.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/many/csr.hpp"
#include "kernels/rows/transpose.hpp"

namespace petscspmv {

template <class Scalar, class Index> std::span<const OptionSpec> AijLight<Scalar, Index>::options()
{
  constexpr std::int64_t                           most = std::int64_t(1) << 30;
  static constexpr std::array<std::string_view, 7> widths{"auto", "1", "2", "4", "8", "16", "32"};
  static constexpr std::array<OptionSpec, 5>       table{{
          expert({"ticket", 0, 0, most, "Rows that are dealt at a time; 0 for a number that suits their mean length"}),
          expert({"threshold", 0, 0, most, "Rows with more entries are cut in pieces of so many; 0 for one that suits the host or the device"}),
          expert(host_only({"order", 0, 0, std::ssize(kernels::order_choices) - 1,
                            "Way through the rows of a ticket, and what is asked for early; auto looks at sizes, rows and columns",
                            kernels::order_choices})),
          kernels::isa_option,
          expert(device_only(
            {"width", 0, 0, std::ssize(widths) - 1, "On a device: lanes that sum a row, the paper's V; auto looks at the mean length", widths})),
  }};
  return table;
}

namespace aijlight {
namespace {

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
} // namespace aijlight

template <class Scalar, class Index> std::size_t AijLight<Scalar, Index>::predicted_bytes(const View &a, const OptionValues &options)
{
  return aijlight::footprint(a, aijlight::Plan<Scalar, Index>(a, options)).total();
}

template <class Scalar, class Index>
AijLight<Scalar, Index>::AijLight(const View &a, const OptionValues &options, const Execution &execution)
{
  if (execution.space == MemorySpace::host) impl_.reset(new Impl(a, options, execution));
  else if constexpr (on_device) device_ = aijlight::make_device_matrix(a, options, execution.threads);
  else throw FormatError(runtime::device_problem());
}
template <class Scalar, class Index> AijLight<Scalar, Index>::~AijLight() = default;

template <class Scalar, class Index> void AijLight<Scalar, Index>::refresh(const View &a)
{
  if (device_) device_->refresh(a);
  else impl_->borrow(a);
}

template <class Scalar, class Index>
void AijLight<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (device_) return device_->multiply(op, alpha, x, beta, y);
  Impl &impl = *impl_;
  if (kernels::multiply_plainly(op, impl.view, alpha, x, beta, y)) return;
  const kernels::RowUpdate<Scalar> update(alpha, beta, y);
  const auto                       loan = impl.part.borrow_if(impl.layout.pieces > 0, [&impl] { return impl.new_part(); });
  Scalar *const                    part = loan ? loan->data() : nullptr;
  kernels::for_each_ticket(impl.threads, impl.layout.tickets(),
                           [&](std::int64_t ticket) { impl.kernel(impl.layout, ticket, x, update, part); });
  aijlight::join_pieces(impl.layout, part, update);
}

template <class Scalar, class Index>
void AijLight<Scalar, Index>::multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                            int columns)
{
  if (device_) return device_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  Impl &impl = *impl_;
  kernels::multiply_many(*this, impl.view, Operation::none, impl.isa, impl.threads, impl.packed, alpha, x, ldx, beta, y, ldy, columns);
}

template <class Scalar, class Index>
void AijLight<Scalar, Index>::multiply_many_transposed(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                                       std::int64_t ldy, int columns)
{
  if (device_) return device_->multiply_many_transposed(alpha, x, ldx, beta, y, ldy, columns);
  Impl &impl = *impl_;
  kernels::multiply_many(*this, impl.view, Operation::transpose, impl.isa, impl.threads, impl.packed, alpha, x, ldx, beta, y, ldy, columns);
}

template <class Scalar, class Index> Footprint AijLight<Scalar, Index>::footprint() const
{
  return device_ ? device_->footprint() : aijlight::footprint(impl_->view, impl_->plan);
}

template <class Scalar, class Index> Facts AijLight<Scalar, Index>::facts() const
{
  if (device_) return device_->facts();
  const auto &layout = impl_->layout;
  Facts       facts{{"tickets", std::to_string(layout.tickets())},
              {"rows a ticket", std::to_string(layout.ticket)},
              {"long rows", std::to_string(layout.long_rows)},
              {"pieces of long rows", std::to_string(layout.pieces)},
              {"order of sums", std::string(kernels::order_names[static_cast<int>(layout.order)])},
              {"instruction set", std::string(kernels::name(impl_->isa))},
              {"threads", std::to_string(impl_->threads)}};
  kernels::tell_packed(impl_->view, impl_->packed, facts);
  return facts;
}

template class AijLight<double, std::int32_t>;
template class AijLight<double, std::int64_t>;
template class AijLight<std::complex<double>, std::int32_t>;
template class AijLight<std::complex<double>, std::int64_t>;

} // namespace petscspmv
