#pragma once

/// \file rows.hpp
/// The different rows of tiles of repeated rows, on a device: found when it is decided what a tile becomes, and kept
/// until it has a place.

#include <cstdint>
#include <span>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/device/repeated/row_pool.hpp"
#include "kernels/rows/alike.hpp"

namespace petscspmv::ccoo {

namespace image {

/// Rows that occur again and again.
struct alignas(16) RepeatedTile {
  static constexpr int           length_bits  = 5; ///< of a word; the others say where the first entry is
  static constexpr std::uint32_t most_entries = (1U << length_bits) - 1;
  static constexpr std::size_t   most_kept    = 1U << (16 - length_bits); ///< entries of different rows
  static constexpr std::size_t   grain        = 8;                        ///< entries of a tile begin at a multiple of this
  static constexpr std::size_t   windows      = 6;                        ///< at most

  Local         row, end;
  std::uint32_t word;    ///< the first
  std::uint32_t entry;   ///< the first, over `grain`
  std::uint32_t entries; ///< of different rows
  std::uint32_t longest; ///< entries of a row
  std::uint32_t unused[2];
};

} // namespace image

/// Rows of a tile that have the same entries.
struct RepeatedRow {
  Local         first, last; ///< in the tile
  std::uint16_t word;        ///< where its entries are among those of the tile, and how many it has

  std::uint32_t begin() const { return word >> image::RepeatedTile::length_bits; }
  std::uint32_t entries() const { return word & image::RepeatedTile::most_entries; }
};

/// Those of a tile, each kind once.
template <class Scalar> struct RowsOfTile {
  std::span<const typename RowPool<Scalar>::Entry> entry;
  std::span<const RepeatedRow>                     row;
  std::span<const std::uint16_t>                   word; ///< of each row of the tile: that of the row it is like

  /// Calls visit(value, offset, the row) for each entry.
  template <class Visit> void for_each(const Visit &visit) const
  {
    for (const RepeatedRow &r : row)
      for (const auto &e : entry.subspan(r.begin(), r.entries())) visit(e.value, e.offset, r);
  }
};

/// The rows of a tile, while it is not known whether they repeat.
template <class Scalar> class RepeatedRowFinder {
public:
  void clear()
  {
    pool_.clear();
    row_.clear(), word_.clear();
  }

  /// Adds the next rows of a tile that begins with row `tile`, of which row number `row` is the first: one, or some of
  /// `most` that are all like the one before them. Returns how many.
  template <class Index> Local add(const CsrView<Scalar, Index> &a, Local tile, Local row, Local most)
  {
    constexpr Local together = 8; // three of four times on a grid of 160^3 with five materials; nine of ten rows are like the one before
    for (const Local n : {together, Local(1)})
      if (n <= most && row > 0 && are_like_last(a, tile + row, n)) {
        row_[last_].last = row + n - 1;
        word_.insert(word_.end(), static_cast<std::size_t>(n), row_[last_].word);
        return n;
      }
    add_row(a, tile, row);
    return 1;
  }

  std::size_t        size() const { return row_.size(); } ///< different ones
  std::size_t        entries() const { return pool_.entries(); }
  RowsOfTile<Scalar> rows() const { return {pool_.all(), row_, word_}; }

private:
  template <class Index> static bool are_like_last(const CsrView<Scalar, Index> &a, Local row, Local n)
  {
    return a.row_ptr[row + 1] - a.row_ptr[row] == a.row_ptr[row] - a.row_ptr[row - 1] && kernels::have_offsets(a, row, row + n, 1) &&
           kernels::have_values(a, row, row + n, 1);
  }

  template <class Index> void add_row(const CsrView<Scalar, Index> &a, Local tile, Local row)
  {
    last_ = pool_.add(a, tile + row);
    if (last_ == row_.size()) {
      const auto word = static_cast<std::uint16_t>(pool_.first(last_) << image::RepeatedTile::length_bits | pool_.row(last_).size());
      row_.push_back({row, row, word});
    }
    row_[last_].last = row;
    word_.push_back(row_[last_].word);
  }

  RowPool<Scalar>            pool_;
  std::vector<RepeatedRow>   row_;
  std::vector<std::uint16_t> word_;
  std::size_t                last_ = 0; // different one, added or found
};

/// The rows of some tiles, which lie together: to give back the memory of each took 4 ms for 5,000 tiles.
template <class Scalar> class RepeatedRows {
public:
  std::size_t tiles() const { return first_.size() - 1; }

  void add(const RowsOfTile<Scalar> &tile)
  {
    entry_.insert(entry_.end(), tile.entry.begin(), tile.entry.end());
    row_.insert(row_.end(), tile.row.begin(), tile.row.end());
    word_.insert(word_.end(), tile.word.begin(), tile.word.end());
    first_.push_back({entry_.size(), row_.size(), word_.size()});
  }

  RowsOfTile<Scalar> tile(std::size_t i) const
  {
    const First &p = first_[i], &q = first_[i + 1];
    return {std::span(entry_).subspan(p.entry, q.entry - p.entry), std::span(row_).subspan(p.row, q.row - p.row),
            std::span(word_).subspan(p.word, q.word - p.word)};
  }

private:
  struct First {
    std::size_t entry = 0, row = 0, word = 0;
  };

  std::vector<typename RowPool<Scalar>::Entry> entry_;
  std::vector<RepeatedRow>                     row_;
  std::vector<std::uint16_t>                   word_;
  std::vector<First>                           first_{1}; // of each tile, and behind the last
};

} // namespace petscspmv::ccoo
