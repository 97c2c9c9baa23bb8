#include "impls/ccoo/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include "core/for_each_type.hpp"
#include "impls/ccoo/plan/cutter.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"
#include "impls/ccoo/tiles/chunk.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/lanes/isa.hpp"
#include "impls/ccoo/plan/alike.hpp"
#include "kernels/rows/local_number.hpp"
#include "kernels/rows/scattered.hpp"

namespace petscspmv::ccoo {

namespace {

/// Least and most column of a chunk, and how its columns are written.
template <class View, class Index> void set_columns(const View &a, Index begin, Columns narrowest, Chunk &c)
{
  const Index *const col   = a.col + begin;
  Index              least = col[0], most = col[0];
  for (std::uint32_t i = 1; i < c.entries; ++i) { // std::minmax_element takes four times as long
    least = std::min(least, col[i]);
    most  = std::max(most, col[i]);
  }
  c.least                        = static_cast<Local>(least);
  c.most                         = static_cast<Local>(most);
  const std::int64_t span        = std::int64_t(c.most) - c.least;
  bool               consecutive = span + 1 == std::int64_t(c.entries);
  for (std::uint32_t i = 0; consecutive && i < c.entries; ++i) consecutive = col[i] == static_cast<Index>(c.least) + static_cast<Index>(i);
  c.columns = consecutive ? Columns::consecutive : columns_for(span, narrowest);
}

/// Entries of a chunk that are in another cache line of x than the one before.
template <class View, class Index> std::int64_t far_entries(const View &a, Index begin, const Chunk &c)
{
  std::int64_t far = 0;
  for (Index i = begin + 1; i < begin + static_cast<Index>(c.entries); ++i) far += is_far(a.col[i - 1], a.col[i]);
  return far;
}

template <class Scalar> const tuning::Cost &host_cost(const OptionValues &options)
{
  if constexpr (kernels::is_complex<Scalar>) return tuning::complex_cost;
  switch (kernels::chosen_isa(options[kernels::isa_option])) {
  case kernels::Isa::avx512:
    return kernels::is_last_cache_slow() ? tuning::avx512_slow_cache_cost : tuning::avx512_cost;
  case kernels::Isa::avx2:
    return tuning::avx2_cost;
  case kernels::Isa::portable:
    return tuning::portable_cost;
  }
  __builtin_unreachable();
}

} // namespace

template <class Scalar, class Index, class Group>
Plan<Scalar, Index, Group>::Plan(const CsrView<Scalar, Index> &a, const Rules &r, int threads)
  : rules(r), rows(kernels::local_number(a.rows, "rows", "ccoo")), cols(kernels::local_number(a.cols, "columns", "ccoo")),
    streams(rules.stores == StoreChoice::automatic
              ? double(std::int64_t(rows) + cols) * sizeof(Scalar) > tuning::y_past_caches * double(kernels::last_level_cache())
              : rules.stores == StoreChoice::streamed)
{
  if (rules.tile == TileChoice::chunk) cut(a, {{0, rows, false}}, threads);
  else plan_regions(a, threads);
  code_chunks(a, threads);
  order_by_panels();
  lay_out();
}

template <class Scalar, class Index, class Group>
Plan<Scalar, Index, Group>::Plan(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                 int threads) requires std::is_same_v<Group, HostGroup>
  : Plan(a, Rules(options, kernels::csr_bytes(a), host_cost<Scalar>(options)), threads)
{
}

namespace {

/// True if most rows have values of one near them: else regions have nothing to tell each other, and to wait for some
/// costs up to a millisecond.
template <class View> bool values_come_again(const View &a)
{
  const RowsAlike rows = look_at_rows(a);
  return rows.mostly(rows.values);
}

} // namespace

/// The tiles of all rows, and the chunks. Where values come again, a sample of regions is planned first: the others look
/// for their groups there.
template <class Scalar, class Index, class Group>
void Plan<Scalar, Index, Group>::plan_regions(const CsrView<Scalar, Index> &a, int threads)
{
  using Region              = ccoo::Region<Scalar, Group>;
  const std::int64_t  whole = std::max<Local>(rules.stride, 1), of_each = std::max(rules.region / whole, std::int64_t(1)) * whole;
  const auto          parts = static_cast<std::size_t>((std::int64_t(rows) + of_each - 1) / of_each);
  const bool          again = !rules.on_host && parts >= tuning::device_least_sampled && values_come_again(a);
  const std::size_t   step  = again ? (parts - 1) / tuning::device_sampled_regions + 1 : 0;
  const Region        none;
  std::vector<Region> regions(parts);
  const auto          is_sampled = [step](std::size_t k) { return step > 0 && k % step == step / 2; };
  const auto          sample_of  = [&](std::size_t k) { // the nearest one before, or the last
    return step > 0 ? &std::as_const(regions[std::min(k / step, (parts - 1 - step / 2) / step) * step + step / 2]) : &none;
  };
  for (const bool sampled : {true, false}) {
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < parts; ++k)
      if (is_sampled(k) == sampled) list.push_back(k);
    kernels::try_each_ticket(threads, std::ssize(list), [&](std::int64_t ticket) {
      const std::size_t k     = list[static_cast<std::size_t>(ticket)];
      const auto        first = static_cast<std::int64_t>(k) * of_each;
      regions[k] =
        plan_region<Scalar, Index>(a, rules, static_cast<Local>(first), static_cast<Local>(std::min<std::int64_t>(rows, first + of_each)),
                                   sampled ? none : *sample_of(k));
    });
  }
  std::vector<RowRange> chunked;
  for (const auto &r : regions) chunked.insert(chunked.end(), r.chunked.begin(), r.chunked.end());
  join(std::move(regions), threads);
  add_strips();
  cut(a, chunked, threads);
}

/// Puts what regions have one behind the other, by all threads: what one of them wrote takes another one long to read.
template <class Scalar, class Index, class Group>
void Plan<Scalar, Index, Group>::join(std::vector<Region<Scalar, Group>> &&regions, int threads)
{
  struct Place {
    std::size_t                tile, run, line; // the first
    std::vector<std::uint32_t> pattern;         // numbers
  };
  std::vector<Place> places;
  Place              next{};
  for (Region<Scalar, Group> &r : regions) {
    places.push_back(next);
    for (std::size_t k = 0; k < r.pool.size(); ++k) places.back().pattern.push_back(pool.add(r.pool, k));
    next.tile += r.tiles.size();
    next.run += r.runs.size();
    next.line += r.lines.size();
    add_tables(std::move(r.tables), std::span(r.tiles));
  }
  tiles.resize(next.tile);
  runs.resize(next.run);
  lines.resize(next.line);
  kernels::try_each_ticket(threads, std::ssize(regions), [&](std::int64_t ticket) {
    const Place           &p = places[static_cast<std::size_t>(ticket)];
    Region<Scalar, Group> &r = regions[static_cast<std::size_t>(ticket)];
    for (Tile &t : r.tiles) {
      t.diagonal.run += p.run;
      t.gather.line += p.line;
    }
    for (Run &run : r.runs) run.pattern = p.pattern[run.pattern];
    std::copy(r.tiles.begin(), r.tiles.end(), tiles.begin() + static_cast<std::ptrdiff_t>(p.tile));
    std::copy(r.runs.begin(), r.runs.end(), runs.begin() + static_cast<std::ptrdiff_t>(p.run));
    std::copy(r.lines.begin(), r.lines.end(), lines.begin() + static_cast<std::ptrdiff_t>(p.line));
    r = {};
  });
}

template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::add_tables(std::vector<std::vector<Scalar>> &&more)
{
  std::move(more.begin(), more.end(), std::back_inserter(tables));
}

template <class Scalar, class Index, class Group>
template <class Piece>
void Plan<Scalar, Index, Group>::add_tables(std::vector<std::vector<Scalar>> &&more, std::span<Piece> pieces)
{
  if (more.empty()) return;
  for (Piece &p : pieces) p.table += static_cast<std::uint32_t>(tables.size());
  add_tables(std::move(more));
}

/// The numbers of the patterns of the groups of a diagonal tile.
template <class Scalar, class Index, class Group> std::vector<std::uint32_t> Plan<Scalar, Index, Group>::patterns_of(const Tile &t) const
{
  std::vector<std::uint32_t> patterns;
  for (std::size_t i = t.diagonal.run; i < t.diagonal.run + t.diagonal.runs; ++i)
    patterns.insert(patterns.end(), runs[i].groups, runs[i].pattern);
  for (std::size_t i = t.diagonal.strip; i < t.diagonal.strip + t.diagonal.strips; ++i) {
    const auto first = strips.patterns.begin() + static_cast<std::ptrdiff_t>(tile_strips[i] * std::size_t(strip_groups));
    patterns.insert(patterns.end(), first, first + strip_groups);
  }
  patterns.resize(static_cast<std::size_t>((t.rows + Group::rows - 1) / Group::rows)); // the last strip may go beyond the tile
  return patterns;
}

template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::stream_values(Tile &t)
{
  const auto patterns = patterns_of(t);
  t.diagonal.run      = runs.size();
  t.diagonal.strips   = 0;
  t.values            = 0;
  t.mixed             = false;
  Local row           = t.row;
  for (const std::uint32_t number : patterns) {
    const Pattern p = pool.patterns[number]; // the pool grows
    // The slots are copied for the same reason.
    const SlotView           s = pool.slots(p);
    const std::vector<Local> offsets(s.offset, s.offset + s.slots);
    const std::vector<Mask>  lanes(s.lanes, s.lanes + s.slots);
    const std::uint32_t      streamed = pool.add({s.slots, offsets.data(), lanes.data()}, p.entries, PatternValues::streamed, {}, row);
    if (runs.size() > t.diagonal.run && runs.back().pattern == streamed) ++runs.back().groups;
    else runs.push_back({streamed, 1});
    row += Group::rows;
    t.values += p.entries;
  }
  t.diagonal.runs = static_cast<std::uint32_t>(runs.size() - t.diagonal.run);
}

/// Makes strips of the groups of a tile, which have these patterns; false, and nothing is done, if runs are faster or
/// much smaller. On the host.
template <class Scalar, class Index, class Group>
bool Plan<Scalar, Index, Group>::take_strips(Tile &t, const std::vector<std::uint32_t> &patterns)
{
  std::size_t slots = 0, entries = 0, slots_in_strips = 0;
  for (const std::uint32_t p : patterns) {
    slots += pool.patterns[p].slots;
    entries += pool.patterns[p].entries;
  }
  const std::size_t known = strips.size(), bytes = strips.bytes();
  t.diagonal.strip = tile_strips.size();
  for (std::size_t g = 0; g < patterns.size(); g += strip_groups) {
    if constexpr (std::is_same_v<Group, HostGroup>)
      tile_strips.push_back(strips.add(std::span(patterns).subspan(g, std::min<std::size_t>(strip_groups, patterns.size() - g)), pool));
    slots_in_strips += strips.strips[tile_strips.back()].slots;
  }
  const bool pays = slots_in_strips * tuning::strip_slot <= slots && strips.bytes() - bytes <= entries * tuning::strip_bytes;
  if (pays || rules.strips == When::always) {
    t.diagonal.strips = static_cast<std::uint32_t>(tile_strips.size() - t.diagonal.strip);
    t.diagonal.runs   = 0;
    return true;
  }
  tile_strips.resize(t.diagonal.strip);
  strips.cut(known);
  return false;
}

/// Strips in the place of the runs of tiles that have all values with their patterns.
template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::add_strips()
{
  if (!std::is_same_v<Group, HostGroup> || rules.strips == When::never) return;
  std::vector<Run> kept;
  for (Tile &t : tiles) {
    if (t.kind != Kind::diagonal || (t.values == 0 && take_strips(t, patterns_of(t)))) continue;
    kept.insert(kept.end(), runs.begin() + static_cast<std::ptrdiff_t>(t.diagonal.run),
                runs.begin() + static_cast<std::ptrdiff_t>(t.diagonal.run + t.diagonal.runs));
    t.diagonal.run = kept.size() - t.diagonal.runs;
  }
  runs = std::move(kept);
}

/// Rows in chunks; those without entries between two chunks are tiles.
template <class Scalar, class Index, class Group>
void Plan<Scalar, Index, Group>::cut(const CsrView<Scalar, Index> &a, const std::vector<RowRange> &ranges, int threads)
{
  std::vector<Cutter<Scalar, Index>> parts(ranges.size(), {a, rules});
  kernels::try_each_ticket(threads, std::ssize(ranges), [&](std::int64_t ticket) {
    const auto k = static_cast<std::size_t>(ticket);
    parts[k].cut(ranges[k]);
  });
  std::vector<std::size_t> first{0}; // chunk of each part
  for (const auto &part : parts) {
    first.push_back(first.back() + part.chunks.size());
    tiles.insert(tiles.end(), part.gaps.begin(), part.gaps.end());
  }
  chunks.resize(first.back());
  chunk_begin.resize(first.back());
  kernels::try_each_ticket(threads, std::ssize(ranges), [&](std::int64_t ticket) { // what one thread wrote takes another one long to copy
    const auto k = static_cast<std::size_t>(ticket);
    std::copy(parts[k].chunks.begin(), parts[k].chunks.end(), chunks.begin() + static_cast<std::ptrdiff_t>(first[k]));
    std::copy(parts[k].begin.begin(), parts[k].begin.end(), chunk_begin.begin() + static_cast<std::ptrdiff_t>(first[k]));
    parts[k].chunks = {};
    parts[k].begin  = {};
  });
}

/// Long rows together read all of x; panel by panel they read it once. Sums do not change: parts of rows are joined by
/// their numbers.
template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::order_by_panels()
{
  if (!rules.on_host) return; // on a device
  for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].number = static_cast<std::uint32_t>(i);
  if (rules.panel >= cols || rules.tile == TileChoice::chunk) return;
  const auto is_part = [](const Chunk &c) { return c.segments == 1 && (c.continues || !c.ends); };
  std::stable_sort(chunks.begin(), chunks.end(), [&](const Chunk &c, const Chunk &d) {
    const auto panel = [&](const Chunk &chunk) { return is_part(chunk) ? chunk.least / rules.panel : Local(-1); };
    return panel(c) < panel(d);
  });
  const std::vector<Index> begin = chunk_begin;
  for (std::size_t i = 0; i < chunks.size(); ++i) chunk_begin[i] = begin[chunks[i].number];
}

/// Chunks from i on that are coded alike: neighbours, and not after `end`.
template <class Scalar, class Index, class Group> std::size_t Plan<Scalar, Index, Group>::end_of_alike(std::size_t i, std::size_t end) const
{
  end = std::min(end, i + static_cast<std::size_t>(rules.alike));
  for (++i; i < end && chunk_begin[i] == chunk_begin[i - 1] + static_cast<Index>(chunks[i - 1].entries);) ++i;
  return i;
}

template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::code_chunks(const CsrView<Scalar, Index> &a, int threads)
{
  constexpr std::size_t                         of_each = tuning::region_chunks;
  const std::size_t                             regions = (chunks.size() + of_each - 1) / of_each;
  std::vector<std::vector<std::vector<Scalar>>> of_region(regions);
  const auto region = [&](std::size_t k) { return std::span(chunks).subspan(k * of_each, std::min(of_each, chunks.size() - k * of_each)); };
  kernels::try_each_ticket(threads, static_cast<std::int64_t>(regions), [&](std::int64_t ticket) {
    const auto                    k = static_cast<std::size_t>(ticket);
    kernels::TableBuilder<Scalar> builder(rules.coding);
    kernels::CodingChoice         choice;
    std::size_t                   alike = 0; // chunks with that choice end here
    for (Chunk &c : region(k)) {
      const auto  i     = static_cast<std::size_t>(&c - chunks.data());
      const Index begin = chunk_begin[i];
      set_columns(a, begin, rules.narrowest, c);
      c.scattered = rules.on_host && rules.ahead && kernels::is_scattered(far_entries(a, begin, c), c.entries);
      if (i >= alike) {
        alike  = end_of_alike(i, std::min(chunks.size(), (k + 1) * of_each));
        choice = builder.choose({a.val + begin, static_cast<std::size_t>(chunk_begin[alike - 1] - begin) + chunks[alike - 1].entries});
      }
      c.coding = choice.coding;
      c.table  = choice.table;
      c.cost =
        static_cast<float>(c.entries * rules.cost.entry + c.segments * rules.cost.segment + rules.coding.cost<Scalar>(c.coding, c.entries));
    }
    of_region[k] = std::move(builder).tables();
  });
  for (std::size_t k = 0; k < regions; ++k) add_tables(std::move(of_region[k]), region(k));
}

/// Places of orders, lengths and columns, and how long these and the values will be. On a device these are in an image
/// (device/image.hpp).
template <class Scalar, class Index, class Group> void Plan<Scalar, Index, Group>::lay_out()
{
  const auto place = [this](auto &piece, std::size_t structure, std::size_t columns, std::size_t coded) {
    piece.structure = structure_bytes;
    piece.column    = column_bytes;
    structure_bytes += structure;
    column_bytes += columns;
    value_bytes += coded;
  };
  pool.values.resize(pool.values.size() + group_rows); // read in vain by lanes
  if (!rules.on_host) return;
  for (Tile &t : tiles) {
    const bool gathers = t.kind == Kind::gather;
    place(t.gather, gathers ? GatherParts(t).bytes : 0, gathers ? column_room(t.gather.columns, t.values / t.gather.node) : 0,
          kernels::coded_bytes<Scalar>(t.coding, t.values));
  }
  for (Chunk &c : chunks)
    place(c, ChunkParts(c).bytes, column_room(c.columns, c.entries), kernels::coded_bytes<Scalar>(c.coding, c.entries));
}

template <class Scalar, class Index, class Group> Footprint Plan<Scalar, Index, Group>::footprint() const
{
  std::size_t in_tables = 0;
  for (const auto &t : tables) in_tables += t.size() * sizeof(Scalar);
  return {{{"tiles", tiles.size() * sizeof(Tile), false},
           {"chunks", chunks.size() * sizeof(Chunk), false},
           {"runs", runs.size() * sizeof(Run), false},
           {"patterns", pool.bytes(), false},
           {"lines of x", lines.size() * sizeof(Local), false},
           {"strips", tile_strips.size() * sizeof(std::uint32_t) + strips.bytes(), false},
           {"orders, lengths and ends", structure_bytes, false},
           {"columns", column_bytes, false},
           {"values", value_bytes, false},
           {"tables of values", in_tables, false}}};
}

template <class Scalar, class Index, class Group> std::size_t Plan<Scalar, Index, Group>::bytes_taken() const
{
  const auto taken = [](const auto &...arrays) { return (petscspmv::bytes_taken(arrays) + ...); };
  return taken(tiles, runs, lines, tile_strips, tables, chunks, chunk_begin) + pool.bytes_taken() + strips.bytes_taken();
}

#define INSTANTIATE(S, I) \
  template struct Plan<S, I, HostGroup>; \
  template struct Plan<S, I, DeviceGroup>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
