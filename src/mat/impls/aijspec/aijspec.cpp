#include "impls/aijspec/aijspec_host.hpp"

#include <algorithm>
#include <string>

#include "core/for_each_type.hpp"
#include "impls/aijspec/aijspec_tuning.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/carry.hpp"
#include "kernels/rows/transpose.hpp"

namespace petscspmv::aijspec {
namespace {

constexpr std::array<std::string_view, 3> tilings{"auto", "nonzeros", "rows"};

template <class Scalar, class Index> Footprint footprint(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index> &plan)
{
  const auto bytes = [](Index n, std::size_t size) { return static_cast<std::size_t>(n) * size; };
  Footprint  f{{{"columns", bytes(a.nonzeros(), sizeof(Index)), true}, {"values", bytes(a.nonzeros(), sizeof(Scalar)), true}}};
  if (plan.skip_empty) {
    f.arrays.push_back({"non-empty rows", bytes(plan.non_empty, sizeof(Index)), false});
    f.arrays.push_back({"row pointer without empty rows", bytes(plan.non_empty + 1, sizeof(Index)), false});
  } else f.arrays.push_back({"row pointer", bytes(a.rows + 1, sizeof(Index)), true});
  if (plan.order == Order::nodes) f.arrays.push_back({"nodes", bytes(a.nodes + 1, sizeof(Index)), true});
  f.arrays.push_back({"parts of cut rows", bytes(plan.carries(), sizeof(kernels::Carry<Scalar, Index>)), false});
  return f;
}

} // namespace

using namespace tuning;
constexpr std::array<OptionSpec, 8> option_table{{
  internal(host_only({"bunch", bunch, 1, 64, "Lanes of a bunch, the paper's T; with height it is the tile of T x W nonzeros"})),
  internal(host_only({"height", height, 1, 4096, "Nonzeros of a lane in a tile, the paper's W"})),
  internal(host_only({"steps", steps, 1, 1024, "Consecutive tiles of a bunch, the paper's S; rows are cut where bunches meet"})),
  internal(host_only({"group", group, 1, 1024, "Bunches of a group, the paper's B; threads are dealt whole groups"})),
  internal(host_only(
    {"skip_empty", skip_empty, 0, 101, "Percent of rows that are empty from which on a list of the others is kept; 101 for never"})),
  internal(
    host_only({"order", 0, 0, std::ssize(kernels::order_choices) - 1,
               "Way through the matrix, and what is asked for early; auto looks at sizes, rows and columns", kernels::order_choices})),
  kernels::isa_option,
  internal(device_only({"tiling", 0, 0, 2, "On a device: what a block of threads sums, equal numbers of nonzeros or of rows", tilings})),
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
  const auto                       scratch = scratch_.borrow([this] { return new_scratch(); });
  const std::int64_t               parts = this->threads_, groups = (std::int64_t(layout_.bunches) + layout_.group - 1) / layout_.group;
  kernels::for_each_part(this->threads_, [&](int part) {
    const auto first = static_cast<Index>(groups * part / parts * layout_.group);
    const auto last  = part + 1 == parts ? layout_.bunches : static_cast<Index>(groups * (part + 1) / parts * layout_.group);
    kernel_(layout_, first, last, x, update, scratch->workspace[part]);
  });
  if (layout_.order != Order::nodes) kernels::join_cut_rows(scratch->carry.data(), layout_.bunches, update);
  std::int64_t dirty = 0;
  for (const auto &work : scratch->workspace) dirty += work.dirty_tiles;
  dirty_tiles_.store(dirty, std::memory_order_relaxed);
}

template <class Scalar, class Index> Footprint HostMatrix<Scalar, Index>::footprint() const
{
  return aijspec::footprint(this->view_, plan_);
}

template <class Scalar, class Index> Facts HostMatrix<Scalar, Index>::facts() const
{
  return this->with_common({{"tiles", std::to_string((std::int64_t(layout_.nonzeros) + layout_.tile - 1) / layout_.tile)},
                            {"dirty tiles", std::to_string(dirty_tiles_.load())},
                            {"order of sums", std::string(kernels::order_names[static_cast<int>(layout_.order)])},
                            {"nodes", std::to_string(layout_.nodes)},
                            {"empty rows skipped", std::to_string(std::int64_t(layout_.all_rows) - layout_.rows)}});
}

#define INSTANTIATE(S, I) \
  template class HostMatrix<S, I>; \
  template std::size_t     predicted_bytes(const CsrView<S, I> &, const OptionValues &); \
  template FormatPtr<S, I> on_host(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::aijspec
