// The values of the pieces of a plan, and new ones.

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo_pieces.hpp"
#include "impls/ccoo/tiles/diagonal.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "impls/ccoo/tiles/store.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo {
namespace {

/// Where the coded values of a piece are, which are ours: the layout only looks at them.
template <class Piece> std::byte *own_values(const Piece &piece)
{
  return const_cast<std::byte *>(piece.value);
}

/// The values of a tile that are not with patterns, in the order in which they are kept. `past_caches`: no cache holds
/// them.
template <class Window, class Scalar>
void take_values(const Window &a, const Layout<Scalar> &m, const Tile &t, Scalar *out, bool past_caches = false)
{
  if (t.kind == Kind::diagonal) take_diagonal_values(a, m, t, out);
  if (t.kind != Kind::gather) return;
  const GatherView view(t, m.structure, m.column);
  if (past_caches) take_gather_values<PastCaches>(a, t, view, out);
  else take_gather_values<ThroughCaches>(a, t, view, out);
}

/// The values of a tile, which are in `buffer`, or, if they stay as they are, in their own place, of which no cache
/// holds all if `past_caches`.
template <class Window, class Scalar>
std::span<const Scalar> values_of(const Window &a, const Layout<Scalar> &m, const Tile &t, std::vector<Scalar> &buffer, bool past_caches)
{
  const bool stay = t.coding == kernels::plain_coding;
  if (!stay) buffer.resize(t.values);
  auto *const out = stay ? reinterpret_cast<Scalar *>(own_values(t)) : buffer.data();
  take_values(a, m, t, out, stay && past_caches);
  return {out, t.values};
}

/// True if the rows of a group, from `row` on, have the values of its pattern.
template <class Window, class Scalar> bool fits_pattern(const Window &a, const Layout<Scalar> &m, const Pattern &p, Local row)
{
  const Scalar *value = m.pattern_value + p.first_value;
  if (p.full && p.values == PatternValues::by_slot) { // all rows are the same, and so is each one and the next
    const std::size_t bytes = p.slots * sizeof(Scalar);
    return std::memcmp(a[row], value, bytes) == 0 && std::memcmp(a[row], a[row + 1], (group_rows - 1) * bytes) == 0;
  }
  bool fits = true;
  if (p.full && p.values == PatternValues::mixed) { // all rows are the same where they have to be
    const auto rows = rows_of_group(a, row);
    for (int k = 0; k < p.slots; ++k)
      if (!is_streamed(p, k))
        for (const Scalar *first : rows) fits &= kernels::same_bits(first[k], value[k]);
    return fits;
  }
  std::size_t i = 0;
  for_each_group_value(a, row, slots_of(m, p), [&](int k, Scalar v) {
    fits &= is_streamed(p, k) || kernels::same_bits(v, value[value_place(p, k, i)]);
    ++i;
  });
  return fits;
}

/// True if the groups of a tile have the values of their patterns. Where neighbouring groups differ, processors foresee
/// too little, and the next tile's values are asked for (materials: a refresh takes 0.92 times as long); where they do
/// not, asking would only be more to do (7-point: 1.1, 9-point variable 1.45).
template <class Window, class Scalar> bool fits_patterns(const Window &a, const Layout<Scalar> &m, const Tile &t)
{
  const std::int64_t groups = (t.rows + group_rows - 1) / group_rows;
  const std::int64_t part   = 4 * std::int64_t(t.diagonal.runs) > groups ? (a[t.row + t.rows] - a[t.row]) / groups : 0; // of the next tile
  std::int64_t       g      = 0;
  bool               fits   = true;
  for_each_group(m, t, [&](const Pattern &p, Local row) {
    a.ask_for(t.row + t.rows, part * g++, part);
    fits = fits && (p.values == PatternValues::streamed || fits_pattern(a, m, p, row));
  });
  return fits;
}

} // namespace

/// Calls visit(piece, values) for piece i (tiles first, then chunks) with the values that are coded; false if others do
/// not fit its patterns.
template <class Scalar, class Index>
template <class Visit>
bool HostPieces<Scalar, Index>::with_values(const Values &a, std::int64_t i, PieceValues &buffer, const Visit &visit)
{
  const std::int64_t tiles = std::ssize(plan.tiles);
  if (i >= tiles) {
    const Chunk &c = plan.chunks[static_cast<std::size_t>(i - tiles)];
    return visit(c, a.entries(c.row, plan.chunk_begin[static_cast<std::size_t>(i - tiles)], c.entries, buffer.rows));
  }
  const Tile &t    = plan.tiles[static_cast<std::size_t>(i)];
  const auto  rows = a.window(t.row, t.rows, buffer.rows);
  if (t.kind == Kind::diagonal && !fits_patterns(rows, layout(), t)) return false;
  const bool past_caches = static_cast<std::int64_t>(plan.value_bytes) > kernels::last_level_cache();
  return visit(t, values_of(rows, layout(), t, buffer.values, past_caches));
}

/// The values of piece i; false if they do not fit its coding or its patterns.
template <class Scalar, class Index>
bool HostPieces<Scalar, Index>::encode_piece(const Values &a, std::int64_t i, kernels::ValueEncoder<Scalar> &encoder, PieceValues &buffer)
{
  return with_values(a, i, buffer, [&](const auto &piece, std::span<const Scalar> from) {
    const bool there = static_cast<const void *>(from.data()) == piece.value;
    if (!there && !encoder.encode(piece.coding, kernels::table_of(plan.tables, piece), from, own_values(piece))) return false;
    if (!losses.empty()) (losses[static_cast<std::size_t>(i)] = {}).add(piece.coding, from);
    return true;
  });
}

/// Marks the pieces that failed among those that are marked; false if there are any.
template <class Scalar, class Index> bool HostPieces<Scalar, Index>::encode_marked(const Values &a, std::vector<char> &marked)
{
  kernels::try_each_batch(threads, std::ssize(marked), batch, [&](std::int64_t first, std::int64_t last) {
    kernels::ValueEncoder<Scalar> encoder;
    PieceValues                   buffer;
    for (std::int64_t i = first; i < last; ++i)
      if (marked[static_cast<std::size_t>(i)]) marked[static_cast<std::size_t>(i)] = !encode_piece(a, i, encoder, buffer);
  });
  return std::find(marked.begin(), marked.end(), 1) == marked.end();
}

/// Takes the marks from pieces that are as they should be, once their tables have new values.
template <class Scalar, class Index> void HostPieces<Scalar, Index>::renew_tables(const Values &a, std::vector<char> &marked)
{
  std::vector<std::vector<std::int64_t>> users(plan.tables.size());
  const auto                             add = [&](const auto &piece, std::int64_t i) {
    if (kernels::table_limit(piece.coding) > 0) users[piece.table].push_back(i);
  };
  const std::int64_t tiles = std::ssize(plan.tiles), chunks = std::ssize(plan.chunks);
  for (std::int64_t i = 0; i < tiles; ++i) add(plan.tiles[static_cast<std::size_t>(i)], i);
  for (std::int64_t i = 0; i < chunks; ++i) add(plan.chunks[static_cast<std::size_t>(i)], tiles + i);
  kernels::try_each_ticket(threads, std::ssize(users), [&](std::int64_t ticket) {
    const auto                   &pieces = users[static_cast<std::size_t>(ticket)];
    kernels::TableRenewal<Scalar> renewal(plan.tables[static_cast<std::size_t>(ticket)]);
    PieceValues                   buffer;
    const auto                    renew = [&] {
      std::size_t failures = 0;
      for (const std::int64_t i : pieces)
        failures += marked[static_cast<std::size_t>(i)] =
          !with_values(a, i, buffer,
                                          [&](const auto &piece, std::span<const Scalar> values) { return renewal.takes(piece.coding, piece.value, values); });
      return failures;
    };
    if (2 * renew() <= pieces.size()) return;
    renewal.undo(); // only the first pieces have changed
    renew();
  });
}

template <class Scalar, class Index> bool HostPieces<Scalar, Index>::refresh(const Values &a)
{
  constexpr std::int64_t most_failures = 4; // a piece in so many: more are a different matrix
  std::vector<char>      failed(plan.tiles.size() + plan.chunks.size(), 1);
  refresh_patterns(a);
  renew_tables(a, failed);
  if (encode_marked(a, failed)) return true;
  if (most_failures * std::count(failed.begin(), failed.end(), 1) > std::ssize(failed)) return false;
  for (std::int64_t i = 0; i < std::ssize(failed); ++i)
    if (failed[static_cast<std::size_t>(i)]) recode(a, i);
  return true;
}

/// Patterns get the values of the first group that looks like them. Where others have different ones now, their tiles
/// notice.
template <class Scalar, class Index> void HostPieces<Scalar, Index>::refresh_patterns(const Values &a)
{
  constexpr std::int64_t together = 1024, ahead = 2; // patterns
  kernels::try_each_batch(threads, std::ssize(plan.pool.patterns), together, [&](std::int64_t first, std::int64_t last) {
    std::vector<Scalar>  buffer;
    const Pattern *const pattern = plan.pool.patterns.data();
    for (std::int64_t n = first; n < last; ++n) {
      const Pattern &p = pattern[n];
      if (p.values == PatternValues::streamed) continue;
      const auto    rows  = a.window(p.first_row, group_rows, buffer);
      Scalar *const value = plan.pool.values.data() + p.first_value;
      if (n + ahead < last) rows.ask_for(pattern[n + ahead].first_row, 0, pattern[n + ahead].entries);
      if (p.full && p.values != PatternValues::packed) { // of the first row
        std::copy_n(rows[p.first_row], p.slots, value);
        continue;
      }
      std::size_t i = 0;
      for_each_group_value(rows, p.first_row, plan.pool.slots(p), [&](int k, Scalar v) {
        if (!is_streamed(p, k)) value[value_place(p, k, i)] = v;
        ++i;
      });
    }
  });
  plan.strips.renew(plan.pool);
}

/// A coding, and memory, of its own for piece i.
template <class Scalar, class Index> void HostPieces<Scalar, Index>::recode(const Values &a, std::int64_t i)
{
  const std::int64_t            tiles = std::ssize(plan.tiles);
  kernels::TableBuilder<Scalar> builder(plan.rules.coding);
  kernels::ValueEncoder<Scalar> encoder;
  PieceValues                   buffer;
  const auto                    code = [&](auto &piece, std::span<const Scalar> from) {
    piece.coding            = builder.choose(from).coding;
    const std::size_t bytes = kernels::coded_bytes<Scalar>(piece.coding, from.size());
    Recoded          &own   = recoded[i];
    own.values              = kernels::Arena(bytes, kernels::coded_slack);
    plan.value_bytes += bytes - std::exchange(own.bytes, bytes);
    piece.value = own.values.data();
    auto more   = std::move(builder).tables(); // at most one, for there was one choice
    if (own.table) plan.tables[*own.table] = more.empty() ? std::vector<Scalar>() : std::move(more[0]);
    else if (!more.empty()) {
      own.table = plan.tables.size();
      plan.add_tables(std::move(more));
    }
    piece.table = static_cast<std::uint32_t>(own.table.value_or(0));
  };
  if (i >= tiles) {
    Chunk &c = plan.chunks[static_cast<std::size_t>(i - tiles)];
    code(c, a.entries(c.row, plan.chunk_begin[static_cast<std::size_t>(i - tiles)], c.entries, buffer.rows));
  } else {
    Tile      &t    = plan.tiles[static_cast<std::size_t>(i)];
    const auto rows = a.window(t.row, t.rows, buffer.rows);
    if (t.kind == Kind::diagonal && !fits_patterns(rows, layout(), t)) plan.stream_values(t);
    buffer.values.resize(t.values);
    take_values(rows, layout(), t, buffer.values.data());
    code(t, buffer.values);
  }
  view_tables();
  encode_piece(a, i, encoder, buffer);
}

#define INSTANTIATE(S, I) template struct HostPieces<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
