#include "impls/bccoo/bccoo_kokkos.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "impls/bccoo/bccoo.hpp"
#include "impls/bccoo/bccoo_shape.hpp"
#include "kernels/kokkos/format.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv {
namespace bccoo::kokkos {
namespace {

/// Lanes of a tile on the host, where nobody asks for so many values.
constexpr std::int64_t host_lanes = 16;

/// The shape of blocks that takes the fewest bytes for each entry, as far as samples tell, of those with the sides that
/// are asked for; squares, if none is.
template <class Scalar, class Index> Shape smallest_shape(const CsrView<Scalar, Index> &a, int asked_rows, int asked_cols)
{
  if (asked_rows > 0 && asked_cols > 0) return {asked_rows, asked_cols, true};
  const Fill fill  = sample_fill(a, false);
  double     least = std::numeric_limits<double>::max();
  Shape      best{1, 1, true};
  for (int h = 1; h <= longest_side; ++h)
    for (int w = 1; w <= longest_side; ++w) {
      const bool free = asked_rows == 0 && asked_cols == 0;
      if (free ? h != w || h > 4 : (asked_rows > 0 && h != asked_rows) || (asked_cols > 0 && w != asked_cols)) continue;
      const Shape  s{h, w, true};
      const double bytes = fill.per_entry(s, double(s.values()) * double(sizeof(Scalar)) + double(sizeof(Local)));
      if (bytes >= least) continue;
      least = bytes;
      best  = s;
    }
  return best;
}

template <class Scalar, class Index> class Builder {
  using S = kernels::KokkosScalar<Scalar>;

  struct Block {
    Local          column;
    std::uint64_t  mask = 0;
    std::vector<S> value;
  };

  struct Entry {
    Local column; ///< of its block
    int   number; ///< in there
    Index entry;
  };

public:
  Builder(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
    : a_(a), shape_(smallest_shape(a, static_cast<int>(options["block_rows"]), static_cast<int>(options["block_columns"]))),
      may_code_(options["values"] < 6), segments_{lanes(options, for_device), lane_blocks(shape_.rows)}
  {
    const auto h = static_cast<Index>(shape_.rows);
    for (Index row = 0; row < a.rows; row += h) {
      add_block_row(static_cast<Local>(row / h), row, std::min<Index>(row + h, a.rows));
      if (row > a.rows - h) break; // the last, and row + h may not be a number
    }
    end_tile(false);
  }

  template <class Arrays> void finish(Arrays &m)
  {
    using kernels::host_array;
    const auto tiles = static_cast<std::int64_t>(tile_.size());
    if (std::all_of(tile_.begin(), tile_.end(), [](const Tile &t) { return t.full; })) mask_.clear();
    m.summary = {static_cast<Local>(a_.rows), static_cast<Local>(a_.cols), shape_.rows, shape_.cols, segments_.lanes, mask_words()};
    std::vector<kernels::CutSegment<Local>> cut;
    for (const auto &c : segments_.cut)
      for (Local i = 0; i < shape_.rows; ++i)
        if (c.row * shape_.rows + i < a_.rows)
          cut.push_back({c.row * shape_.rows + i, i * tiles + c.first_piece, i * tiles + c.last_piece});
    m.tile      = host_array(tile_);
    m.flags     = host_array(segments_.flags);
    m.block_row = host_array(block_row_);
    m.column16  = host_array(column16_);
    m.column32  = host_array(column32_);
    m.mask      = host_array(mask_);
    m.value     = kernels::coded_values(value_, may_code_);
    m.empty     = host_array(empty_);
    m.cut       = host_array(cut);
    m.head      = kernels::new_array<S>(cut.empty() ? 0 : tile_.size() * static_cast<std::size_t>(shape_.rows));
    m.tail      = kernels::new_array<S>(m.head.extent(0));
  }

private:
  int lanes(const OptionValues &options, bool for_device) const
  {
    const int width = lane_blocks(shape_.rows), most = device_blocks / width;
    if (for_device) return most;
    return static_cast<int>(options["tile"] > 0 ? std::clamp<std::int64_t>(options["tile"] / (shape_.values() * width), 1, most)
                                                : host_lanes);
  }
  int         mask_words() const { return (shape_.values() + 15) / 16; }
  std::size_t most_blocks() const { return static_cast<std::size_t>(segments_.lanes) * static_cast<std::size_t>(segments_.width); }

  void add_block_row(Local block_row, Index first, Index end)
  {
    entries_.clear();
    for (Index row = first; row < end; ++row)
      for (Index i = a_.row_ptr[row]; i < a_.row_ptr[row + 1]; ++i) {
        const auto c = static_cast<Local>(a_.col[i]);
        entries_.push_back({c / shape_.cols, static_cast<int>(c % shape_.cols * shape_.rows + (row - first)), i});
      }
    if (entries_.empty()) return empty_.push_back(block_row);
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry &e, const Entry &f) { return e.column < f.column; });
    blocks_.clear();
    for (const Entry &e : entries_) put(e);

    // A tile ends with a block row, if that leaves it three quarters full; else the next one is cut.
    if (in_tile_.size() + blocks_.size() > most_blocks() && in_tile_.size() >= most_blocks() - most_blocks() / 4) end_tile(false);
    begins_.push_back(static_cast<int>(in_tile_.size()));
    block_row_.push_back(block_row);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (in_tile_.size() == most_blocks()) {
        end_tile(true);
        block_row_.push_back(block_row);
      }
      in_tile_.push_back(std::move(blocks_[b]));
    }
  }

  /// In the first block of its column that has nothing there: a row may have a column several times.
  void put(const Entry &e)
  {
    const std::uint64_t bit = std::uint64_t(1) << e.number;
    std::size_t         b   = blocks_.size();
    while (b > 0 && blocks_[b - 1].column == e.column && !(blocks_[b - 1].mask & bit)) --b;
    if (b == blocks_.size()) blocks_.push_back({e.column, 0, std::vector<S>(static_cast<std::size_t>(shape_.values()), S(0))});
    blocks_[b].mask |= bit;
    blocks_[b].value[static_cast<std::size_t>(e.number)] = S(a_.val[e.entry]);
  }

  /// `opens`: the last block row goes on in the next tile.
  void end_tile(bool opens)
  {
    if (in_tile_.empty()) return;
    const auto [least, most] =
      std::minmax_element(in_tile_.begin(), in_tile_.end(), [](const Block &b, const Block &c) { return b.column < c.column; });
    const int  width = segments_.width, lanes = (static_cast<int>(in_tile_.size()) + width - 1) / width;
    const bool full = std::all_of(in_tile_.begin(), in_tile_.end(), [this](const Block &b) { return b.mask == full_mask(); });
    const bool wide = most->column - least->column > 0xffff;
    const Tile t{slots_,
                 first_segment_,
                 static_cast<std::int32_t>(in_tile_.size()),
                 lanes,
                 least->column,
                 wide,
                 full,
                 continues_,
                 opens,
                 static_cast<std::int64_t>(wide ? column32_.size() : column16_.size())};
    for (int k = 0; k < width; ++k)
      for (int l = 0; l < lanes; ++l) {
        const auto b      = static_cast<std::size_t>(l * width + k);
        const bool is     = b < in_tile_.size();
        const auto offset = is ? in_tile_[b].column - t.least : 0;
        if (wide) column32_.push_back(offset);
        else column16_.push_back(static_cast<std::uint16_t>(offset));
        for (int word = 0; word < mask_words(); ++word) mask_.push_back(static_cast<std::uint16_t>(is ? in_tile_[b].mask >> 16 * word : 0));
      }
    for (int k = 0; k < width; ++k)
      for (int e = 0; e < shape_.values(); ++e)
        for (int l = 0; l < lanes; ++l) {
          const auto b = static_cast<std::size_t>(l * width + k);
          value_.push_back(b < in_tile_.size() ? in_tile_[b].value[static_cast<std::size_t>(e)] : S(0));
        }
    slots_ += std::int64_t(lanes) * width;
    segments_.add(begins_, continues_, opens, block_row_.back());
    tile_.push_back(t);
    begins_.clear();
    in_tile_.clear();
    continues_     = opens;
    first_segment_ = static_cast<std::int64_t>(block_row_.size());
  }

  std::uint64_t full_mask() const { return ~std::uint64_t(0) >> (64 - shape_.values()); }

  const CsrView<Scalar, Index> &a_;
  Shape                         shape_;
  bool                          may_code_;
  std::vector<Entry>            entries_;
  std::vector<Block>            blocks_, in_tile_;
  std::vector<int>              begins_;
  std::int64_t                  slots_ = 0, first_segment_ = 0;
  bool                          continues_ = false;

  std::vector<Tile>           tile_;
  std::vector<Local>          block_row_, column32_, empty_;
  std::vector<std::uint16_t>  column16_, mask_;
  std::vector<S>              value_;
  kernels::SegmentList<Local> segments_;
};

} // namespace

template <class Scalar, class Index, class Memory>
Matrix<Scalar, Index, Memory>::Matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device)
{
  kernels::local_number(a.rows, "rows", "bccoo");
  kernels::local_number(a.cols, "columns", "bccoo");
  Builder<Scalar, Index>(a, options, for_device).finish(*this);
}

template <class Scalar, class Index, class Memory>
template <class Visit>
void Matrix<Scalar, Index, Memory>::for_each_entry(const Visit &visit) const
{
  const int width = lane_blocks(this->summary.h);
  for (std::size_t t = 0; t < this->tile.extent(0); ++t) {
    const Tile   tile    = this->tile(t);
    std::int64_t segment = tile.segment - !tile.continues;
    for (int b = 0; b < tile.blocks; ++b) {
      const int          l = b / width, k = b % width;
      const std::int64_t place = this->place(tile, l, k);
      segment += this->flags(t * static_cast<std::size_t>(this->summary.lanes) + static_cast<std::size_t>(l)).begins >> k & 1;
      for (int e = 0; e < this->summary.h * this->summary.w; ++e)
        if (this->has(tile, place, e))
          visit(this->block_row(segment) * this->summary.h + e % this->summary.h,
                this->block_column(tile, place) * this->summary.w + e / this->summary.h,
                Scalar(this->value(this->value_at(tile, l, k, e))));
    }
  }
}

template <class Scalar, class Index, class Memory> Facts Matrix<Scalar, Index, Memory>::facts() const
{
  return {{"blocks", std::to_string(this->summary.h) + " x " + std::to_string(this->summary.w)},
          {"tiles", std::to_string(this->tile.extent(0))},
          {"cut rows", std::to_string(this->cut.extent(0))},
          {"values", this->value.coding()}};
}

} // namespace bccoo::kokkos

template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> Bccoo<Scalar, Index>::through_kokkos(const View &a, const OptionValues &options,
                                                                               const Execution &execution, int team, int lanes)
{
  return kernels::make_kokkos_format<bccoo::kokkos::Matrix>(a, options, execution, {team, lanes});
}

template std::unique_ptr<AnyFormat<double, std::int32_t>> Bccoo<double, std::int32_t>::through_kokkos(const View &, const OptionValues &,
                                                                                                      const Execution &, int, int);
template std::unique_ptr<AnyFormat<double, std::int64_t>> Bccoo<double, std::int64_t>::through_kokkos(const View &, const OptionValues &,
                                                                                                      const Execution &, int, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int32_t>>
Bccoo<std::complex<double>, std::int32_t>::through_kokkos(const View &, const OptionValues &, const Execution &, int, int);
template std::unique_ptr<AnyFormat<std::complex<double>, std::int64_t>>
Bccoo<std::complex<double>, std::int64_t>::through_kokkos(const View &, const OptionValues &, const Execution &, int, int);

} // namespace petscspmv
