#include "impls/ccoo/plan/host_plan.hpp"

#include <algorithm>
#include <span>

#include "core/for_each_type.hpp"
#include "impls/ccoo/tiles/chunk.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/lanes/scalar.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::ccoo {

template <class Scalar, class Index>
HostPlan<Scalar, Index>::HostPlan(const View &a, const OptionValues &options, int threads)
  : Plan<Scalar, Index, HostGroup>(a, HostRules(options, kernels::csr_bytes(a), kernels::is_complex<Scalar>)),
    streams(rules.stores == StoreChoice::automatic
              ? double(std::int64_t(rows) + cols) * sizeof(Scalar) > tuning::y_past_caches * double(kernels::last_level_cache())
              : rules.stores == StoreChoice::streamed)
{
  if (rules.tile == TileChoice::chunk) this->take_chunks(a, {{0, rows, false}}, threads);
  else take_regions(a, threads);
  order_by_panels();
  lay_out();
}

template <class Scalar, class Index> void HostPlan<Scalar, Index>::take_regions(const View &a, int threads)
{
  std::vector<HostRegion<Scalar>> regions(static_cast<std::size_t>((rows + rules.region - 1) / rules.region));
  kernels::try_each_ticket(threads, std::ssize(regions), [&](std::int64_t k) {
    const std::int64_t first = k * rules.region, last = std::min<std::int64_t>(rows, first + rules.region);
    regions[static_cast<std::size_t>(k)] = plan_region(a, rules, static_cast<Local>(first), static_cast<Local>(last));
  });
  take_lines(regions, threads);
  std::vector<Region<Scalar, HostGroup> *> all;
  all.reserve(regions.size());
  for (auto &r : regions) all.push_back(&r);
  this->take(a, all, threads);
  add_strips();
}

template <class Scalar, class Index> void HostPlan<Scalar, Index>::take_lines(std::vector<HostRegion<Scalar>> &regions, int threads)
{
  std::vector<std::size_t> first{0}; // of each region
  for (const auto &r : regions) first.push_back(first.back() + r.lines.size());
  lines.resize(first.back());
  kernels::try_each_ticket(threads, std::ssize(regions), [&](std::int64_t ticket) {
    const auto k = static_cast<std::size_t>(ticket);
    for (Tile &t : regions[k].tiles) t.gather.line += first[k];
    std::copy(regions[k].lines.begin(), regions[k].lines.end(), lines.begin() + static_cast<std::ptrdiff_t>(first[k]));
    regions[k].lines = {};
  });
}

/// The numbers of the patterns of the groups of a diagonal tile.
template <class Scalar, class Index> std::vector<std::uint32_t> HostPlan<Scalar, Index>::patterns_of(const Tile &t) const
{
  std::vector<std::uint32_t> patterns;
  for (std::size_t i = t.diagonal.run; i < t.diagonal.run + t.diagonal.runs; ++i)
    patterns.insert(patterns.end(), runs[i].groups, runs[i].pattern);
  for (std::size_t i = t.diagonal.strip; i < t.diagonal.strip + t.diagonal.strips; ++i) {
    const auto first = strips.patterns.begin() + static_cast<std::ptrdiff_t>(tile_strips[i] * std::size_t(strip_groups));
    patterns.insert(patterns.end(), first, first + strip_groups);
  }
  patterns.resize(static_cast<std::size_t>((t.rows + group_rows - 1) / group_rows)); // the last strip may go beyond the tile
  return patterns;
}

template <class Scalar, class Index> void HostPlan<Scalar, Index>::stream_values(Tile &t)
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
    const auto                  s = pool.slots(p);
    const std::vector<Local>    offsets(s.offset, s.offset + s.slots);
    const std::vector<LaneMask> lanes(s.lanes, s.lanes + s.slots);
    const std::uint32_t         streamed = pool.add({s.slots, offsets.data(), lanes.data()}, p.entries, PatternValues::streamed, {}, row);
    if (runs.size() > t.diagonal.run && runs.back().pattern == streamed) ++runs.back().groups;
    else runs.push_back({streamed, 1});
    row += group_rows;
    t.values += p.entries;
  }
  t.diagonal.runs = static_cast<std::uint32_t>(runs.size() - t.diagonal.run);
}

/// Makes strips of the groups of a tile, which have these patterns; false, and nothing is done, if runs are faster or
/// much smaller.
template <class Scalar, class Index> bool HostPlan<Scalar, Index>::take_strips(Tile &t, const std::vector<std::uint32_t> &patterns)
{
  std::size_t slots = 0, entries = 0, slots_in_strips = 0;
  for (const std::uint32_t p : patterns) {
    slots += pool.patterns[p].slots;
    entries += pool.patterns[p].entries;
  }
  const std::size_t known = strips.size(), bytes = strips.bytes();
  t.diagonal.strip = tile_strips.size();
  for (std::size_t g = 0; g < patterns.size(); g += strip_groups) {
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
template <class Scalar, class Index> void HostPlan<Scalar, Index>::add_strips()
{
  if (rules.strips == When::never) return;
  std::vector<Run> kept;
  for (Tile &t : tiles) {
    if (t.kind != Kind::diagonal || (t.values == 0 && take_strips(t, patterns_of(t)))) continue;
    kept.insert(kept.end(), runs.begin() + static_cast<std::ptrdiff_t>(t.diagonal.run),
                runs.begin() + static_cast<std::ptrdiff_t>(t.diagonal.run + t.diagonal.runs));
    t.diagonal.run = kept.size() - t.diagonal.runs;
  }
  runs = std::move(kept);
}

/// Long rows together read all of x; panel by panel they read it once. Sums do not change: parts of rows are joined by
/// their numbers.
template <class Scalar, class Index> void HostPlan<Scalar, Index>::order_by_panels()
{
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

/// Places of orders, lengths and columns, and how long these and the values will be.
template <class Scalar, class Index> void HostPlan<Scalar, Index>::lay_out()
{
  const auto place = [this](auto &piece, std::size_t structure, std::size_t columns, std::size_t coded) {
    piece.structure = structure_bytes;
    piece.column    = column_bytes;
    structure_bytes += structure;
    column_bytes += columns;
    value_bytes += coded;
  };
  pool.values.resize(pool.values.size() + group_rows); // read in vain by lanes
  for (Tile &t : tiles) {
    const bool gathers = t.kind == Kind::gather;
    place(t.gather, gathers ? GatherParts(t).bytes : 0, gathers ? column_room(t.gather.columns, t.values / t.gather.node) : 0,
          kernels::coded_bytes<Scalar>(t.coding, t.values));
  }
  for (Chunk &c : chunks)
    place(c, ChunkParts(c).bytes, column_room(c.columns, c.entries), kernels::coded_bytes<Scalar>(c.coding, c.entries));
}

template <class Scalar, class Index> Footprint HostPlan<Scalar, Index>::footprint() const
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

template <class Scalar, class Index> std::size_t HostPlan<Scalar, Index>::bytes_taken() const
{
  const auto taken = [](const auto &...arrays) { return (petscspmv::bytes_taken(arrays) + ...); };
  return taken(tiles, runs, lines, tile_strips, tables, chunks, chunk_begin) + pool.bytes_taken() + strips.bytes_taken();
}

#define INSTANTIATE(S, I) template struct HostPlan<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
