#include "impls/bccoo/bccoo_image.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <string>

#include "core/errors.hpp"
#include "impls/bccoo/bccoo_content.hpp"
#include "impls/bccoo/bccoo_device_tuning.hpp"
#include "impls/bccoo/bccoo_plan.hpp"
#include "kernels/local_number.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::bccoo::image {
namespace {

/// `n`, if 32 bits can hold it; else a FormatError.
std::uint32_t counted(std::size_t n, const char *what)
{
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw FormatError("The matrix has too many " + std::string(what) + " for bccoo on one device (" + std::to_string(n) +
                      "); use more processes, or -mat_type aijspec.");
  return static_cast<std::uint32_t>(n);
}

Coding coding_of(const Tile &t)
{
  return static_cast<Coding>(t.coding);
}

/// Calls visit(number of the value among those of the tile, in the order of blocks; the same in the order in which they are kept), where `each` values
/// are in a piece: a constant, for divisions by another number took most of the time of making an image.
template <std::size_t each, class Visit> void for_each_value_of(const Summary &m, const Tile &t, const Visit &visit)
{
  const auto  area = static_cast<std::size_t>(m.shape.values());
  std::size_t e    = 0;
  for (int b = 0; b < t.blocks; ++b) {
    const Place p = place_in_tile(b, t.lane_blocks, t.scattered_lanes);
    for (std::size_t v = static_cast<std::size_t>(p.k) * area, end = v + area; v < end; ++v, ++e) visit(e, place_of_value(each, p.lane, v));
  }
}
template <class Scalar, class Visit> void for_each_value(const Summary &m, const Tile &t, const Visit &visit)
{
  switch (values_of_piece<Scalar>(coding_of(t))) {
  case 1:
    return for_each_value_of<1>(m, t, visit);
  case 2:
    return for_each_value_of<2>(m, t, visit);
  default:
    return for_each_value_of<4>(m, t, visit);
  }
}

/// Calls visit(code) with a zero of the type that codes have; of bytes for those of half a byte.
template <class Scalar, class Visit> void with_code_type(Coding c, const Visit &visit)
{
  switch (c) {
  case Coding::raw:
    return visit(Scalar());
  case Coding::single:
    if constexpr (sizeof(Scalar) == sizeof(double)) return visit(std::uint32_t());
    else return visit(std::uint64_t());
  case Coding::table65536:
    return visit(std::uint16_t());
  default:
    return visit(std::uint8_t());
  }
}

/// Codes of a tile from the order of blocks, `natural`, to that in which they are kept, or back.
template <class Scalar> void keep_codes(const Summary &m, const Tile &t, const std::byte *natural, std::byte *kept)
{
  if (coding_of(t) == Coding::constant) return;
  if (coding_of(t) == Coding::table16)
    return for_each_value<Scalar>(
      m, t, [=](std::size_t e, std::size_t at) { kept[at / 2] |= (natural[e / 2] >> e % 2 * 4 & std::byte(15)) << at % 2 * 4; });
  with_code_type<Scalar>(coding_of(t), [&](auto code) {
    constexpr std::size_t size = sizeof code;
    for_each_value<Scalar>(m, t, [=](std::size_t e, std::size_t at) { std::memcpy(kept + at * size, natural + e * size, size); });
  });
}
template <class Scalar> void natural_codes(const Summary &m, const Tile &t, const std::byte *kept, std::byte *natural)
{
  if (coding_of(t) == Coding::constant) return;
  if (coding_of(t) == Coding::table16)
    return for_each_value<Scalar>(
      m, t, [=](std::size_t e, std::size_t at) { natural[e / 2] |= (kept[at / 2] >> at % 2 * 4 & std::byte(15)) << e % 2 * 4; });
  with_code_type<Scalar>(coding_of(t), [&](auto code) {
    constexpr std::size_t size = sizeof code;
    for_each_value<Scalar>(m, t, [=](std::size_t e, std::size_t at) { std::memcpy(natural + e * size, kept + at * size, size); });
  });
}

/// Bytes of the values of a tile, and of its columns.
template <class Scalar> std::size_t value_bytes(const Summary &m, const Tile &t)
{
  return static_cast<std::size_t>(lanes * t.lane_blocks * m.shape.values()) * value_bits<Scalar>(coding_of(t)) / 8;
}
std::size_t column_bytes(const Tile &t)
{
  return static_cast<std::size_t>(lanes * t.lane_blocks) * (t.wide ? 4 : 2);
}

/// The flags of lane 0 of a tile; those of the others follow.
template <class Bytes> auto flags_of(Bytes &flags, const Summary &m, std::size_t tile)
{
  return flags.data() + tile * static_cast<std::size_t>(lanes * m.flag_bits / 8);
}
std::size_t flag_bit(const Summary &m, Place p)
{
  return static_cast<std::size_t>(p.lane * m.flag_bits + p.k);
}

// ------------------------------------------------------------ making

template <class Scalar, class Index> class Maker {
  using View   = CsrView<Scalar, Index>;
  using Reader = BlockReader<Scalar, Index>;

public:
  Maker(const View &a, const OptionValues &options, int threads, Image<Scalar> &m)
    : a_(a), threads_(threads), rules_(options), grid_(choose_grid(a, rules_, threads)), m_(m)
  {
    m.shape            = grid_.shape;
    m.shape.by_columns = true;
    m.rows             = grid_.rows;
    m.cols             = grid_.cols;
    m.sorted           = grid_.sorted;
    if (a.nonzeros() == 0) {
      for (Local r = 0; r < grid_.block_rows(); ++r) m.vacant.push_back(r);
      return;
    }
    cut_all(options["flags"]);
    code();
    place();
    fill();
  }

private:
  std::uint32_t most_blocks() const { return static_cast<std::uint32_t>(lanes * m_.flag_bits); }
  Local         block_row(Local segment) const { return m_.filled.empty() ? segment : m_.filled[static_cast<std::size_t>(segment)]; }

  /// With such words of flags as options and the matrix ask for, as far as sums have room.
  void cut_all(std::int64_t flags)
  {
    const auto count = count_blocks(a_, grid_, threads_);
    for (std::size_t r = 0; r < count.size(); ++r) {
      (count[r] > 0 ? m_.filled : m_.vacant).push_back(static_cast<Local>(r));
      m_.blocks += count[r];
    }
    m_.segments = static_cast<Local>(m_.filled.size());
    if (m_.vacant.empty()) m_.filled.clear();
    m_.zeros     = m_.blocks * m_.shape.values() - std::int64_t(a_.nonzeros());
    m_.flag_bits = flags > 0 ? 4 << flags : tuning::device_flag_bits(m_.shape.values());
    while (flags == 0 && m_.flag_bits > 8 && m_.blocks < tuning::device_least_tiles * std::int64_t(most_blocks())) m_.flag_bits /= 2;
    cut(count);
    while (m_.flag_bits > 8 && std::int64_t(m_.most_ends) * m_.shape.rows * std::int64_t(sizeof(Scalar)) > tuning::device_most_staged) {
      m_.flag_bits /= 2;
      cut(count);
    }
  }

  void cut(const std::vector<std::uint32_t> &count)
  {
    m_.tile.clear();
    m_.cut.clear();
    begin_.clear();
    const bool          small = kernels::csr_bytes(a_) <= tuning::device_small_bytes;
    const std::uint32_t most = most_blocks(), whole = small ? most : most / tuning::device_whole_share;
    const auto          blocks_of = [&](Local k) { return count[static_cast<std::size_t>(block_row(k))]; };
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
    finish_tiles();
  }

  /// The share of what lanes could do in a tile of n blocks that they do not; 1 for tiles that are less than half as large as they may be.
  double     idle_share(std::uint32_t n) const { return 2 * n < most_blocks() ? 1 : 1 - static_cast<double>(n) / (lanes * lane_blocks(n)); }
  static int lane_blocks(std::uint32_t n)
  {
    constexpr std::uint32_t grain = lanes * columns_of_piece;
    return static_cast<int>((n + grain - 1) / grain) * columns_of_piece;
  }

  void finish_tiles()
  {
    m_.begin.clear();
    for (const auto &place : begin_)
      for (int i = 0; i < m_.shape.rows; ++i) m_.begin.push_back(static_cast<std::int64_t>(place[static_cast<std::size_t>(i)]));
    m_.most_ends = 0;
    for (Tile &t : m_.tile) {
      t.lane_blocks     = static_cast<std::uint8_t>(lane_blocks(t.blocks));
      t.scattered_lanes = t.blocks == most_blocks() && t.segments == 1;
      m_.most_ends      = std::max<std::uint32_t>(m_.most_ends, t.segments - t.goes_on);
    }
    counted(m_.tile.size(), "tiles");
  }

  void begin_tile(Local segment)
  {
    m_.tile.emplace_back();
    m_.tile.back().segment = segment;
  }

  /// So many blocks of one segment.
  void add(std::uint32_t n)
  {
    m_.tile.back().blocks = static_cast<std::uint16_t>(m_.tile.back().blocks + n);
    ++m_.tile.back().segments;
  }

  /// A row of n blocks, from what is left of the last tile on: all of its tiles but the last are full.
  void cut_row(Local segment, std::uint32_t n)
  {
    Reader reader(a_, grid_);
    reader.open(block_row(segment));
    const auto number = [this] { return static_cast<std::uint32_t>(m_.tile.size() - 1); };
    for (bool is_first = true; n > 0; is_first = false) {
      if (m_.tile.empty() || m_.tile.back().blocks == most_blocks()) begin_tile(segment);
      Tile &t = m_.tile.back();
      if (is_first) m_.cut.push_back({segment, number(), number()});
      else {
        t.continues = 1;
        t.begin     = static_cast<std::uint32_t>(begin_.size());
        begin_.push_back(reader.place());
        m_.cut.back().last = number();
      }
      const std::uint32_t taken = std::min(n, most_blocks() - t.blocks);
      add(taken);
      n -= taken;
      t.goes_on = n > 0;
      for (std::uint32_t b = 0; b < taken; ++b) reader.next([](int, Index) {});
    }
  }

  /// For Content.
  auto walk(Reader &reader, const Tile &t) const
  {
    return [&](const auto &entry, const auto &block, const auto &ends) {
      Local segment = t.segment;
      reader.open(block_row(segment));
      if (t.continues) reader.go_to(begin_[t.begin]);
      for (std::uint32_t b = 0; b < t.blocks;) {
        const Local column = reader.next([&](int place, Index k) __attribute__((always_inline)) { entry(b, place, k); });
        if (column >= 0) block(b++, column);
        else {
          ends(b - 1);
          reader.open(block_row(++segment));
        }
      }
      if (!t.goes_on) ends(t.blocks - 1u);
    };
  }

  /// Codings, and what columns take. Some tiles have one coding, more of them share tables.
  void code()
  {
    const auto         each = std::max<std::int64_t>(tuning::device_values_alike / (std::int64_t(most_blocks()) * m_.shape.values()), 1);
    const std::int64_t n = std::ssize(m_.tile), together = each * tuning::device_alike_together, regions = (n + together - 1) / together;
    std::vector<std::vector<std::vector<Scalar>>> of_region(static_cast<std::size_t>(regions));
    kernels::try_each_batch(threads_, n, together, [&](std::int64_t first, std::int64_t last) {
      kernels::TableBuilder<Scalar> builder(rules_.coding);
      Reader                        reader(a_, grid_);
      Content<Scalar, Index>        content;
      std::vector<Scalar>           values;
      for (std::int64_t i = first; i < last; i += each) {
        values.clear();
        for (std::int64_t k = i; k < std::min(i + each, last); ++k) look_at(m_.tile[static_cast<std::size_t>(k)], reader, content, values);
        const kernels::CodingChoice choice = builder.choose(values);
        for (std::int64_t k = i; k < std::min(i + each, last); ++k) {
          m_.tile[static_cast<std::size_t>(k)].coding = static_cast<std::uint8_t>(choice.coding);
          m_.tile[static_cast<std::size_t>(k)].table  = choice.table;
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
  void take_tables(std::vector<std::vector<Scalar>> &more) { std::move(more.begin(), more.end(), std::back_inserter(tables_)); }

  void look_at(Tile &t, Reader &reader, Content<Scalar, Index> &content, std::vector<Scalar> &values) const
  {
    content.read(a_.val, m_.shape, t.blocks, walk(reader, t));
    const auto [least, most] = std::minmax_element(content.columns.begin(), content.columns.end());
    t.least                  = *least;
    t.wide                   = *most - *least > std::numeric_limits<std::uint16_t>::max() || rules_.columns == ColumnsChoice::bits32;
    t.zeros                  = content.zeros() > 0;
    values.insert(values.end(), content.values.begin(), content.values.end());
  }

  /// Where everything is, and room for it.
  void place()
  {
    std::vector<std::uint32_t> first_of_table;
    for (const auto &t : tables_) {
      first_of_table.push_back(counted(m_.table.size(), "values in tables"));
      m_.table.insert(m_.table.end(), t.begin(), t.end());
    }
    std::size_t column = 0, value = 0, masks = 0;
    number_.reserve(m_.tile.size());
    for (Tile &t : m_.tile) {
      t.column = counted(column / grain, "columns");
      t.value  = counted(value / grain, "values");
      number_.push_back(t.table);
      t.table = kernels::table_limit(coding_of(t)) > 0 ? first_of_table[t.table] : 0;
      column += column_bytes(t);
      value += value_bytes<Scalar>(m_, t);
      m_.long_tables = m_.long_tables || kernels::table_limit(coding_of(t)) > 1;
      m_.all_raw     = m_.all_raw && coding_of(t) == Coding::raw;
      if (m_.zeros > 0) m_.mask_begin.push_back(masks);
      if (t.zeros) masks += t.blocks * mask_bytes(m_.shape);
    }
    m_.column = kernels::Room<std::byte>(column);
    m_.value  = kernels::Room<std::byte>(value);
    m_.mask.resize(masks);
    m_.flags.resize(m_.tile.size() * static_cast<std::size_t>(lanes * m_.flag_bits / 8));
  }

  void fill()
  {
    constexpr std::int64_t batch = 32;
    kernels::try_each_batch(threads_, std::ssize(m_.tile), batch, [&](std::int64_t first, std::int64_t last) {
      Reader                        reader(a_, grid_);
      Content<Scalar, Index>        content;
      kernels::ValueEncoder<Scalar> encoder;
      std::vector<std::byte>        natural;
      for (std::int64_t i = first; i < last; ++i) {
        const auto  number = static_cast<std::size_t>(i);
        const Tile &t      = m_.tile[number];
        content.read(a_.val, m_.shape, t.blocks, walk(reader, t));
        fill_structure(number, content);
        if (t.wide) fill_columns<std::uint32_t>(t, content.columns);
        else fill_columns<std::uint16_t>(t, content.columns);
        fill_values(number, content.values, encoder, natural);
      }
    });
  }

  void fill_structure(std::size_t number, const Content<Scalar, Index> &content)
  {
    const Tile         &t     = m_.tile[number];
    std::uint8_t *const flags = flags_of(m_.flags, m_, number);
    for (int b = 0; b < t.blocks; ++b)
      if (content.ends[static_cast<std::size_t>(b)]) {
        const std::size_t bit = flag_bit(m_, place_in_tile(b, t.lane_blocks, t.scattered_lanes));
        flags[bit / 8]        = static_cast<std::uint8_t>(flags[bit / 8] | 1u << bit % 8);
      }
    if (!t.zeros) return;
    std::uint8_t *mask = m_.mask.data() + m_.mask_begin[number];
    for (std::uint64_t bits : content.masks)
      for (std::size_t i = 0; i < mask_bytes(m_.shape); ++i, bits >>= 8) *mask++ = static_cast<std::uint8_t>(bits);
  }

  /// Those of blocks that are not there are read, and used for nothing.
  template <class Column> void fill_columns(const Tile &t, const std::vector<Local> &columns)
  {
    auto *const out = reinterpret_cast<Column *>(m_.column.data() + t.column * grain);
    if (t.blocks < lanes * t.lane_blocks) std::memset(out, 0, column_bytes(t));
    for (int b = 0; b < t.blocks; ++b) {
      const Place p                     = place_in_tile(b, t.lane_blocks, t.scattered_lanes);
      out[place_of_column(p.lane, p.k)] = static_cast<Column>(columns[static_cast<std::size_t>(b)] - t.least);
    }
  }

  void fill_values(std::size_t number, const std::vector<Scalar> &values, kernels::ValueEncoder<Scalar> &encoder,
                   std::vector<std::byte> &natural)
  {
    const Tile                      &t = m_.tile[number];
    static const std::vector<Scalar> none;
    const std::vector<Scalar>       &table = kernels::table_limit(coding_of(t)) > 0 ? tables_[number_[number]] : none;
    std::byte *const                 out   = m_.value.data() + t.value * grain;
    const auto                      *from  = reinterpret_cast<const std::byte *>(values.data());
    if (t.blocks < lanes * t.lane_blocks || coding_of(t) == Coding::table16) std::memset(out, 0, value_bytes<Scalar>(m_, t));
    if (coding_of(t) != Coding::raw) {
      natural.resize(kernels::coded_bytes<Scalar>(coding_of(t), values.size()));
      encoder.encode(coding_of(t), table, values, natural.data());
      from = natural.data();
    }
    keep_codes<Scalar>(m_, t, from, out);
  }

  const View                         &a_;
  const int                           threads_;
  const Rules                         rules_;
  const Grid                          grid_;
  Image<Scalar>                      &m_;
  std::vector<typename Reader::Place> begin_; // of tiles that continue a block row
  std::vector<std::vector<Scalar>>    tables_;
  std::vector<std::uint32_t>          number_; // [tiles] of the table
};

// ------------------------------------------------------------ back

std::uint64_t mask_of(const std::uint8_t *masks, std::size_t size, int b)
{
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) bits |= std::uint64_t(masks[static_cast<std::size_t>(b) * size + i]) << 8 * i;
  return bits;
}

template <class Scalar, class Visit> void decode_tile(const Image<Scalar> &m, std::size_t number, const Visit &visit)
{
  const Tile            &t    = m.tile[number];
  const auto             area = static_cast<std::size_t>(m.shape.values());
  const std::uint64_t    all  = ~std::uint64_t(0) >> (64 - area);
  std::vector<std::byte> natural(kernels::coded_bytes<Scalar>(coding_of(t), t.blocks * area) + kernels::coded_slack);
  natural_codes<Scalar>(m, t, m.value.data() + t.value * grain, natural.data());
  const std::uint8_t *const flags  = flags_of(m.flags, m, number);
  const std::byte *const    column = m.column.data() + t.column * grain;
  Local                     k      = t.segment;
  kernels::with_coding(coding_of(t), natural.data(), m.table.data() + t.table, [&](const auto &values) {
    for (int b = 0; b < t.blocks; ++b) {
      const Place       p  = place_in_tile(b, t.lane_blocks, t.scattered_lanes);
      const std::size_t at = place_of_column(p.lane, p.k);
      const auto  offset   = t.wide ? kernels::read_as<std::uint32_t>(column + 4 * at) : kernels::read_as<std::uint16_t>(column + 2 * at);
      const Local first    = first_column(t.least + static_cast<Local>(offset), m.shape.cols, m.cols);
      const Local row      = (m.filled.empty() ? k : m.filled[static_cast<std::size_t>(k)]) * m.shape.rows;
      const std::uint64_t mask = t.zeros ? mask_of(m.mask.data() + m.mask_begin[number], mask_bytes(m.shape), b) : all;
      for (int i = 0; i < m.shape.rows; ++i)
        for (int j = 0; j < m.shape.cols; ++j)
          if (const int q = m.shape.place(i, j); mask >> q & 1) visit(row + i, first + j, values[b * static_cast<std::int64_t>(area) + q]);
      const std::size_t bit = flag_bit(m, p);
      k += flags[bit / 8] >> bit % 8 & 1;
    }
  });
}

} // namespace

template <class Scalar>
template <class Index>
Image<Scalar>::Image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads)
{
  Maker<Scalar, Index>(a, options, threads, *this);
}

template <class Scalar> void Image<Scalar>::decode(const std::function<void(Local, Local, Scalar)> &visit) const
{
  for (std::size_t i = 0; i < tile.size(); ++i) decode_tile(*this, i, visit);
}

template struct Image<double>;
template struct Image<std::complex<double>>;
template Image<double>::Image(const CsrView<double, std::int32_t> &, const OptionValues &, int);
template Image<double>::Image(const CsrView<double, std::int64_t> &, const OptionValues &, int);
template Image<std::complex<double>>::Image(const CsrView<std::complex<double>, std::int32_t> &, const OptionValues &, int);
template Image<std::complex<double>>::Image(const CsrView<std::complex<double>, std::int64_t> &, const OptionValues &, int);

} // namespace petscspmv::bccoo::image
