// Writing the pieces of a plan.

#include <algorithm>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo_pieces.hpp"
#include "impls/ccoo/tiles/chunk.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo {
namespace {

/// Columns that may be prefetched behind the last ones.
constexpr std::size_t column_slack = (tuning::x_ahead_entries + 2 * group_rows) * sizeof(Local);

/// Nodes of a gather tile as they are kept: the longest first, equal ones in their order, long ones not at all.
template <class View> void sort_nodes(const View &a, const Tile &t, std::int64_t limit, std::vector<std::uint16_t> &order)
{
  const auto length = [&](int node) { return a.row_ptr[t.row + node * t.gather.node + 1] - a.row_ptr[t.row + node * t.gather.node]; };
  order.clear();
  for (int node = 0; node < t.rows / t.gather.node; ++node)
    if (length(node) <= limit) order.push_back(static_cast<std::uint16_t>(node));
  if (t.gather.permuted) std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return length(p) > length(q); });
}

} // namespace

template <class Scalar, class Index>
HostPieces<Scalar, Index>::HostPieces(const View &a, const OptionValues &o, int threads_there)
  : options(o), threads(threads_there), isa(kernels::chosen_isa(o[kernels::isa_option])), gathers(chosen_gathers(o[gather_option], isa)),
    kernel(multiply_kernel<Scalar>(isa, gathers)), plan(a, o, threads)
{
  write(a);
}

template <class Scalar, class Index> Layout<Scalar> HostPieces<Scalar, Index>::layout() const
{
  return {plan.rows,
          plan.cols,
          plan.tiles.data(),
          plan.tiles.size(),
          plan.chunks.data(),
          plan.chunks.size(),
          plan.runs.data(),
          plan.pool.patterns.data(),
          plan.pool.offsets.data(),
          plan.pool.lanes.data(),
          plan.pool.values.data(),
          plan.tile_strips.data(),
          plan.strips.strips.data(),
          plan.strips.patterns.data(),
          plan.strips.offsets.data(),
          plan.strips.lanes.data(),
          plan.strips.values.data(),
          plan.strips.alike.data(),
          plan.lines.data(),
          structure.data(),
          columns.data(),
          tables.data()};
}

template <class Scalar, class Index> std::size_t HostPieces<Scalar, Index>::bytes_taken() const
{
  constexpr std::size_t map_node = 4 * sizeof(void *);
  std::size_t bytes = options.bytes_taken() + plan.bytes_taken() + structure.bytes_taken() + columns.bytes_taken() + values.bytes_taken() +
                      petscspmv::bytes_taken(tables) + petscspmv::bytes_taken(shares) + petscspmv::bytes_taken(losses);
  for (const auto &one : recoded) bytes += map_node + sizeof(one) + one.second.values.bytes_taken();
  return bytes;
}

/// Memory for all that the plan knows the size of.
template <class Scalar, class Index> void HostPieces<Scalar, Index>::allocate()
{
  recoded.clear();
  try {
    structure = kernels::Arena(plan.structure_bytes, 0);
    columns   = kernels::Arena(plan.column_bytes, column_slack);
    values    = kernels::Arena(plan.value_bytes, kernels::coded_slack);
  } catch (const std::bad_alloc &) {
    throw MemoryError("ccoo takes " + std::to_string(plan.footprint().total()) +
                      " bytes for the entries on this process, and there is not so much memory; use more processes, or -mat_type aijspec.");
  }
}

/// Columns and values of all pieces.
template <class Scalar, class Index> void HostPieces<Scalar, Index>::write(const View &a)
{
  allocate();
  std::byte *next  = values.data();
  const auto place = [&next](auto &piece, std::size_t n) {
    piece.value = next;
    next += kernels::coded_bytes<Scalar>(piece.coding, n);
  };
  for (Tile &t : plan.tiles) place(t, t.values);
  for (Chunk &c : plan.chunks) place(c, c.entries);
  view_tables();
  kernels::try_each_batch(threads, std::ssize(plan.tiles), batch, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint16_t> order;
    for (std::int64_t i = first; i < last; ++i) {
      const Tile &t = plan.tiles[static_cast<std::size_t>(i)];
      if (t.kind != Kind::gather) continue;
      sort_nodes(a, t, plan.rules.long_limit(t.rows, a.row_ptr[t.row + t.rows] - a.row_ptr[t.row]), order);
      write_gather_structure(a, t, order, structure.data(), columns.data());
    }
  });
  kernels::try_each_ticket(threads, std::ssize(plan.chunks), [&](std::int64_t i) {
    write_chunk_structure(a, plan.chunks[static_cast<std::size_t>(i)], plan.chunk_begin[static_cast<std::size_t>(i)], structure.data(),
                          columns.data());
  });
  std::vector<char> marked(plan.tiles.size() + plan.chunks.size(), 1);
  losses.assign(plan.rules.coding.losing == kernels::plain_coding ? 0 : marked.size(), {});
  for (std::size_t i = 0; i < plan.tiles.size(); ++i) marked[i] = plan.tiles[i].values > 0; // patterns have theirs
  encode_marked(Values(a), marked);
  deal();
  scattered = is_scattered(static_cast<double>(a.nonzeros()));
}

template <class Scalar, class Index> void HostPieces<Scalar, Index>::view_tables()
{
  tables.assign(plan.tables.size() + 1, nullptr); // pieces without a table may look at one behind the last
  for (std::size_t i = 0; i < plan.tables.size(); ++i) tables[i] = plan.tables[i].data();
}

/// Shares of about equal predicted cost. Which thread does a piece does not change how it is summed.
template <class Scalar, class Index> void HostPieces<Scalar, Index>::deal()
{
  const std::size_t tiles = plan.tiles.size(), pieces = tiles + plan.chunks.size();
  const auto        cost  = [&](std::size_t i) { return double(i < tiles ? plan.tiles[i].cost : plan.chunks[i - tiles].cost); };
  double            total = 0, at = 0;
  for (std::size_t i = 0; i < pieces; ++i) total += cost(i);
  const auto parts = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), std::max<std::size_t>(pieces, 1)));
  shares.clear();
  for (std::size_t i = 0, first = 0; i < pieces; ++i) {
    at += cost(i);
    const bool full = at >= total * double(shares.size() + 1) / parts && std::ssize(shares) + 1 < parts;
    if (!full && i + 1 < pieces) continue;
    const std::size_t last = i + 1;
    shares.push_back({std::min(first, tiles), std::min(last, tiles), std::max(first, tiles) - tiles, std::max(last, tiles) - tiles});
    first = last;
  }
}

template <class Scalar, class Index> void HostPieces<Scalar, Index>::build_anew(const View &a)
{
  plan = Plan(a, options, threads);
  write(a);
}

#define INSTANTIATE(S, I) template struct HostPieces<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
