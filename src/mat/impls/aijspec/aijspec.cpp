#include "impls/aijspec/aijspec.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/runtime.hpp"
#include "impls/aijspec/aijspec_device.hpp"
#include "impls/aijspec/aijspec_impl.hpp"
#include "impls/aijspec/aijspec_tuning.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/many/csr.hpp"
#include "kernels/rows/carry.hpp"
#include "kernels/rows/transpose.hpp"

namespace petscspmv {

template <class Scalar, class Index> std::span<const OptionSpec> AijSpec<Scalar, Index>::options()
{
  using namespace aijspec::tuning;
  static constexpr std::array<std::string_view, 3> tilings{"auto", "nonzeros", "rows"};
  static constexpr std::array<OptionSpec, 8>       table{{
          expert(host_only({"bunch", bunch, 1, 64, "Lanes of a bunch, the paper's T; with height it is the tile of T x W nonzeros"})),
          expert(host_only({"height", height, 1, 4096, "Nonzeros of a lane in a tile, the paper's W"})),
          expert(host_only({"steps", steps, 1, 1024, "Consecutive tiles of a bunch, the paper's S; rows are cut where bunches meet"})),
          expert(host_only({"group", group, 1, 1024, "Bunches of a group, the paper's B; threads are dealt whole groups"})),
          expert(host_only(
            {"skip_empty", skip_empty, 0, 101, "Percent of rows that are empty from which on a list of the others is kept; 101 for never"})),
          expert(
            host_only({"order", 0, 0, std::ssize(kernels::order_choices) - 1,
                       "Way through the matrix, and what is asked for early; auto looks at sizes, rows and columns", kernels::order_choices})),
          kernels::isa_option,
          expert(device_only({"tiling", 0, 0, 2, "On a device: what a block of threads sums, equal numbers of nonzeros or of rows", tilings})),
  }};
  return table;
}

namespace aijspec {
namespace {

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
} // namespace aijspec

template <class Scalar, class Index> std::size_t AijSpec<Scalar, Index>::predicted_bytes(const View &a, const OptionValues &options)
{
  return aijspec::footprint(a, aijspec::Plan<Scalar, Index>(a, options)).total();
}

template <class Scalar, class Index> AijSpec<Scalar, Index>::AijSpec(const View &a, const OptionValues &options, const Execution &execution)
{
  if (execution.space == MemorySpace::host) impl_.reset(new Impl(a, options, execution));
  else if constexpr (on_device) device_ = aijspec::make_device_matrix(a, options, execution.threads);
  else throw FormatError(runtime::device_problem());
}
template <class Scalar, class Index> AijSpec<Scalar, Index>::~AijSpec() = default;

template <class Scalar, class Index> void AijSpec<Scalar, Index>::refresh(const View &a)
{
  if (device_) device_->refresh(a);
  else impl_->borrow(a);
}

template <class Scalar, class Index>
void AijSpec<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (device_) return device_->multiply(op, alpha, x, beta, y);
  Impl &impl = *impl_;
  if (kernels::multiply_plainly(op, impl.view, alpha, x, beta, y)) return;
  const auto                      &layout = impl.layout;
  const kernels::RowUpdate<Scalar> update(alpha, beta, y);
  const auto                       scratch = impl.scratch.borrow([&impl] { return impl.new_scratch(); });
  const std::int64_t               parts = impl.parts, groups = (std::int64_t(layout.bunches) + layout.group - 1) / layout.group;
  kernels::for_each_part(impl.parts, [&](int part) {
    const auto first = static_cast<Index>(groups * part / parts * layout.group);
    const auto last  = part + 1 == parts ? layout.bunches : static_cast<Index>(groups * (part + 1) / parts * layout.group);
    impl.kernel(layout, first, last, x, update, scratch->workspace[part]);
  });
  if (layout.order != aijspec::Order::nodes) kernels::join_cut_rows(scratch->carry.data(), layout.bunches, update);
  std::int64_t dirty = 0;
  for (const auto &work : scratch->workspace) dirty += work.dirty_tiles;
  impl.dirty_tiles.store(dirty, std::memory_order_relaxed);
}

template <class Scalar, class Index>
void AijSpec<Scalar, Index>::multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                           int columns)
{
  if (device_) return device_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  Impl &impl = *impl_;
  kernels::multiply_many(*this, impl.view, Operation::none, impl.isa, impl.parts, impl.packed, alpha, x, ldx, beta, y, ldy, columns);
}

template <class Scalar, class Index>
void AijSpec<Scalar, Index>::multiply_many_transposed(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                                      std::int64_t ldy, int columns)
{
  if (device_) return device_->multiply_many_transposed(alpha, x, ldx, beta, y, ldy, columns);
  Impl &impl = *impl_;
  kernels::multiply_many(*this, impl.view, Operation::transpose, impl.isa, impl.parts, impl.packed, alpha, x, ldx, beta, y, ldy, columns);
}

template <class Scalar, class Index> Footprint AijSpec<Scalar, Index>::footprint() const
{
  return device_ ? device_->footprint() : aijspec::footprint(impl_->view, impl_->plan);
}

template <class Scalar, class Index> Facts AijSpec<Scalar, Index>::facts() const
{
  if (device_) return device_->facts();
  const auto &layout = impl_->layout;
  Facts       facts{{"tiles", std::to_string((std::int64_t(layout.nonzeros) + layout.tile - 1) / layout.tile)},
              {"dirty tiles", std::to_string(impl_->dirty_tiles.load())},
              {"order of sums", std::string(kernels::order_names[static_cast<int>(layout.order)])},
              {"nodes", std::to_string(layout.nodes)},
              {"empty rows skipped", std::to_string(std::int64_t(layout.all_rows) - layout.rows)},
              {"instruction set", std::string(kernels::name(impl_->isa))},
              {"threads", std::to_string(impl_->parts)}};
  kernels::tell_packed(impl_->view, impl_->packed, facts);
  return facts;
}

template class AijSpec<double, std::int32_t>;
template class AijSpec<double, std::int64_t>;
template class AijSpec<std::complex<double>, std::int32_t>;
template class AijSpec<std::complex<double>, std::int64_t>;

} // namespace petscspmv
