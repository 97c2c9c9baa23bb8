#include <algorithm>
#include <string>

#include "core/for_each_type.hpp"
#include "core/precision.hpp"
#include "core/runtime.hpp"
#include "impls/ccoo/ccoo_host.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "impls/ccoo/tiles/chunk.hpp"
#include "impls/ccoo/tiles/diagonal.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/coding/options.hpp"
#include "impls/ccoo/order/renumbering.hpp"

namespace petscspmv::ccoo {
namespace {

/// What options ask for, if y goes through a cache to the place where it belongs.
OptionValues through_caches(OptionValues options)
{
  options.set(stores_option, StoreChoice::cached);
  return options;
}

/// The arrays of `plan` and those of `order`, if there is one.
template <class Scalar> Footprint footprint(Footprint plan, const RenumberedProducts<Scalar> *order)
{
  if (order) plan.arrays.push_back(order->array());
  return plan;
}

/// Calls visit(row, column, value) for the entries of a tile or a chunk.
template <class Scalar, class Visit> void decode_piece(const Layout<Scalar> &m, const Tile &t, const Visit &visit)
{
  if (t.kind == Kind::empty || t.kind == Kind::chunked) return;
  kernels::with_coding(t.coding, t.value, m.table[t.table], [&](const auto &values) {
    if (t.kind == Kind::diagonal) decode_diagonal(m, t, values, visit);
    else decode_gather(t, GatherView(t, m.structure, m.column), values, visit);
  });
}
template <class Scalar, class Visit> void decode_piece(const Layout<Scalar> &m, const Chunk &c, const Visit &visit)
{
  kernels::with_coding(c.coding, c.value, m.table[c.table],
                       [&](const auto &values) { decode_chunk(c, ChunkView(c, m.structure, m.column), values, visit); });
}

/// "12 (values: with patterns 3, raw 9)": tiles of a kind, and where their values are.
std::string counted_tiles(const std::vector<Tile> &tiles, Kind kind)
{
  static constexpr auto names = [] {
    std::array<std::string_view, kernels::coding_count + 2> list{"with patterns", "in part with patterns"};
    std::copy(kernels::coding_names.begin(), kernels::coding_names.end(), list.begin() + 2);
    return list;
  }();
  const auto is_of_kind = [kind](const Tile &t) { return t.kind == kind; };
  const auto values_of  = [&](const Tile &t) {
    if (!is_of_kind(t) || kind == Kind::empty || kind == Kind::chunked) return -1;
    if (kind == Kind::diagonal && t.values == 0) return 0;
    return t.mixed ? 1 : 2 + static_cast<int>(number_of(t.coding));
  };
  const auto n = std::count_if(tiles.begin(), tiles.end(), is_of_kind);
  return kernels::counted_with(static_cast<std::size_t>(n), kernels::counted(tiles, names, values_of));
}

} // namespace

constexpr std::array<OptionSpec, 16> option_table{{
  tile_option,
  internal({"rows", 0, 0, tuning::most_tile_rows, "Rows of a tile, rounded up to groups of 8; 0 for a number that suits the host"}),
  internal(host_only({"chunk", tuning::chunk_entries, 1, tuning::most_chunk_entries, "Entries of a chunk"})),
  internal({"longest", 0, 0, longest_gathered,
            "Rows with more entries are cut into chunks; 0 for a number that depends on the mean of their tile"}),
  internal({"node", node_limit, 1, node_limit, "Rows with the same columns that are taken together, at most"}),
  columns_option,
  kernels::values_option,
  strips_option,
  stores_option,
  numbering_option,
  kernels::table_option,
  gather_option,
  kernels::isa_option,
  precision_option,
  slide_option,
  batches_option,
}};

template <class Scalar, class Index> std::size_t predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  using Plan       = HostPlan<Scalar, Index>;
  const auto order = renumbered_products(a, options[numbering_option], 1);
  if (!order) return Plan(a, options, 1).footprint().total();
  const RenumberedCsr<Scalar, Index> copy(a, order->order(), 1);
  return footprint(Plan(copy.view(), through_caches(options), 1).footprint(), order.get()).total();
}

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_host(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return std::make_unique<HostMatrix<Scalar, Index>>(a, options, execution);
}

template <class Scalar, class Index>
HostMatrix<Scalar, Index>::HostMatrix(const View &a, const OptionValues &options, const Execution &execution)
  : Format<Scalar, Index>(a, execution)
{
  const int threads = std::max(1, std::min(execution.threads, runtime::max_threads()));
  order_            = renumbered_products(a, options[numbering_option], threads);
  if (!order_) pieces_.emplace(a, options, threads);
  else pieces_.emplace(RenumberedCsr(a, order_->order(), threads).view(), through_caches(options), threads);
  scratch_.raise(scratch_bytes(1));
}

template <class Scalar, class Index> void HostMatrix<Scalar, Index>::take_values(const View &a)
{
  if (pieces_->refresh(order_ ? RowValues(a, order_->order().row) : RowValues(a))) return;
  if (!order_) pieces_->build_anew(a);
  else pieces_->build_anew(RenumberedCsr(a, order_->order(), pieces_->threads).view());
  scratch_.raise(scratch_bytes(1));
}

template <class Scalar, class Index> Footprint HostMatrix<Scalar, Index>::footprint() const
{
  Footprint f = ccoo::footprint(pieces_->plan.footprint(), order_.get());
  f.scratch   = scratch_.bytes();
  f.tell_kept(sizeof(*this) + pieces_->bytes_taken() + (order_ ? order_->bytes_taken() : 0));
  return f;
}

template <class Scalar, class Index> Facts HostMatrix<Scalar, Index>::facts() const
{
  const auto &plan  = pieces_->plan;
  const auto  tiles = [&plan](Kind kind) { return counted_tiles(plan.tiles, kind); };
  Facts       facts{{"diagonal tiles", tiles(Kind::diagonal)},
              {"gather tiles", tiles(Kind::gather)},
              {"tiles without entries", tiles(Kind::empty)},
              {"tiles in chunks", tiles(Kind::chunked)},
              {"chunks", kernels::counted_codings(plan.chunks)},
              {"patterns", std::to_string(plan.pool.size())},
              {"strips", std::to_string(plan.strips.size())},
              {"tables of values", std::to_string(plan.tables.size())},
              {"instruction set", std::string(kernels::isa_facts[pieces_->isa])},
              {"y goes", plan.streams ? "past the caches" : "through the caches"},
              {"x is fetched by", pieces_->gathers == Gathers::instruction ? "the gather instruction" : "loads"},
              {"order of rows", std::string(order_ ? order_->order().name() : Renumbering().name())},
              {"threads", std::to_string(pieces_->threads)}};
  if (plan.rules.coding.losing == kernels::plain_coding) return facts;
  kernels::Loss all;
  for (const kernels::Loss &loss : pieces_->losses) all += loss;
  facts.emplace_back("values that have lost bits", all.text());
  return facts;
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const
{
  const auto        m        = pieces_->layout();
  const Renumbering order    = order_ ? order_->order() : Renumbering();
  const auto        as_given = [&](std::int32_t row, std::int32_t col, Scalar value) {
    visit(order.empty() ? row : order.row[row], order.columns ? order.row[col] : col, value);
  };
  for (std::size_t i = 0; i < m.tiles; ++i) decode_piece(m, m.tile[i], as_given);
  for (std::size_t i = 0; i < m.chunks; ++i) decode_piece(m, m.chunk[i], as_given);
}

#define INSTANTIATE(S, I) \
  template class HostMatrix<S, I>; \
  template std::size_t     predicted_bytes(const CsrView<S, I> &, const OptionValues &); \
  template FormatPtr<S, I> on_host(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
