#pragma once

/// \file bccoo_image_plan.hpp
/// What is decided of an image before its columns and values are written: tiles, codings, tables, and where everything
/// will be.

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "impls/bccoo/bccoo_content.hpp"
#include "impls/bccoo/bccoo_image.hpp"
#include "impls/bccoo/bccoo_plan.hpp"

namespace petscspmv::bccoo::image {

template <class Scalar, class Index> class ImagePlan {
public:
  using View   = CsrView<Scalar, Index>;
  using Reader = BlockReader<Scalar, Index>;

  /// Of a matrix that stays. Throws FormatError for one that is too large, and std::bad_alloc.
  ImagePlan(const View &a, const OptionValues &options, int threads);

  const Outline<Scalar> &outline() const { return m_; }
  Reader                 reader() const { return {a_, grid_}; }

  /// Calls block(b, block column) after entry(b, place in the block, number of the entry in the matrix) for each of its
  /// entries, for the blocks of a tile, and ends(b) after that of the last block of a block row: what Content wants.
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
      if (!t.goes_on) ends(t.blocks - 1U);
    };
  }

  /// The table of the values of a tile; an empty one if its coding has none.
  const std::vector<Scalar> &table_of(std::size_t tile) const;

private:
  /// What there is of some blocks besides how many they are.
  struct Extent {
    Local        least = std::numeric_limits<Local>::max(), most = -1; ///< block columns
    std::int64_t entries = 0;

    void add(Local first, Local last, std::int64_t n)
    {
      least = std::min(least, first);
      most  = std::max(most, last);
      entries += n;
    }
  };
  /// So many blocks of a cut block row in a tile.
  struct Part {
    std::uint32_t tile, blocks;
    Extent        extent;
  };

  std::uint32_t most_blocks() const { return static_cast<std::uint32_t>(lanes * m_.flag_bits); }
  Local         block_row(Local segment) const { return m_.filled.empty() ? segment : m_.filled[static_cast<std::size_t>(segment)]; }
  /// The first entry of a block row.
  std::int64_t first_entry(Local row) const { return a_.row_ptr[std::min<std::int64_t>(std::int64_t(row) * m_.shape.rows, m_.rows)]; }

  void                    cut_all(std::int64_t flags, std::int64_t sums);
  void                    cut(const BlockRows &rows);
  double                  idle_share(std::uint32_t n) const;
  void                    begin_tile(Local segment);
  void                    add(std::uint32_t blocks);
  void                    cut_row(Local segment, std::uint32_t n);
  void                    measure(const BlockRows &rows);
  void                    measure_cut_row(std::size_t number);
  void                    finish_tiles(const std::vector<Extent> &extent);
  void                    code();
  void                    take_tables(std::vector<std::vector<Scalar>> &more);
  std::span<const Scalar> values_of(std::size_t first, std::size_t last, std::vector<Scalar> &copy) const;
  void                    place();

  const View                         &a_;
  const int                           threads_;
  const Rules                         rules_;
  const Grid                          grid_;
  Outline<Scalar>                     m_;
  std::vector<Part>                   part_;       // of cut block rows, one row after the other
  std::vector<std::size_t>            first_part_; // [cut block rows]
  std::vector<typename Reader::Place> begin_;      // of tiles that continue a block row
  std::vector<std::vector<Scalar>>    tables_;
  std::vector<std::uint32_t>          number_; // [tiles] of the table
};

} // namespace petscspmv::bccoo::image
