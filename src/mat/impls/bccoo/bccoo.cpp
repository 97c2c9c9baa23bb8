#include "impls/bccoo/bccoo.hpp"

#include <array>
#include <string>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/bccoo/bccoo_decode.hpp"
#include "impls/bccoo/bccoo_impl.hpp"
#include "impls/bccoo/bccoo_shape.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/many/columns.hpp"
#include "kernels/rows/transpose.hpp"

namespace petscspmv {

template <class Scalar, class Index> std::span<const OptionSpec> Bccoo<Scalar, Index>::options()
{
  static constexpr std::array<std::string_view, 9> sides{"auto", "1", "2", "3", "4", "5", "6", "7", "8"};
  static constexpr std::array<std::string_view, 4> columns{"auto", "16", "deltas", "32"};
  static constexpr std::array<std::string_view, 2> goals{"time", "bytes"};
  static constexpr std::array<OptionSpec, 9>       table{{
          {"block_rows", 0, 0, bccoo::longest_side, "Rows of a block; auto looks at how full blocks would be in some of the rows", sides},
          {"block_columns", 0, 0, bccoo::longest_side, "Columns of a block; auto as for rows", sides},
          expert({"slices", 0, 0, bccoo::tuning::most_slices, "Vertical slices (BCCOO+), whose sums are added at the end; 0 for as many as pay"}),
          expert(host_only(
            {"index", 0, 0, std::ssize(columns) - 1,
             "Columns of blocks, by 16 or 32 bits or by differences of a byte; auto chooses for each tile, and 16 holds where it can", columns})),
          kernels::values_option,
          kernels::table_option,
          expert(host_only({"tile", 0, 0, bccoo::most_tile_values,
                            "Values of a tile, zeros in blocks included, at most; 0 for a number that suits the size of the matrix"})),
          {"goal", 0, 0, std::ssize(goals) - 1,
           "What to look for where options leave a choice on the host: the least time of a product, or the fewest bytes", goals},
          kernels::isa_option,
  }};
  return table;
}

template <class Scalar, class Index> std::size_t Bccoo<Scalar, Index>::predicted_bytes(const View &a, const OptionValues &options)
{
  return bccoo::Plan<Scalar, Index>(a, options, 1).footprint().total();
}

template <class Scalar, class Index> Forecast Bccoo<Scalar, Index>::forecast(const View &a, const OptionValues &options, MemorySpace space)
{
  if (space == MemorySpace::device) return {device_bytes(a, options)};
  const bccoo::Plan<Scalar, Index> plan(a, options, 1);
  return {plan.footprint().total(), plan.nanoseconds(), plan.lines};
}

template <class Scalar, class Index> Bccoo<Scalar, Index>::Bccoo(const View &a, const OptionValues &options, const Execution &execution)
{
  if (execution.space == MemorySpace::device) device_ = through_kokkos(a, options, execution);
  else impl_.reset(new Impl(a, options, execution));
}
template <class Scalar, class Index> Bccoo<Scalar, Index>::~Bccoo() = default;

template <class Scalar, class Index> void Bccoo<Scalar, Index>::refresh(const View &a)
{
  if (device_) device_->refresh(a);
  else impl_->refresh(a);
}

namespace bccoo {
namespace {

/// Adds the parts of every cut block row in their order, and writes what no tile has written.
template <class Scalar> void finish(const Layout<Scalar> &m, const std::vector<CutRow> &cut_rows, const Task<Scalar> &task)
{
  const int  h     = m.shape.rows;
  const auto empty = [&](Local segment, std::int64_t end) { // rows before a segment without blocks
    if (task.gaps) task.update.empty(segment > 0 ? (m.block_row(segment - 1) + 1) * h : 0, end);
  };
  for (const CutRow &c : cut_rows) {
    Scalar             sum[longest_side] = {};
    const std::int64_t row               = m.block_row(c.segment) * h;
    for (std::int64_t p = c.first_part; p < c.first_part + c.parts; ++p)
      for (int i = 0; i < h; ++i) sum[i] += task.part[p * h + i];
    empty(c.segment, row);
    task.update(row, sum, std::min<std::int64_t>(h, task.rows - row));
  }
  empty(m.segments, task.rows);
}

/// Rows first .. last - 1: the sums of all slices, in their order.
template <class Scalar>
void add_slices(const Layout<Scalar> &m, const Scalar *waiting, std::int64_t first, std::int64_t last,
                const kernels::RowUpdate<Scalar> &update)
{
  constexpr std::int64_t block = 64;
  const std::int64_t     slice = std::int64_t(m.block_rows) * m.shape.rows;
  for (; first < last; first += block) {
    const std::int64_t n          = std::min(block, last - first);
    Scalar             sum[block] = {};
    for (int s = 0; s < m.slices; ++s)
      for (std::int64_t i = 0; i < n; ++i) sum[i] += waiting[s * slice + first + i];
    update(first, sum, n);
  }
}

} // namespace
} // namespace bccoo

template <class Scalar, class Index>
bccoo::Task<Scalar> Bccoo<Scalar, Index>::Impl::task(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y, Scalar *sums_of_parts,
                                                     Scalar *waiting) const
{
  using Update = kernels::RowUpdate<Scalar>;
  if (plan.grid.slices > 1) return {x, Update(1, 0, waiting), plan.waiting(), false, plan.ahead, sums_of_parts};
  return {x, Update(alpha, beta, y), plan.grid.rows, true, plan.ahead, sums_of_parts};
}

template <class Scalar, class Index>
void Bccoo<Scalar, Index>::multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (device_) return device_->multiply(op, alpha, x, beta, y);
  Impl      &impl = *impl_;
  const auto m    = impl.layout();
  if (alpha == Scalar(0)) return kernels::scale(m.rows, beta, y);
  const auto    scratch = impl.scratch.borrow_if(!impl.plan.cut_rows.empty() || m.slices > 1, [&impl] { return impl.new_scratch(); });
  Scalar *const part = scratch ? scratch->part.data() : nullptr, *const waiting = scratch ? scratch->waiting.data() : nullptr;
  const auto task = impl.task(alpha, x, beta, y, part, waiting);
  kernels::for_each_part(static_cast<int>(impl.shares.size()) - 1, [&](int part) {
    const auto share = impl.shares.begin() + part;
    impl.kernel(m, share[0], share[1], task);
  });
  bccoo::finish(m, impl.plan.cut_rows, task);
  if (m.slices == 1) return;
  kernels::for_each_part(impl.threads, [&](int part) {
    const auto at = [&](int p) { return std::int64_t(m.rows) * p / impl.threads; };
    bccoo::add_slices(m, waiting, at(part), at(part + 1), kernels::RowUpdate<Scalar>(alpha, beta, y));
  });
}

/// The vectors take turns at a few tiles, which a cache keeps meanwhile.
template <class Scalar, class Index>
void Bccoo<Scalar, Index>::Impl::multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                               int n)
{
  const auto m       = layout();
  const auto part    = pass_part.borrow([this] { return std::vector<Scalar>(parts() * kernels::pass_columns); });
  const auto task_of = [&](int c) {
    return task(alpha, x + c * ldx, beta, y + c * ldy, part->data() + static_cast<std::size_t>(c) * parts(), nullptr);
  };
  kernels::for_each_part(static_cast<int>(shares.size()) - 1, [&](int share) {
    const std::size_t last = shares[static_cast<std::size_t>(share) + 1];
    for (std::size_t first = shares[static_cast<std::size_t>(share)], end; first < last; first = end) {
      end = std::min(first + bccoo::tuning::batch_tiles, last);
      for (int c = 0; c < n; ++c) kernel(m, first, end, task_of(c));
    }
  });
  for (int c = 0; c < n; ++c) bccoo::finish(m, plan.cut_rows, task_of(c));
}

template <class Scalar, class Index>
void Bccoo<Scalar, Index>::multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                         int columns)
{
  if (device_) return device_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  const auto single = [&](const Scalar *xc, Scalar *yc) { multiply(Operation::none, alpha, xc, beta, yc); };
  kernels::in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    if (alpha != Scalar(0) && impl_->plan.grid.slices == 1) return impl_->multiply_pass(alpha, xs, ldx, beta, ys, ldy, n);
    for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
  });
}

template <class Scalar, class Index> Footprint Bccoo<Scalar, Index>::footprint() const
{
  return device_ ? device_->footprint() : impl_->plan.footprint();
}

template <class Scalar, class Index> Facts Bccoo<Scalar, Index>::facts() const
{
  if (device_) return device_->facts();
  static constexpr std::array<std::string_view, 3> columns{"16 bits", "deltas", "32 bits"};
  const auto                                      &plan  = impl_->plan;
  Facts                                            facts = bccoo::facts_of_blocks(plan.grid.shape, plan.blocks, plan.zeros);
  facts.insert(
    facts.end(),
    {{"slices", std::to_string(plan.grid.slices)},
     {"block rows with blocks", std::to_string(plan.segments) + " of " + std::to_string(plan.grid.all_block_rows())},
     {"block rows that are cut", std::to_string(plan.cut_rows.size())},
     {"tiles", kernels::counted_codings(plan.tiles)},
     {"columns of tiles", kernels::counted(plan.tiles, columns, [](const bccoo::Tile &t) { return static_cast<int>(t.columns); })},
     {"tables of values", std::to_string(plan.tables.size())},
     {"instruction set", std::string(kernels::name(impl_->isa))},
     {"threads", std::to_string(impl_->threads)}});
  if (const auto sets = static_cast<std::size_t>(impl_->pass_part.count()); sets * impl_->parts() > 0)
    facts.emplace_back(kernels::packed_fact, std::to_string(sets * impl_->parts() * kernels::pass_columns * sizeof(Scalar)));
  return facts;
}

template <class Scalar, class Index>
void Bccoo<Scalar, Index>::decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const
{
  const auto                m = impl_->layout();
  std::vector<bccoo::Local> scratch;
  for (std::size_t i = 0; i < m.tiles; ++i) bccoo::decode_tile(m, m.tile[i], scratch, visit);
}

#define INSTANTIATE(S, I) template class Bccoo<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
