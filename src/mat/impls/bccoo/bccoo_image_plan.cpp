#include "impls/bccoo/bccoo_image_plan.hpp"

#include <algorithm>
#include <complex>
#include <iterator>
#include <limits>

#include "impls/bccoo/bccoo_device_tuning.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::bccoo::image {
namespace {

/// The values of the option `sums`.
enum SumsOption : std::int64_t { automatic, registers };

std::uint32_t counted(std::size_t n, const char *what)
{
  return kernels::counted_number(n, what, "bccoo");
}

/// As many blocks for each lane as a tile of n blocks takes.
int lane_blocks(std::uint32_t n)
{
  constexpr std::uint32_t grain_of_blocks = lanes * columns_of_piece;
  return static_cast<int>((n + grain_of_blocks - 1) / grain_of_blocks) * columns_of_piece;
}

} // namespace

template <class Scalar, class Index>
ImagePlan<Scalar, Index>::ImagePlan(const View &a, const OptionValues &options, int threads)
  : a_(a), threads_(threads), rules_(options), grid_(choose_grid(a, rules_, threads))
{
  m_.shape            = grid_.shape;
  m_.shape.by_columns = true;
  m_.rows             = grid_.rows;
  m_.cols             = grid_.cols;
  m_.slices           = grid_.slices;
  m_.sorted           = grid_.sorted;
  if (a.nonzeros() == 0) {
    for (Local r = 0; r < grid_.all_block_rows(); ++r) m_.vacant.push_back(r);
    return;
  }
  cut_all(options["flags"], options["sums"]);
  code();
  place();
}

// ------------------------------------------------------------ tiles

/// With such words of flags as options and the matrix ask for, as far as sums have room where they wait in shared
/// memory.
template <class Scalar, class Index> void ImagePlan<Scalar, Index>::cut_all(std::int64_t flags, std::int64_t sums)
{
  const BlockRows rows = count_blocks(a_, grid_, threads_);
  if (const std::span all(rows.row.data(), rows.row.size()); rows.filled < std::ssize(all))
    for (std::size_t r = 0; r < all.size(); ++r) (all[r].blocks > 0 ? m_.filled : m_.vacant).push_back(static_cast<Local>(r));
  m_.segments  = static_cast<Local>(rows.filled);
  m_.blocks    = rows.blocks;
  m_.zeros     = m_.blocks * m_.shape.values() - std::int64_t(a_.nonzeros());
  m_.flag_bits = flags > 0 ? 4 << flags : tuning::device_flag_bits(m_.shape.values(), double(m_.blocks) / double(m_.segments));
  while (flags == 0 && m_.flag_bits > 8 && m_.blocks < tuning::device_least_tiles * std::int64_t(most_blocks())) m_.flag_bits /= 2;
  m_.in_registers = sums == automatic ? tuning::device_sums_in_registers : sums == registers;
  cut(rows);
  while (!m_.in_registers && m_.flag_bits > 8 &&
         std::int64_t(m_.most_ends) * m_.shape.rows * std::int64_t(sizeof(Scalar)) > tuning::device_most_staged) {
    m_.flag_bits /= 2;
    cut(rows);
  }
  measure(rows);
}

template <class Scalar, class Index> void ImagePlan<Scalar, Index>::cut(const BlockRows &rows)
{
  m_.tile.clear();
  m_.cut.clear();
  part_.clear();
  first_part_.clear();
  const bool          small = kernels::csr_bytes(a_) <= tuning::device_small_bytes;
  const std::uint32_t most = most_blocks(), whole = small ? most : most / tuning::device_whole_share;
  const auto          blocks_of = [&](Local k) { return rows.row.data()[block_row(k)].blocks; };
  bool                is_open   = false; // the last tile has the end of a block row that was cut, and room
  for (Local k = 0; k < m_.segments;) {
    std::uint32_t n    = is_open ? m_.tile.back().blocks : 0;
    Local         next = k, best = k;
    double        least = 1;
    for (; next < m_.segments && n + blocks_of(next) <= most; ++next) {
      n += blocks_of(next);
      if (const double idle = idle_share(n); idle <= least) {
        least = idle;
        best  = next + 1;
      }
    }
    const bool cuts = next < m_.segments && blocks_of(next) > whole && n < most;
    if (!cuts && next < m_.segments) next = best;
    if (!is_open && next > k) begin_tile(k);
    for (; k < next; ++k) add(blocks_of(k));
    is_open = cuts;
    if (cuts) {
      cut_row(k, blocks_of(k));
      ++k;
    }
  }
  m_.most_ends = 0;
  for (const Tile &t : m_.tile) m_.most_ends = std::max<std::uint32_t>(m_.most_ends, t.segments - t.goes_on);
  counted(m_.tile.size(), "tiles");
}

/// The share of what lanes could do in a tile of n blocks that they do not; 1 for tiles that are less than half as
/// large as they may be.
template <class Scalar, class Index> double ImagePlan<Scalar, Index>::idle_share(std::uint32_t n) const
{
  return 2 * n < most_blocks() ? 1 : 1 - static_cast<double>(n) / (lanes * lane_blocks(n));
}

template <class Scalar, class Index> void ImagePlan<Scalar, Index>::begin_tile(Local segment)
{
  Tile t{};
  t.segment = segment;
  m_.tile.push_back(t);
}

/// So many blocks of one segment go to the last tile.
template <class Scalar, class Index> void ImagePlan<Scalar, Index>::add(std::uint32_t blocks)
{
  Tile &t  = m_.tile.back();
  t.blocks = static_cast<std::uint16_t>(t.blocks + blocks);
  ++t.segments;
}

/// A row of n blocks, from what is left of the last tile on: all of its tiles but the last are full.
template <class Scalar, class Index> void ImagePlan<Scalar, Index>::cut_row(Local segment, std::uint32_t n)
{
  const auto number = [this] { return static_cast<std::uint32_t>(m_.tile.size() - 1); };
  first_part_.push_back(part_.size());
  for (bool is_first = true; n > 0; is_first = false) {
    if (m_.tile.empty() || m_.tile.back().blocks == most_blocks()) begin_tile(segment);
    Tile &t = m_.tile.back();
    if (is_first) m_.cut.push_back({segment, number(), number()});
    else {
      t.continues        = 1;
      t.begin            = static_cast<std::uint32_t>(part_.size() - first_part_.size()); // first parts do not begin anywhere
      m_.cut.back().last = number();
    }
    const std::uint32_t taken = std::min(n, most_blocks() - t.blocks);
    part_.push_back({number(), taken, {}});
    add(taken);
    n -= taken;
    t.goes_on = n > 0;
  }
}

/// Where cut block rows go on, and what there is of the blocks of each tile.
template <class Scalar, class Index> void ImagePlan<Scalar, Index>::measure(const BlockRows &rows)
{
  constexpr std::int64_t tiles_together = 256;
  begin_.resize(part_.size() - m_.cut.size());
  kernels::try_each_ticket(threads_, std::ssize(m_.cut), [this](std::int64_t i) { measure_cut_row(static_cast<std::size_t>(i)); });
  std::vector<Extent> extent(m_.tile.size());
  kernels::try_each_batch(threads_, std::ssize(m_.tile), tiles_together, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const Tile &t = m_.tile[i];
      for (Local k = t.segment + t.continues, end = t.segment + t.segments - t.goes_on; k < end; ++k) {
        const BlockRow &row = rows.row.data()[block_row(k)];
        extent[i].add(row.first, row.last, row.entries);
      }
    }
  });
  for (const Part &p : part_) extent[p.tile].add(p.extent.least, p.extent.most, p.extent.entries);
  finish_tiles(extent);
}

template <class Scalar, class Index> void ImagePlan<Scalar, Index>::measure_cut_row(std::size_t number)
{
  const std::size_t first = first_part_[number], end = number + 1 < first_part_.size() ? first_part_[number + 1] : part_.size();
  Reader            reader(a_, grid_);
  reader.open(block_row(m_.cut[number].segment));
  for (std::size_t p = first; p < end; ++p) {
    Part &part = part_[p];
    if (p > first) begin_[m_.tile[part.tile].begin] = reader.place();
    for (std::uint32_t b = 0; b < part.blocks; ++b) {
      std::int64_t entries = 0;
      const Local  column  = reader.next([&entries](int, Index) { ++entries; });
      part.extent.add(column, column, entries);
    }
  }
}

template <class Scalar, class Index> void ImagePlan<Scalar, Index>::finish_tiles(const std::vector<Extent> &extent)
{
  for (const auto &place : begin_)
    for (int i = 0; i < m_.shape.rows; ++i) m_.begin.push_back(static_cast<std::int64_t>(place[static_cast<std::size_t>(i)]));
  for (std::size_t i = 0; i < m_.tile.size(); ++i) {
    Tile &t           = m_.tile[i];
    t.lane_blocks     = static_cast<std::uint8_t>(lane_blocks(t.blocks));
    t.scattered_lanes = t.blocks == most_blocks() && t.segments == 1;
    t.least           = extent[i].least;
    t.zeros           = std::int64_t(t.blocks) * m_.shape.values() > extent[i].entries;
    t.wide            = extent[i].most - t.least > std::numeric_limits<std::uint16_t>::max() || rules_.columns == ColumnsChoice::bits32;
  }
}

// ------------------------------------------------------------ codings

/// Some tiles have one coding, more of them share tables.
template <class Scalar, class Index> void ImagePlan<Scalar, Index>::code()
{
  const auto         each = std::max<std::int64_t>(tuning::device_values_alike / (std::int64_t(most_blocks()) * m_.shape.values()), 1);
  const std::int64_t n = std::ssize(m_.tile), together = each * tuning::device_alike_together, regions = (n + together - 1) / together;
  std::vector<std::vector<std::vector<Scalar>>> of_region(static_cast<std::size_t>(regions));
  kernels::try_each_batch(threads_, n, together, [&](std::int64_t first, std::int64_t last) {
    kernels::TableBuilder<Scalar> builder(rules_.coding);
    std::vector<Scalar>           copy;
    for (std::int64_t i = first; i < last; i += each) {
      const auto                  begin = static_cast<std::size_t>(i), end = static_cast<std::size_t>(std::min(i + each, last));
      const auto                  tiles  = std::span(m_.tile).subspan(begin, end - begin);
      const bool                  zeros  = std::any_of(tiles.begin(), tiles.end(), [](const Tile &t) { return t.zeros; });
      const kernels::CodingChoice choice = builder.choose(values_of(begin, end, copy), zeros);
      for (Tile &t : tiles) {
        t.coding = static_cast<std::uint8_t>(choice.coding);
        t.table  = choice.table;
      }
    }
    of_region[static_cast<std::size_t>(first / together)] = std::move(builder).tables();
  });
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % together == 0 && i > 0) take_tables(of_region[static_cast<std::size_t>(i / together - 1)]);
    m_.tile[static_cast<std::size_t>(i)].table += static_cast<std::uint32_t>(tables_.size());
  }
  take_tables(of_region.back());
  m_.tables = tables_.size();
}

template <class Scalar, class Index> void ImagePlan<Scalar, Index>::take_tables(std::vector<std::vector<Scalar>> &more)
{
  std::move(more.begin(), more.end(), std::back_inserter(tables_));
}

/// All different values of tiles first .. last - 1, but for zeros that are no entries: those of whole block rows as
/// they are in the matrix, where they follow each other.
template <class Scalar, class Index>
std::span<const Scalar> ImagePlan<Scalar, Index>::values_of(std::size_t first, std::size_t last, std::vector<Scalar> &copy) const
{
  const auto tiles   = std::span(m_.tile).subspan(first, last - first);
  const auto entries = [&](const Tile &from, const Tile &to) {
    const std::int64_t begin = first_entry(block_row(from.segment)), end = first_entry(block_row(to.segment + to.segments - 1) + 1);
    return std::span(a_.val + begin, static_cast<std::size_t>(end - begin));
  };
  const auto is_whole = [this](const Tile &t) { return m_.slices == 1 && !t.continues && !t.goes_on; };
  if (std::all_of(tiles.begin(), tiles.end(), is_whole)) return entries(tiles.front(), tiles.back());
  copy.clear();
  Reader                 reader(a_, grid_);
  Content<Scalar, Index> content;
  for (const Tile &t : tiles)
    if (is_whole(t)) {
      const auto values = entries(t, t);
      copy.insert(copy.end(), values.begin(), values.end());
    } else {
      content.read_values(a_.val, m_.shape, t.blocks, walk(reader, t));
      copy.insert(copy.end(), content.values.begin(), content.values.end());
    }
  return copy;
}

template <class Scalar, class Index> const std::vector<Scalar> &ImagePlan<Scalar, Index>::table_of(std::size_t tile) const
{
  static const auto &none = *new std::vector<Scalar>;
  return kernels::table_limit(coding_of(m_.tile[tile])) > 0 ? tables_[number_[tile]] : none;
}

// ------------------------------------------------------------ places

/// Where everything is.
template <class Scalar, class Index> void ImagePlan<Scalar, Index>::place()
{
  std::vector<std::uint32_t> first_of_table;
  for (const auto &t : tables_) {
    first_of_table.push_back(counted(m_.table.size(), "values in tables"));
    m_.table.insert(m_.table.end(), t.begin(), t.end());
  }
  number_.reserve(m_.tile.size());
  for (Tile &t : m_.tile) {
    t.column = counted(m_.column_bytes / grain, "columns");
    t.value  = counted(m_.value_bytes / grain, "values");
    number_.push_back(t.table);
    t.table = kernels::table_limit(coding_of(t)) > 0 ? first_of_table[t.table] : 0;
    m_.column_bytes += image::column_bytes(t);
    m_.value_bytes += image::value_bytes<Scalar>(m_, t);
    m_.long_tables = m_.long_tables || kernels::table_limit(coding_of(t)) > searched_on_device;
    m_.all_raw     = m_.all_raw && coding_of(t) == Coding::raw;
    if (m_.zeros > 0) m_.mask_begin.push_back(m_.mask_bytes);
    if (t.zeros) m_.mask_bytes += t.blocks * mask_bytes(m_.shape);
  }
}

template class ImagePlan<double, std::int32_t>;
template class ImagePlan<double, std::int64_t>;
template class ImagePlan<std::complex<double>, std::int32_t>;
template class ImagePlan<std::complex<double>, std::int64_t>;

} // namespace petscspmv::bccoo::image
