#include "impls/csr/csr.hpp"

#include <string>

#include "core/for_each_type.hpp"
#include "impls/csr/csr_host.hpp"
#include "impls/csr/csr_tuning.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/lanes/scalar.hpp"
#include "kernels/rows/carry.hpp"
#include "impls/csr/csr_segments.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::csr {
namespace {

constexpr std::int64_t                    most = std::int64_t(1) << 30, most_bunch = 16;
constexpr std::int64_t                    most_height = TileBuffer<double>::most / most_bunch;
constexpr std::array<std::string_view, 7> widths{"auto", "1", "2", "4", "8", "16", "32"};

template <class Scalar, class Index> Footprint footprint(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index> &plan)
{
  const auto bytes = [](std::int64_t n, std::size_t size) { return static_cast<std::size_t>(n) * size; };
  Footprint  f{{{"columns", bytes(a.nonzeros(), sizeof(Index)), true}, {"values", bytes(a.nonzeros(), sizeof(Scalar)), true}}};
  if (plan.skips_empty()) {
    f.arrays.push_back({"non-empty rows", bytes(plan.rows, sizeof(Index)), false});
    f.arrays.push_back({"row pointer without empty rows", bytes(plan.rows + 1, sizeof(Index)), false});
  } else f.arrays.push_back({"row pointer", bytes(a.rows + 1, sizeof(Index)), true});
  if (plan.order == Order::nodes) f.arrays.push_back({"nodes", bytes(a.nodes + 1, sizeof(Index)), true});
  if (plan.schedule == Schedule::parts)
    f.arrays.push_back({"parts of cut rows", bytes(plan.carries(), sizeof(kernels::Carry<Scalar, Index>)), false, true});
  else {
    f.arrays.push_back({"long rows", bytes(plan.long_rows, sizeof(LongRow<Index>)), false});
    f.arrays.push_back({"sums of pieces of long rows", bytes(plan.pieces, sizeof(Scalar)), false, true});
  }
  return f;
}

/// y[c] += alpha a_rc x[r] for the rows r in order, so that each y[c] is a sum in the order of the rows. The x of an
/// empty row is not multiplied: that may raise exceptions.
template <bool hermitian, class Scalar, class Index>
void scatter_rows(const CsrView<Scalar, Index> &a, Scalar alpha, const Scalar *x, Scalar *__restrict y)
{
  for (Index r = 0; r < a.rows; ++r) {
    if (a.row_ptr[r] == a.row_ptr[r + 1]) continue;
    const Scalar factor = alpha == Scalar(1) ? x[r] : kernels::multiply(alpha, x[r]);
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
      y[a.col[k]] += kernels::multiply(hermitian ? kernels::conjugate(a.val[k]) : a.val[k], factor);
  }
}

/// y = alpha op(A) x + beta y where that is no matter of the format: op is a transpose, alpha is zero, or there are no
/// entries. Returns false, having done nothing, where it is one.
template <class Scalar, class Index>
bool multiply_plainly(Operation op, const CsrView<Scalar, Index> &a, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  const bool nothing = alpha == Scalar(0) || a.nonzeros() == 0;
  if (op == Operation::none && !nothing) return false;
  kernels::scale(op == Operation::none ? a.rows : a.cols, beta, y);
  if (nothing) return true;
  if (op == Operation::hermitian) scatter_rows<true>(a, alpha, x, y);
  else scatter_rows<false>(a, alpha, x, y);
  return true;
}

/// Adds the pieces of every long row in their order.
template <class Scalar, class Index>
void join_pieces(const Layout<Scalar, Index> &a, const Scalar *part, const kernels::RowUpdate<Scalar> &update)
{
  for (Index k = 0; k < a.long_rows; ++k) {
    const Index end = k + 1 < a.long_rows ? a.long_row[k + 1].first_piece : a.pieces;
    Scalar      sum = 0;
    for (Index piece = a.long_row[k].first_piece; piece < end; ++piece)
      sum += part[piece]; // NOLINT(*.NullDereference): pieces are somewhere
    update(a.long_row[k].row, sum);
  }
}

} // namespace

constexpr std::array<OptionSpec, 7> parts_options{{
  internal(
    host_only({"bunch", tuning::bunch, 1, most_bunch, "Lanes of a bunch, the paper's T; with height it is the tile of T x W nonzeros"})),
  internal(host_only({"height", tuning::height, 1, most_height, "Nonzeros of a lane in a tile, the paper's W"})),
  internal(host_only({"steps", tuning::steps, 1, 1024, "Consecutive tiles of a bunch, the paper's S; rows are cut where bunches meet"})),
  internal(host_only({"group", tuning::group, 1, 1024, "Bunches of a group, the paper's B; threads are dealt whole groups"})),
  internal(host_only({"skip_empty", tuning::skip_empty, 0, 101,
                      "Percent of rows that are empty from which on a list of the others is kept; 101 for never"})),
  order_option,
  kernels::isa_option,
}};

constexpr std::array<OptionSpec, 5> tickets_options{{
  internal({"ticket", 0, 0, most, "Rows that are dealt at a time; 0 for a number that suits their mean length"}),
  internal({"threshold", 0, 0, most, "Rows with more entries are cut in pieces of so many; 0 for one that suits the host or the device"}),
  order_option,
  kernels::isa_option,
  internal(device_only(
    {"width", 0, 0, std::ssize(widths) - 1, "On a device: lanes that sum a row, the paper's V; auto looks at the mean length", widths})),
}};

template <Schedule schedule, class Scalar, class Index>
std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  return footprint(a, Plan<Scalar, Index>(schedule, a, options)).total();
}

template <Schedule schedule, class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return std::make_unique<HostMatrix<Scalar, Index>>(schedule, a, options, execution);
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (multiply_plainly(op, view_, alpha, x, beta, y)) return;
  const kernels::RowUpdate<Scalar> update(alpha, beta, y);
  if (plan_.schedule == Schedule::parts) multiply_parts(x, update);
  else multiply_tickets(x, update);
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_parts(const Scalar *x, const kernels::RowUpdate<Scalar> &update)
{
  const kernels::Scratch    scratch = scratch_.borrow(scratch_bytes());
  auto *const               carry   = reinterpret_cast<Carry *>(scratch.data());
  const std::int64_t        parts = threads_, groups = plan_.shares();
  std::atomic<std::int64_t> dirty{0};
  kernels::for_each_part(threads_, [&](int part) {
    const std::int64_t         first = groups * part / parts * plan_.group;
    const std::int64_t         last  = part + 1 == parts ? plan_.bunches : groups * (part + 1) / parts * plan_.group;
    PartialSums<Scalar, Index> partial{carry, nullptr};
    kernels_.multiply(plan_, first, last, x, update, partial);
    if (partial.dirty_tiles > 0) dirty.fetch_add(partial.dirty_tiles, std::memory_order_relaxed);
  });
  kernels::join_cut_rows(carry, plan_.carries(), update);
  dirty_tiles_.store(dirty, std::memory_order_relaxed);
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_tickets(const Scalar *x, const kernels::RowUpdate<Scalar> &update)
{
  const kernels::Scratch     scratch = scratch_.borrow(scratch_bytes());
  PartialSums<Scalar, Index> partial{nullptr, reinterpret_cast<Scalar *>(scratch.data())};
  kernels::for_each_ticket(threads_, plan_.shares(),
                           [&](std::int64_t ticket) { kernels_.multiply(plan_, ticket, ticket + 1, x, update, partial); });
  join_pieces(plan_, partial.piece_sum, update);
}

template <class Scalar, class Index> Footprint HostMatrix<Scalar, Index>::footprint() const
{
  Footprint f = csr::footprint(view_, plan_);
  f.scratch   = scratch_.bytes();
  f.tell_kept(sizeof(*this) + bytes_taken(plan_.long_list) + bytes_taken(non_empty_.row) + bytes_taken(non_empty_.row_ptr));
  return f;
}

template <class Scalar, class Index> Facts HostMatrix<Scalar, Index>::facts() const
{
  const auto      text = [](auto n) { return std::to_string(n); };
  const std::pair order("order of sums", std::string(order_names[plan_.order]));
  Facts           facts;
  if (plan_.schedule == Schedule::parts)
    facts = {{"tiles", text((std::int64_t(plan_.nonzeros) + plan_.tile - 1) / plan_.tile)},
             {"dirty tiles", text(dirty_tiles_.load())},
             order,
             {"nodes", text(plan_.nodes)},
             {"empty rows skipped", text(plan_.all_rows - plan_.rows)}};
  else
    facts = {{"tickets", text(plan_.shares())},
             {"rows a ticket", text(plan_.ticket)},
             {"long rows", text(plan_.long_rows)},
             {"pieces of long rows", text(plan_.pieces)},
             order};
  facts.insert(facts.end(), {{"instruction set", std::string(kernels::isa_facts[isa_])}, {"threads", text(threads_)}});
  return facts;
}

#define INSTANTIATE(S, I) \
  template class HostMatrix<S, I>; \
  INSTANTIATE_SCHEDULE(Schedule::parts, S, I) \
  INSTANTIATE_SCHEDULE(Schedule::tickets, S, I)
#define INSTANTIATE_SCHEDULE(schedule, S, I) \
  template std::size_t     predicted_bytes<schedule>(const CsrView<S, I> &, const OptionValues &); \
  template FormatPtr<S, I> on_host<schedule>(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::csr
