#include "impls/bccoo/bccoo_plan.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <span>
#include <string>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "impls/bccoo/bccoo_content.hpp"
#include "impls/bccoo/bccoo_shape.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/local_number.hpp"
#include "kernels/rows/pointer.hpp"

namespace petscspmv::bccoo {

Rules::Rules(const OptionValues &options, std::int64_t bytes)
  : asked{static_cast<int>(options["block_rows"]), static_cast<int>(options["block_columns"])}, slices(static_cast<int>(options["slices"])),
    tile(options["tile"])
{
  const bool afar = kernels::comes_from_afar(bytes);
  if (tile == 0) tile = afar ? tuning::tile_from_afar : most_tile_values;
  if (!afar) cost.byte /= 4;
  if (bytes > kernels::second_cache_bytes) cost.near_stream = tuning::last_cache_stream;
  near_bytes = kernels::is_last_cache_slow() ? tuning::second_cache_share * double(kernels::second_cache())
               : afar                        ? 0
                                             : double(kernels::memory_bytes);
  coding     = kernels::coding_rules(options, cost.decode, cost.byte);
}

Rules::Rules(const OptionValues &options) : Rules(options, std::numeric_limits<std::int64_t>::max())
{
  asked.by_columns = true;
  slices           = 1;
  cost             = tuning::fewest_bytes;
}

namespace {

/// True if values and x of a matrix of so many bytes in blocks of so many are asked for before they are needed.
bool asks_early(std::int64_t bytes, std::size_t block_bytes)
{
  const double caches = static_cast<double>(bytes) / static_cast<double>(kernels::last_level_cache());
  return caches > tuning::least_afar && (block_bytes < tuning::foreseen_bytes || caches < tuning::most_afar);
}

/// Bytes an entry that blocks may take: those of CSR, and more in caches. For lanes that have a block each: none but
/// the fewest.
template <class Scalar, class Index> double most_bytes(const CsrView<Scalar, Index> &a, Shape asked)
{
  if (asked.by_columns) return 0;
  const auto   bytes = kernels::csr_bytes(a);
  const double share = bytes <= kernels::second_cache_bytes ? tuning::most_in_second_cache
                       : bytes <= kernels::memory_bytes     ? tuning::most_in_last_cache
                                                            : 1;
  return share * static_cast<double>(bytes) / static_cast<double>(a.nonzeros());
}

/// True if columns ascend in every row, though they may repeat.
template <class Scalar, class Index> bool has_sorted_rows(const CsrView<Scalar, Index> &a, int threads)
{
  std::atomic<bool> all{true};
  kernels::try_each_batch(threads, a.rows, tuning::count_batch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last && all.load(std::memory_order_relaxed); ++r) {
      int others = 0; // lanes add these up, which is faster than to end early
      for (Index k = a.row_ptr[r] + 1; k < a.row_ptr[r + 1]; ++k) others += a.col[k - 1] > a.col[k];
      if (others > 0) all.store(false, std::memory_order_relaxed);
    }
  });
  return all.load();
}

} // namespace

template <class Scalar, class Index> Grid choose_grid(const CsrView<Scalar, Index> &a, const Rules &rules, int threads)
{
  Grid grid{{}, kernels::local_number(a.rows, "rows", "bccoo"), kernels::local_number(a.cols, "columns", "bccoo")};
  if (a.nonzeros() == 0) return grid;
  kernels::visit_rows(a.row_ptr, a.rows, [](Index, Index) {});
  grid.sorted = has_sorted_rows(a, threads);
  Shape shape = rules.asked;
  if (shape.rows == 0 || shape.cols == 0)
    shape = best_shape(sample_fill(a, grid.sorted), shape, sizeof(Scalar),
                       {most_bytes(a, shape), rules.near_bytes / static_cast<double>(a.nonzeros())}, rules.cost);
  grid.shape  = {static_cast<int>(std::min<Local>(shape.rows, grid.rows)), static_cast<int>(std::min<Local>(shape.cols, grid.cols)),
                 shape.by_columns};
  grid.slices = static_cast<int>(std::min<Local>(rules.slices > 0 ? rules.slices : slices_that_pay(a, grid.shape), grid.block_cols()));
  if (grid.all_block_rows() * grid.shape.rows >= std::numeric_limits<Local>::max())
    throw FormatError("Option slices is " + std::to_string(rules.slices) + ", but so many slices of " + std::to_string(grid.rows) +
                      " rows cannot be numbered with 32 bits; ask for fewer, or leave it out.");
  return grid;
}

namespace {

/// Blocks begin .. end - 1 of the block row that is open.
template <class Scalar, class Index> BlockRow some_blocks(const BlockReader<Scalar, Index> &reader, std::uint32_t begin, std::uint32_t end)
{
  if (begin == end) return {};
  return {end - begin, reader.column(begin), reader.column(end - 1), reader.entries(begin, end)};
}

/// A block row where each entry is a block, and columns ascend.
template <class Scalar, class Index> BlockRow row_of_entries(const CsrView<Scalar, Index> &a, std::int64_t r)
{
  const Index begin = a.row_ptr[r], n = a.row_ptr[r + 1] - begin;
  if (n == 0) return {};
  return {static_cast<std::uint32_t>(n), static_cast<Local>(a.col[begin]), static_cast<Local>(a.col[begin + n - 1]), n};
}

} // namespace

template <class Scalar, class Index> BlockRows count_blocks(const CsrView<Scalar, Index> &a, const Grid &grid, int threads)
{
  const bool                entries = grid.shape.values() == 1 && grid.slices == 1 && grid.sorted;
  BlockRows                 rows{kernels::Room<BlockRow>(static_cast<std::size_t>(grid.all_block_rows()))};
  std::atomic<std::int64_t> blocks{0}, filled{0};
  kernels::try_each_batch(threads, grid.all_block_rows(), tuning::count_batch, [&](std::int64_t first, std::int64_t last) {
    BlockReader<Scalar, Index> reader(a, grid);
    std::int64_t               blocks_here = 0, filled_here = 0;
    for (std::int64_t r = first; r < last; ++r) {
      if (!entries) reader.open(r);
      const BlockRow row = entries ? row_of_entries(a, r) : some_blocks(reader, 0, reader.blocks());
      rows.row.data()[r] = row;
      blocks_here += row.blocks;
      filled_here += row.blocks > 0;
    }
    blocks += blocks_here;
    filled += filled_here;
  });
  rows.blocks = blocks;
  rows.filled = filled;
  return rows;
}

template <class Scalar, class Index>
Plan<Scalar, Index>::Plan(const View &a, const OptionValues &options, int threads) : rules(options, kernels::csr_bytes(a))
{
  grid  = choose_grid(a, rules, threads);
  ahead = asks_early(kernels::csr_bytes(a), static_cast<std::size_t>(grid.shape.values()) * sizeof(Scalar));
  if (a.nonzeros() == 0) return;
  cut(a, threads);
  code(a, threads);
  lay_out();
}

/// Makes tiles of block rows, as many whole ones as fit; one that does not fit by itself is cut.
template <class Scalar, class Index> void Plan<Scalar, Index>::cut(const View &a, int threads)
{
  const auto      count = count_blocks(a, grid, threads);
  const auto      most  = static_cast<std::uint32_t>(std::clamp<std::int64_t>(rules.tile / grid.shape.values(), 1, most_tile_blocks));
  const std::span rows(count.row.data(), count.row.size());
  if (count.filled < std::ssize(rows))
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r].blocks > 0) filled.push_back(static_cast<Local>(r));
  segments = static_cast<Local>(count.filled);
  for (Local k = 0; k < segments; ++k) {
    const BlockRow &row = rows[static_cast<std::size_t>(block_row(k))];
    if (row.blocks <= most) add(k, row, most);
    else cut_row(a, k, most);
  }
  blocks = count.blocks;
  zeros  = blocks * grid.shape.values() - a.nonzeros();
}

/// A block row, to the last tile or to a new one; or a part of one that begins with block number `begin`, to one of its
/// own.
template <class Scalar, class Index>
void Plan<Scalar, Index>::add(Local segment, const BlockRow &some, std::uint32_t most, Local part, std::uint32_t begin)
{
  if (tiles.empty() || part >= 0 || tiles.back().part >= 0 || tiles.back().blocks + some.blocks > most) {
    tiles.push_back({segment, 0, 0, part, begin});
    tiles.back().least = std::numeric_limits<Local>::max();
  }
  Tile &t = tiles.back();
  ++t.segments;
  t.blocks += some.blocks;
  t.zeros += static_cast<std::uint32_t>(std::int64_t(some.blocks) * grid.shape.values() - some.entries);
  t.least = std::min(t.least, some.first);
  t.most  = std::max(t.most, some.last);
}

/// Parts of equal size, each a tile.
template <class Scalar, class Index> void Plan<Scalar, Index>::cut_row(const View &a, Local segment, std::uint32_t most)
{
  Reader reader(a, grid);
  reader.open(block_row(segment));
  const std::uint32_t n = reader.blocks(), pieces = (n - 1) / most + 1;
  cut_rows.push_back({segment, cut_parts, static_cast<Local>(pieces)});
  for (std::uint32_t p = 0, b = 0; p < pieces; ++p) {
    const auto end = static_cast<std::uint32_t>(std::uint64_t(n) * (p + 1) / pieces);
    add(segment, some_blocks(reader, b, end), most, cut_parts++, b);
    b = end;
  }
}

/// Codings of the values of all tiles.
template <class Scalar, class Index> void Plan<Scalar, Index>::code(const View &a, int threads)
{
  const std::int64_t                            n = std::ssize(tiles), regions = (n + tuning::tiles_alike - 1) / tuning::tiles_alike;
  std::vector<std::vector<std::vector<Scalar>>> of_region(static_cast<std::size_t>(regions));
  kernels::try_each_batch(threads, n, tuning::tiles_alike, [&](std::int64_t first, std::int64_t last) {
    kernels::TableBuilder<Scalar> builder(rules.coding);
    Reader                        reader(a, grid);
    Content<Scalar, Index>        content;
    for (std::int64_t i = first; i < last; ++i) {
      Tile                       &t      = tiles[static_cast<std::size_t>(i)];
      const kernels::CodingChoice choice = builder.choose(values_of(a, reader, t, content), t.zeros > 0);
      t.coding                           = choice.coding;
      t.table                            = choice.table;
    }
    of_region[static_cast<std::size_t>(first / tuning::tiles_alike)] = std::move(builder).tables();
  });
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % tuning::tiles_alike == 0 && i > 0) {
      auto &more = of_region[static_cast<std::size_t>(i / tuning::tiles_alike - 1)];
      std::move(more.begin(), more.end(), std::back_inserter(tables));
    }
    tiles[static_cast<std::size_t>(i)].table += static_cast<std::uint32_t>(tables.size());
  }
  if (regions > 0) std::move(of_region.back().begin(), of_region.back().end(), std::back_inserter(tables));
}

/// All different values of a tile, with or without zeros that are no entries: as they are in the matrix, where those of
/// whole rows follow each other.
template <class Scalar, class Index>
std::span<const Scalar> Plan<Scalar, Index>::values_of(const View &a, Reader &reader, const Tile &t, Content<Scalar, Index> &content) const
{
  if (grid.slices > 1 || t.part >= 0) {
    content.template read<false>(a.val, *this, reader, t);
    return content.values;
  }
  const auto  first_row = [&](Local r) { return std::min(static_cast<Index>(r) * static_cast<Index>(grid.shape.rows), a.rows); };
  const Local last      = static_cast<Local>(block_row(t.segment + static_cast<Local>(t.segments) - 1)) + 1;
  return {a.val + a.row_ptr[first_row(static_cast<Local>(block_row(t.segment)))], a.val + a.row_ptr[first_row(last)]};
}

template <class Scalar, class Index> void Plan<Scalar, Index>::lay_out()
{
  for (Tile &t : tiles) {
    const bool whole = (std::int64_t(t.most) + 1) * grid.shape.cols <= grid.cols; // all blocks begin at a multiple of their width
    t.columns        = whole && t.most - t.least < 1 << 16 ? Columns::bits16 : Columns::bits32;
    t.structure      = structure_bytes;
    t.column         = column_bytes;
    structure_bytes += TileParts(t, grid.shape).bytes;
    column_bytes += (bccoo::column_bytes(t.columns) * t.blocks + 3) / 4 * 4;
    value_bytes += kernels::coded_bytes<Scalar>(t.coding, t.blocks * static_cast<std::size_t>(grid.shape.values()));
  }
}

template <class Scalar, class Index> Footprint Plan<Scalar, Index>::footprint() const
{
  std::size_t table_bytes = 0, masks = 0;
  for (const auto &t : tables) table_bytes += t.size() * sizeof(Scalar);
  for (const Tile &t : tiles) masks += TileParts(t, grid.shape).bytes - TileParts(t, grid.shape).masks;
  return {{{"tiles", tiles.size() * sizeof(Tile)},
           {"flags of blocks", structure_bytes - masks},
           {"masks of blocks with zeros", masks},
           {"columns", column_bytes},
           {"values", value_bytes},
           {"tables of values", table_bytes},
           {"block rows that are not empty", filled.size() * sizeof(Local)},
           {"cut block rows", cut_rows.size() * sizeof(CutRow)},
           {"sums of parts of cut block rows", parts() * sizeof(Scalar), false, true},
           {"sums of slices", static_cast<std::size_t>(waiting()) * sizeof(Scalar), false, true}}};
}

#define INSTANTIATE(S, I) \
  template Grid      choose_grid(const CsrView<S, I> &, const Rules &, int); \
  template BlockRows count_blocks(const CsrView<S, I> &, const Grid &, int); \
  template struct Plan<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::bccoo
