#pragma once

/// \file chunk_image.hpp
/// How the chunks of a plan are filled and decoded.

#include <algorithm>
#include <cstring>
#include <string>

#include "impls/ccoo/device/chunk/chunk_order.hpp"
#include "impls/ccoo/device/chunk/places.hpp"
#include "kernels/coding/counted.hpp"
#include "kernels/coding/encoder.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

/// Columns of chunk i.
template <class Scalar, class Index>
void fill_columns(const CsrView<Scalar, Index> &a, const HotColumns &hot, std::size_t i, Chunks<Scalar> &m)
{
  const Chunk     &c     = m.chunk[i];
  const auto       begin = static_cast<Index>(m.origin[i].begin);
  const int        n     = static_cast<int>(m.origin[i].entries);
  std::byte *const out   = m.column.data() + c.column * piece;
  with_column_type(c.wide ? Columns::bits32 : Columns::bits16, [&](auto type) {
    using Column = decltype(type);
    for (int e = 0; e < device_chunk_entries; ++e) {
      auto column = static_cast<Column>(e < n ? a.col[begin + e] - c.least : 0);
      if constexpr (sizeof(Column) == 4)
        if (const Local place = e < n ? hot.place(static_cast<Local>(a.col[begin + e])) : -1; place >= 0)
          column = static_cast<Column>(Chunk::hot_column + static_cast<std::uint32_t>(place));
      std::memcpy(out + byte_of(place_in_chunk(e, c.scattered_lanes), sizeof(Column)), &column, sizeof column);
    }
  });
}

/// Ends and gaps of chunk i.
template <class Scalar, class Index> void fill_ends(const CsrView<Scalar, Index> &a, std::size_t i, Chunks<Scalar> &m)
{
  const Chunk         &c     = m.chunk[i];
  const auto           begin = static_cast<Index>(m.origin[i].begin);
  std::uint16_t *const end = m.end.data() + i * lanes, *gap = m.gap.data() + c.gap;
  std::fill_n(end, lanes, std::uint16_t(0));
  Local row = c.row;
  for (std::uint16_t k = 0; k < c.segments; ++k, ++row) {
    while (a.row_ptr[row + 1] <= begin || a.row_ptr[row] == a.row_ptr[row + 1]) ++row;
    if (c.gaps) *gap++ = static_cast<std::uint16_t>(row - c.row);
    if (k + 1 == c.segments && c.goes_on) {
      if (!(c.continues && c.segments == 1)) m.cut[c.cut + c.continues].row = row;
    } else {
      const Place p = place_in_chunk(static_cast<int>(a.row_ptr[row + 1] - begin) - 1, c.scattered_lanes);
      end[p.lane]   = static_cast<std::uint16_t>(end[p.lane] | 1U << p.k);
    }
  }
}

/// Values of chunk i. `natural` has room for them in their order.
template <class Scalar, class Index>
void fill_values(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, std::size_t i,
                 kernels::ValueEncoder<Scalar> &encoder, std::byte *natural, Chunks<Scalar> &m)
{
  const Chunk       &c      = m.chunk[i];
  const ccoo::Chunk &from   = plan.chunks[i];
  const auto         coding = static_cast<Coding>(c.coding);
  std::byte *const   out    = m.value.data() + c.value * piece;
  encoder.encode(coding, kernels::table_of(plan.tables, from), {a.val + plan.chunk_begin[i], from.entries}, natural);
  std::memset(out, 0, coded_bytes<Scalar>(coding));
  const auto size     = static_cast<std::size_t>(kernels::coded_bits<Scalar>(coding)) / 8;
  const int  together = coded_together<Scalar>(coding);
  for (std::uint32_t e = 0; e < from.entries && coded_bytes<Scalar>(coding) > 0; ++e) {
    const std::size_t to = number_of(place_in_chunk(static_cast<int>(e), c.scattered_lanes), together);
    if (size > 0) std::memcpy(out + to * size, natural + e * size, size);
    else out[to / 2] |= (natural[e / 2] >> e % 2 * 4 & std::byte(15)) << to % 2 * 4;
  }
}

/// The looks, too, which take a thread as long as many chunks do, and come first.
template <class Scalar, class Index>
void fill_chunks(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const HotColumns &hot, int threads,
                 NeighbourLooks<Scalar, Index> &looks, Chunks<Scalar> &m)
{
  constexpr std::int64_t batch = 64;
  const std::int64_t     n     = std::ssize(m.chunk);
  kernels::try_each_ticket(threads, looks.size() + (n + batch - 1) / batch, [&](std::int64_t ticket) {
    if (ticket < looks.size()) return looks.look(ticket);
    const std::int64_t            first = (ticket - looks.size()) * batch;
    kernels::ValueEncoder<Scalar> encoder;
    alignas(16) std::byte         natural[device_chunk_entries * sizeof(Scalar) + kernels::coded_slack];
    for (std::int64_t i = first; i < std::min(n, first + batch); ++i) {
      fill_ends(a, static_cast<std::size_t>(i), m);
      if (!m.column.is_left()) fill_columns(a, hot, static_cast<std::size_t>(i), m);
      if (!m.value.is_left()) fill_values(a, plan, static_cast<std::size_t>(i), encoder, natural, m);
    }
  });
}

template <class Scalar, class Visit> void decode_chunk(const Chunks<Scalar> &m, std::size_t i, const Visit &visit)
{
  const Chunk               &c     = m.chunk[i];
  const std::byte *const     col   = m.column.data() + c.column * piece;
  const std::byte *const     bytes = m.value.data() + c.value * piece;
  const Scalar *const        table = m.table.data() + c.table;
  const std::uint16_t *const end   = m.end.data() + i * lanes;
  const auto                 value = [&](Place p) {
    return kernels::with_coding(static_cast<Coding>(c.coding), bytes, table,
                                                [&](const auto &values) { return values[number_of(p, coded_together<Scalar>(values.coding))]; });
  };
  for (int e = 0, segment = 0; segment < c.segments && e < device_chunk_entries; ++e) {
    const Place p = place_in_chunk(e, c.scattered_lanes);
    const auto  offset =
      c.wide ? kernels::read_as<std::uint32_t>(col + byte_of(p, 4)) : kernels::read_as<std::uint16_t>(col + byte_of(p, 2));
    const Local column = offset >= Chunk::hot_column ? m.hot[offset - Chunk::hot_column] : c.least + static_cast<Local>(offset);
    visit(c.row + (c.gaps ? m.gap[c.gap + static_cast<std::size_t>(segment)] : segment), column, value(p));
    segment += end[p.lane] >> p.k & 1;
  }
}

template <> struct HostKind<ChunkKind> {
  template <class Scalar, class Index> static void make(const Source<Scalar, Index> &from, Chunks<Scalar> &m)
  {
    const HotColumns hot_columns(from.a, from.plan, from.most_hot, from.threads, from.maker);
    m.hot = hot_columns.list();
    ChunkPlaces(from.plan, m).run(from.threads);
    if (from.maker) {
      m.column.leave();
      m.value.leave();
    }
    NeighbourLooks looks(from.a, from.plan, !m.chunk.empty() && m.hot.empty());
    fill_chunks(from.a, from.plan, hot_columns, from.threads, looks, m);
    m.tables      = from.plan.tables.size();
    m.consecutive = looks.suit();
    if (m.consecutive) m.chunk_order = order_by_panels(m.chunk);
    else if (!m.hot.empty()) m.chunk_order = order_by_rows(m.chunk);
  }
  template <class Scalar, class Visit> static void decode(const Chunks<Scalar> &m, const Visit &visit)
  {
    for (std::size_t i = 0; i < m.chunk.size(); ++i) decode_chunk(m, i, visit);
  }
  template <class Scalar> static Facts facts(const Chunks<Scalar> &m)
  {
    const auto wide = std::count_if(m.chunk.begin(), m.chunk.end(), [](const Chunk &c) { return c.wide; });
    return {{"chunks of 512 entries", kernels::counted_codings(m.chunk)},
            {"chunks with columns of 32 bits", std::to_string(wide)},
            {"multiprocessors take chunks", m.consecutive ? "that follow each other" : "as they come"},
            {"hot columns", std::to_string(m.hot.size())},
            {"tables of values", std::to_string(m.tables)},
            {"cut rows", std::to_string(m.cut.size())}};
  }
};

} // namespace petscspmv::ccoo::image
