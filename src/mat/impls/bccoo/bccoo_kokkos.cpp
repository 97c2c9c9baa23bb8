#include "impls/bccoo/bccoo_kokkos.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/bccoo/bccoo.hpp"
#include "impls/bccoo/bccoo_plan.hpp"
#include "impls/bccoo/bccoo_shape.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/kokkos/format.hpp"

namespace petscspmv::bccoo {
namespace kokkos {
namespace {

/// Lanes of a tile on the host, where nobody asks for so many values.
constexpr std::int64_t host_lanes = 16;

/// Tiles that a thread fills one after the other.
constexpr std::int64_t tiles_together = 32;

template <class Scalar, class Index> class Builder {
  using S      = kernels::KokkosScalar<Scalar>;
  using Reader = BlockReader<Scalar, Index>;

public:
  Builder(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device, int threads)
    : a_(a), grid_(choose_grid(a, Rules(options), threads)), threads_(threads), segments_{lanes(options, for_device), width()}
  {
    const BlockRows rows = count_blocks(a, grid_, threads);
    for (Local r = 0; r < grid_.block_rows(); ++r)
      if (const BlockRow &row = rows.row.data()[r]; row.blocks > 0) deal(r, row);
      else empty_.push_back(r);
    if (open_.blocks > 0) end_tile(false);
    blocks_       = rows.blocks;
    const Local h = grid_.shape.rows;
    for (const auto &c : segments_.cut)
      for (Local i = 0; i < h && c.row * h + i < grid_.rows; ++i)
        cut_.push_back({c.row * h + i, i * std::ssize(tile_) + c.first_piece, i * std::ssize(tile_) + c.last_piece});
  }

  template <class Matrix> void finish(Matrix &m) const
  {
    using kernels::host_array;
    const Shape shape = grid_.shape;
    m.summary         = {grid_.rows,      grid_.cols,   shape.rows, shape.cols,
                         segments_.lanes, mask_words(), blocks_,    blocks_ * shape.values() - a_.nonzeros()};
    m.tile            = host_array(tile_);
    m.flags           = host_array(segments_.flags);
    m.block_row       = host_array(block_row_);
    m.empty           = host_array(empty_);
    m.cut             = host_array(cut_);
    m.head            = kernels::new_array<S>(parts());
    m.tail            = kernels::new_array<S>(m.head.extent(0));
    fill(m);
  }

private:
  int width() const { return lane_blocks(grid_.shape.rows); }
  int lanes(const OptionValues &options, bool for_device) const
  {
    const int most = device_blocks / width();
    if (for_device) return most;
    return static_cast<int>(options["tile"] > 0 ? std::clamp<std::int64_t>(options["tile"] / (grid_.shape.values() * width()), 1, most)
                                                : host_lanes);
  }
  int         mask_words() const { return (grid_.shape.values() + 15) / 16; }
  std::size_t masks() const { return all_full_ ? 0 : static_cast<std::size_t>(slots_ * mask_words()); }
  std::size_t values() const { return static_cast<std::size_t>(slots_ * grid_.shape.values()); }
  std::size_t parts() const { return cut_.empty() ? 0 : tile_.size() * static_cast<std::size_t>(grid_.shape.rows); }
  std::size_t most_blocks() const { return static_cast<std::size_t>(segments_.lanes) * static_cast<std::size_t>(segments_.width); }

  /// A tile ends with a block row, if that leaves it three quarters full; else the next one is cut. No part of that is
  /// full unless it is.
  void deal(Local block_row, const BlockRow &row)
  {
    const auto most = static_cast<std::uint32_t>(most_blocks()), used = static_cast<std::uint32_t>(open_.blocks);
    if (used + row.blocks > most && used >= most - most / 4) end_tile(false);
    begins_.push_back(open_.blocks);
    block_row_.push_back(block_row);
    for (std::uint32_t left = row.blocks, n; left > 0; left -= n) {
      if (open_.blocks == static_cast<std::int32_t>(most)) {
        end_tile(true);
        block_row_.push_back(block_row);
      }
      n                        = std::min(left, most - static_cast<std::uint32_t>(open_.blocks));
      const auto [first, last] = columns_of(block_row, row, row.blocks - left, n);
      open_.least              = open_.blocks == 0 ? first : std::min(open_.least, first);
      last_                    = open_.blocks == 0 ? last : std::max(last_, last);
      open_.full               = (open_.blocks == 0 || open_.full) && row.entries == std::int64_t(row.blocks) * grid_.shape.values();
      open_.blocks += static_cast<std::int32_t>(n);
    }
  }

  /// The columns of the first and the last of n blocks, number `from` and those behind it; of all, where that would
  /// take looking for them.
  std::pair<Local, Local> columns_of(Local block_row, const BlockRow &row, std::uint32_t from, std::uint32_t n) const
  {
    if (grid_.shape.values() > 1 || !grid_.sorted) return {row.first, row.last};
    const Index *const col = a_.col + a_.row_ptr[block_row] + from;
    return {static_cast<Local>(col[0]), static_cast<Local>(col[n - 1])};
  }

  /// `opens`: the last block row goes on in the next tile.
  void end_tile(bool opens)
  {
    open_.lanes     = (open_.blocks + width() - 1) / width();
    open_.wide      = last_ - open_.least > 0xffff;
    open_.opens     = opens;
    auto &columns   = open_.wide ? columns32_ : columns16_;
    open_.slot      = slots_;
    open_.column    = columns;
    const auto here = std::int64_t(open_.lanes) * width();
    slots_ += here;
    columns += here;
    all_full_ = all_full_ && open_.full;
    segments_.add(begins_, open_.continues, opens, block_row_.back());
    if (!open_.continues) whole_.push_back(tile_.size());
    tile_.push_back(open_);
    begins_.clear();
    open_           = {};
    open_.continues = opens;
    open_.segment   = std::ssize(block_row_);
  }

  /// Columns, masks and sources; tiles that go on with one another are filled one after the other.
  template <class Matrix> void fill(Matrix &m) const
  {
    m.column16 = kernels::new_array<std::uint16_t>(static_cast<std::size_t>(columns16_));
    m.column32 = kernels::new_array<Local>(static_cast<std::size_t>(columns32_));
    m.mask     = kernels::new_array<std::uint16_t>(masks());
    m.source   = kernels::new_array<Index>(values());
    kernels::try_each_batch(threads_, std::ssize(whole_), tiles_together, [&](std::int64_t first, std::int64_t last) {
      Reader        reader(a_, grid_);
      std::uint32_t done = 0; // blocks of the block row that the next tile goes on with
      const auto    end  = static_cast<std::size_t>(last) < whole_.size() ? whole_[static_cast<std::size_t>(last)] : tile_.size();
      for (std::size_t t = whole_[static_cast<std::size_t>(first)]; t < end; ++t) done = fill(tile_[t], reader, done, m);
    });
  }

  /// `begin`: the first block in its block row. Returns how many blocks of the last block row there were up to the end.
  template <class Matrix> std::uint32_t fill(const Tile &t, Reader &reader, std::uint32_t begin, Matrix &m) const
  {
    const int          shift = width() == 4 ? 2 : 1, size = grid_.shape.values(), words = mask_words();
    const std::int64_t lanes = t.lanes, slots = lanes << shift;
    Index *const       source = m.source.data() + t.slot * size;
    std::uint16_t     *mask = all_full_ ? nullptr : m.mask.data() + t.slot * words, *column16 = m.column16.data() + t.column;
    Local             *column32 = m.column32.data() + t.column;
    std::uint32_t      done     = 0;
    std::fill_n(source, slots * size, Index(-1));
    if (mask) std::fill_n(mask, slots * words, std::uint16_t(0));
    if (t.wide) std::fill_n(column32, slots, Local(0));
    else std::fill_n(column16, slots, std::uint16_t(0));
    const auto place_of = [=](std::uint32_t b) { return (b & ((1U << shift) - 1)) * lanes + (b >> shift); };
    const auto blocks   = static_cast<std::uint32_t>(t.blocks);
    begin               = t.continues ? begin : 0;
    for (std::uint32_t b = 0, n, row = 0; b < blocks; b += n, begin = 0, ++row) {
      reader.open(block_row_[static_cast<std::size_t>(t.segment + row)]);
      n = std::min(blocks - b, reader.blocks() - begin);
      for (std::uint32_t i = 0; i < n; ++i) {
        const Local column = reader.column(begin + i) - t.least;
        if (t.wide) column32[place_of(b + i)] = column;
        else column16[place_of(b + i)] = static_cast<std::uint16_t>(column);
      }
      reader.for_each_entry(begin, begin + n, [=](std::uint32_t i, int e, Index k) {
        const std::uint32_t at                                                  = b + i - begin;
        const std::int64_t  place                                               = place_of(at);
        source[((at & ((1U << shift) - 1)) * size + e) * lanes + (at >> shift)] = k;
        if (mask) mask[place * words + e / 16] |= static_cast<std::uint16_t>(1 << e % 16);
      });
      done = begin + n;
    }
    return done;
  }

  const CsrView<Scalar, Index> &a_;
  const Grid                    grid_;
  const int                     threads_;
  std::vector<int>              begins_; ///< of block rows in the open tile
  Tile                          open_{};
  Local                         last_   = 0; ///< of its block columns
  std::int64_t                  blocks_ = 0, slots_ = 0, columns16_ = 0, columns32_ = 0;
  bool                          all_full_ = true;

  std::vector<Tile>           tile_;
  std::vector<std::size_t>    whole_; ///< tiles that begin with a block row
  std::vector<Local>          block_row_, empty_;
  kernels::SegmentList<Local> segments_;

  std::vector<kernels::CutSegment<Local>> cut_; ///< rows
};

} // namespace

template <class Scalar, class Index, class Memory>
Matrix<Scalar, Index, Memory>::Matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device, int threads)
{
  Builder<Scalar, Index>(a, options, for_device, threads).finish(*this);
}

template <class Scalar, class Index, class Memory> Facts Matrix<Scalar, Index, Memory>::facts() const
{
  Facts facts = facts_of_blocks({this->summary.h, this->summary.w}, this->summary.blocks, this->summary.zeros);
  facts.insert(
    facts.end(),
    {{"tiles", std::to_string(this->tile.extent(0))}, {"cut rows", std::to_string(this->cut.extent(0))}, {"values", this->value.coding()}});
  return facts;
}

} // namespace kokkos

template <class Scalar, class Index>
FormatPtr<Scalar, Index> through_kokkos(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return kernels::make_kokkos_format<kokkos::Matrix>(a, options, execution);
}

#define INSTANTIATE(S, I) template FormatPtr<S, I> through_kokkos(const CsrView<S, I> &, const OptionValues &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::bccoo
