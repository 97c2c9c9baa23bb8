#include "impls/ccoo/ccoo_image.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <string>

#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/batch_image.hpp"
#include "impls/ccoo/tiles/chunk_image.hpp"
#include "impls/ccoo/tiles/chunk_order.hpp"
#include "impls/ccoo/tiles/diagonal.hpp"
#include "impls/ccoo/tiles/hot_columns.hpp"
#include "impls/ccoo/tiles/local_image.hpp"
#include "impls/ccoo/tiles/node_image.hpp"
#include "impls/ccoo/tiles/repeated_image.hpp"
#include "impls/ccoo/tiles/slide_image.hpp"
#include "impls/ccoo/tiles/unit_image.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/local_number.hpp"
#include "kernels/rows/values.hpp"

namespace petscspmv::ccoo::image {

std::uint32_t counted(std::size_t n, const char *what)
{
  return kernels::counted_number(n, what, "ccoo");
}

namespace {

// ------------------------------------------------------------ units

using DeviceSlots = SlotView<DeviceGroup::Mask>;

bool is_full(const DeviceSlots &s, int k)
{
  return s.lanes[k] == all_lanes<DeviceGroup::Mask>;
}

/// The slots as they are kept: full ones first.
std::vector<int> order_of(const DeviceSlots &s)
{
  std::vector<int> order(static_cast<std::size_t>(s.slots));
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&s](int k) { return is_full(s, k); });
  return order;
}

/// Values slot by slot, in the order in which slots are kept, of those that keeps(k) asks for; returns where they end.
/// `out` is not `values`.
template <class Scalar, class Keeps>
Scalar *order_values(const DeviceSlots &s, const std::vector<int> &order, const Scalar *values, Scalar *out, const Keeps &keeps)
{
  std::vector<std::size_t> first(static_cast<std::size_t>(s.slots) + 1);
  for (int k = 0; k < s.slots; ++k)
    first[static_cast<std::size_t>(k) + 1] = first[static_cast<std::size_t>(k)] + static_cast<std::size_t>(count_lanes(s.lanes[k]));
  for (int k : order)
    if (keeps(k)) out = std::copy(values + first[static_cast<std::size_t>(k)], values + first[static_cast<std::size_t>(k) + 1], out);
  return out;
}

/// Lanes with the slots they have, 32 slots to a word; the slots from number `full` of the order on.
void add_lanes(const DeviceSlots &s, const std::vector<int> &order, std::size_t full, std::vector<std::uint32_t> &out)
{
  const std::size_t first = out.size();
  out.resize(first + (order.size() - full + 31) / 32 * DeviceGroup::rows);
  for (std::size_t i = full; i < order.size(); ++i)
    for_each_lane(s.lanes[order[i]], [&](int lane) {
      out[first + (i - full) / 32 * DeviceGroup::rows + static_cast<std::size_t>(lane)] |= std::uint32_t(1) << (i - full) % 32;
    });
}

template <class Scalar, class Pool> void add_patterns(const Pool &pool, Image<Scalar> &m)
{
  for (const ccoo::Pattern &p : pool.patterns) {
    const auto s      = pool.slots(p);
    const auto values = pool.value(p);
    const auto order  = order_of(s);
    const auto full   = static_cast<std::size_t>(std::count_if(order.begin(), order.end(), [&s](int k) { return is_full(s, k); }));
    m.pattern.push_back({counted(m.slot.size(), "slots"), counted(m.lanes_of_slots.size(), "lanes of slots"),
                         p.values == PatternValues::by_slot    ? Pattern::by_slot
                         : p.values == PatternValues::streamed ? Pattern::streamed
                         : p.values == PatternValues::mixed    ? Pattern::mixed
                                                               : counted(m.pattern_value.size(), "values of patterns"),
                         p.slots, static_cast<std::uint16_t>(full)});
    m.all_by_slot        = m.all_by_slot && p.values == PatternValues::by_slot;
    std::uint32_t before = 0;
    for (int k : order) {
      const bool alone = p.values == PatternValues::mixed && !is_streamed(p, k);
      m.slot.push_back({alone || p.values == PatternValues::by_slot ? values[static_cast<std::size_t>(k)] : Scalar(0), s.offset[k],
                        alone ? Slot<Scalar>::alone : before});
      if (!alone) before += static_cast<std::uint32_t>(count_lanes(s.lanes[k]));
    }
    add_lanes(s, order, full, m.lanes_of_slots);
    if (p.values != PatternValues::packed) continue;
    m.pattern_value.resize(m.pattern_value.size() + values.size());
    order_values(s, order, values.data(), m.pattern_value.data() + m.pattern_value.size() - values.size(), [](int) { return true; });
  }
}

/// The number of the pattern without slots, which is added.
template <class Scalar> std::uint32_t add_empty_pattern(Image<Scalar> &m)
{
  m.pattern.push_back({static_cast<std::uint32_t>(m.slot.size()), 0, Pattern::by_slot, 0, 0});
  return static_cast<std::uint32_t>(m.pattern.size() - 1);
}

template <class Scalar, class Index> void add_units(const Plan<Scalar, Index, DeviceGroup> &plan, Image<Scalar> &m)
{
  add_patterns(plan.pool, m);
  const std::uint32_t empty = add_empty_pattern(m);
  std::size_t         value = 0, units = 0;
  const auto          is_in_units = [](const Tile &t) { return t.kind == Kind::diagonal || t.kind == Kind::empty; };
  for (const Tile &t : plan.tiles)
    units += is_in_units(t) ? static_cast<std::size_t>((t.rows + DeviceGroup::rows - 1) / DeviceGroup::rows) : 0;
  m.unit.reserve(units);
  for (const Tile &t : plan.tiles) {
    if (!is_in_units(t)) continue;
    Local      row = t.row, end = t.row + t.rows;
    const auto add = [&](std::uint32_t pattern) {
      m.unit.push_back({row, std::min<Local>(row + DeviceGroup::rows, end), pattern, counted(value, "values")});
      row = m.unit.back().end;
    };
    if (t.kind == Kind::empty)
      while (row < end) add(empty);
    for (const Run *r = plan.runs.data() + t.run, *last = r + t.runs; r < last; ++r)
      for (std::uint32_t g = 0; g < r->groups; ++g) {
        const ccoo::Pattern &p = plan.pool.patterns[r->pattern];
        add(r->pattern);
        m.entries_in_units += p.entries;
        value += (p.streamed + value_grain - 1) / value_grain;
      }
  }
  // Rows that are read together lie together. Only tiles between chunks come after others.
  const auto before = [](const Unit &p, const Unit &q) { return p.row < q.row; };
  if (!std::is_sorted(m.unit.begin(), m.unit.end(), before)) std::sort(m.unit.begin(), m.unit.end(), before);
  m.unit_value = Room<Scalar>(value * value_grain);
}

template <class Scalar, class Index>
void fill_units(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, Image<Scalar> &m, int threads)
{
  constexpr std::int64_t batch = 256;
  if (m.unit_value.size() == 0 || m.unit_value.is_left()) return;
  const kernels::RowWindow rows(a.rows, a.rows, a.row_ptr, a.val, Index(0));
  kernels::try_each_batch(threads, std::ssize(m.unit), batch, [&](std::int64_t first, std::int64_t last) {
    std::vector<Scalar> natural;
    for (std::int64_t i = first; i < last; ++i) {
      const Unit &u = m.unit[static_cast<std::size_t>(i)];
      if (!has_streamed_values(m.pattern[u.pattern])) continue;
      const ccoo::Pattern &p   = plan.pool.patterns[u.pattern];
      const auto           s   = plan.pool.slots(p);
      Scalar *const        out = m.unit_value.data() + u.value * value_grain;
      natural.resize(p.entries);
      take_group_values(rows, u.row, s, natural.data());
      Scalar *const end = order_values(s, order_of(s), natural.data(), out, [&p](int k) { return is_streamed(p, k); });
      std::fill(end, out + (p.streamed + value_grain - 1) / value_grain * value_grain, Scalar(0));
    }
  });
}

// ------------------------------------------------------------ chunks

/// Columns of chunk i.
template <class Scalar, class Index>
void fill_columns(const CsrView<Scalar, Index> &a, const HotColumns &hot, std::size_t i, Image<Scalar> &m)
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
template <class Scalar, class Index> void fill_ends(const CsrView<Scalar, Index> &a, std::size_t i, Image<Scalar> &m)
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
                 kernels::ValueEncoder<Scalar> &encoder, std::byte *natural, Image<Scalar> &m)
{
  const Chunk       &c      = m.chunk[i];
  const ccoo::Chunk &from   = plan.chunks[i];
  const auto         coding = static_cast<Coding>(c.coding);
  std::byte *const   out    = m.value.data() + c.value * piece;
  encoder.encode(coding, kernels::table_of(plan.tables, from), {a.val + plan.chunk_begin[i], from.entries}, natural);
  std::memset(out, 0, coded_bytes<Scalar>(coding));
  const std::size_t size = coded_size<Scalar>(coding);
  for (std::uint32_t e = 0; e < from.entries; ++e) {
    const Place p = place_in_chunk(static_cast<int>(e), c.scattered_lanes);
    if (size > 0) std::memcpy(out + byte_of(p, size), natural + e * size, size);
    else if (coding == Coding::table16) out[p.lane * each / 2 + p.k / 2] |= (natural[e / 2] >> e % 2 * 4 & std::byte(15)) << p.k % 2 * 4;
  }
}

/// The looks, too, which take a thread as long as many chunks do, and come first.
template <class Scalar, class Index>
void fill_chunks(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const HotColumns &hot, int threads,
                 NeighbourLooks<Scalar, Index> &looks, Image<Scalar> &m)
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

// ------------------------------------------------------------ back

template <class Scalar, class Visit> void decode_unit(const Image<Scalar> &m, const Unit &u, const Visit &visit)
{
  const Pattern      &p      = m.pattern[u.pattern];
  const Scalar *const packed = has_streamed_values(p)              ? m.unit_value.data() + u.value * value_grain
                               : p.first_value == Pattern::by_slot ? nullptr
                                                                   : m.pattern_value.data() + p.first_value;
  for_each_slot(m, p, [&](std::size_t number, const auto &lanes) {
    const Slot<Scalar> &slot  = m.slot[number];
    const Scalar       *value = packed && slot.before != Slot<Scalar>::alone ? packed + slot.before : nullptr;
    lanes([&](int lane) { visit(u.row + lane, u.row + lane + slot.offset, value ? *value++ : slot.value); });
  });
}

template <class Scalar, class Visit> void decode_chunk(const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  const Chunk               &c     = m.chunk[i];
  const std::byte *const     col   = m.column.data() + c.column * piece;
  const std::byte *const     bytes = m.value.data() + c.value * piece;
  const Scalar *const        table = m.table.data() + c.table;
  const std::uint16_t *const end   = m.end.data() + i * lanes;
  const auto                 value = [&](Place p) {
    switch (static_cast<Coding>(c.coding)) {
    case Coding::constant:
      return table[0];
    case Coding::table16:
      return table[std::to_integer<int>(bytes[p.lane * each / 2 + p.k / 2]) >> p.k % 2 * 4 & 15];
    case Coding::table256:
      return table[std::to_integer<int>(bytes[byte_of(p, 1)])];
    case Coding::table65536:
      return table[kernels::read_as<std::uint16_t>(bytes + byte_of(p, 2))];
    case Coding::single:
      return kernels::CodedValues<Coding::single, Scalar>{bytes + byte_of(p, sizeof(Scalar) / 2), nullptr}[0];
    default:
      return kernels::read_as<Scalar>(bytes + byte_of(p, sizeof(Scalar)));
    }
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

} // namespace

SlideRules::SlideRules(const OptionValues &options)
  : any(options["slide"] != 1), least_stride(tuning::device_least_stride), least_rows(tuning::device_least_sliding_rows),
    widest(tuning::device_widest_slide), least_planes(tuning::device_least_slide_planes), least_jobs(tuning::device_least_slides),
    least_job_planes(tuning::device_least_job_planes)
{
  if (options["slide"] < 2) return;
  least_stride     = 1;
  least_rows       = 1;
  least_planes     = 1;
  least_jobs       = 1;
  least_job_planes = tuning::device_most_job_planes;
}

template <class Scalar>
template <class Index>
Image<Scalar>::Image(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const OptionValues &options,
                     int threads, std::size_t most_hot, const Maker *maker)
{
  rows = plan.rows;
  cols = plan.cols;
  add_units(plan, *this);
  plain_units = static_cast<std::uint32_t>(unit.size());
  if (plan.rules.stride > 0) Slider<Scalar>(*this, plan.rules.stride, SlideRules(options)).run();
  if (const LocalTiles tiles(a, plan, threads); tiles.suit()) {
    tiles.place(*this);
    most_hot = 0; // for chunks, of which there are none
  }
  const HotColumns hot_columns(a, plan, most_hot, threads, maker);
  hot = hot_columns.list();
  if (local.empty()) ChunkPlaces(plan, *this).run(threads);
  place_nodes(a, plan, threads, *this);
  RepeatedTiles(a, plan, threads, *this).run();
  if (maker) {
    unit_value.leave();
    column.leave();
    node_value.leave();
    if (!long_tables) value.leave();
  } else fill_nodes(threads, *this, [&](std::size_t i) { fill_values_of_nodes(a, i, *this); });
  fill_units(a, plan, *this, threads);
  NeighbourLooks looks(a, plan, !chunk.empty() && hot.empty());
  fill_chunks(a, plan, hot_columns, threads, looks, *this);
  consecutive = looks.suit();
  if (consecutive) chunk_order = order_by_panels(chunk);
  else if (!hot.empty()) chunk_order = order_by_rows(chunk);
}

template <class Scalar> void Image<Scalar>::decode(const std::function<void(Local, Local, Scalar)> &visit) const
{
  for (const Unit &u : unit) decode_unit(*this, u, visit);
  for (std::size_t i = 0; i < repeated.size(); ++i) decode_repeated(*this, i, visit);
  for (std::size_t i = 0; i < local.size(); ++i) decode_local(*this, i, visit);
  for (std::size_t i = 0; i < chunk.size(); ++i) decode_chunk(*this, i, visit);
  for (std::size_t i = 0; i < node.size(); ++i) decode_nodes(*this, i, visit);
  for (std::size_t i = 0; i < batch.size(); ++i) decode_batch(*this, i, visit);
}

template struct Image<double>;
template struct Image<std::complex<double>>;
template Image<double>::Image(const CsrView<double, std::int32_t> &, const Plan<double, std::int32_t, DeviceGroup> &, const OptionValues &,
                              int, std::size_t, const Maker *);
template Image<double>::Image(const CsrView<double, std::int64_t> &, const Plan<double, std::int64_t, DeviceGroup> &, const OptionValues &,
                              int, std::size_t, const Maker *);
template Image<std::complex<double>>::Image(const CsrView<std::complex<double>, std::int32_t> &,
                                            const Plan<std::complex<double>, std::int32_t, DeviceGroup> &, const OptionValues &, int,
                                            std::size_t, const Maker *);
template Image<std::complex<double>>::Image(const CsrView<std::complex<double>, std::int64_t> &,
                                            const Plan<std::complex<double>, std::int64_t, DeviceGroup> &, const OptionValues &, int,
                                            std::size_t, const Maker *);

} // namespace petscspmv::ccoo::image
