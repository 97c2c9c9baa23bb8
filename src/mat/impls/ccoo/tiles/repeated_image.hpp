#pragma once

/// \file repeated_image.hpp
/// Rows that occur again and again, on a device: of each there is a word, which says where its entries are and how many; entries are kept once for all
/// rows of a tile that have the same ones.
///
/// So are grids whose numbering has gaps, with coefficients of a few kinds: neighbours have the same values, but not for as long as a unit of 128 rows is.
/// Different rows of the whole matrix may be very many (119,000 among 3.9 M with five materials and holes, and all of their entries 13 MB), those of
/// a tile of 768 are 40, which a block of threads has at hand. The words of 128 rows are kept so that each lane reads those of its four rows at
/// once.

#include <algorithm>
#include <numeric>
#include <vector>

#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/row_pool.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::ccoo::image {

/// Where a row's entries are among those of its tile, and how many it has.
constexpr std::uint16_t repeated_word(std::size_t first, std::size_t length)
{
  return static_cast<std::uint16_t>(first << RepeatedTile::length_bits | length);
}

/// All repeated tiles, each with the entries of its rows.
template <class Scalar, class Index>
void add_repeated(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads, Image<Scalar> &m)
{
  constexpr std::size_t     grain = RepeatedTile::grain;
  std::vector<const Tile *> tiles;
  for (const Tile &t : plan.tiles)
    if (t.kind == Kind::repeated) tiles.push_back(&t);
  if (tiles.empty()) return;
  std::vector<RowPool<Scalar>> pools(tiles.size());
  std::vector<std::size_t>     word(tiles.size() + 1), entry(tiles.size() + 1); // the first of each tile
  for (std::size_t i = 0; i < tiles.size(); ++i)
    word[i + 1] = word[i] + static_cast<std::size_t>((tiles[i]->rows + DeviceGroup::rows - 1) / DeviceGroup::rows * DeviceGroup::rows);
  m.repeated_word.resize(word.back());
  kernels::try_each_ticket(threads, std::ssize(tiles), [&](std::int64_t ticket) {
    const auto  i = static_cast<std::size_t>(ticket);
    const Tile &t = *tiles[i];
    for (Local r = 0; r < t.rows; ++r) {
      const std::size_t number                    = pools[i].add(a, t.row + r);
      m.repeated_word[word[i] + place_of_word(r)] = repeated_word(pools[i].first(number), pools[i].row(number).size());
    }
  });
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile &t       = *tiles[i];
    const auto  kept    = static_cast<std::uint32_t>(pools[i].entries());
    std::size_t longest = 0;
    for (std::size_t k = 0; k < pools[i].size(); ++k) longest = std::max(longest, pools[i].row(k).size());
    m.repeated.push_back({t.row,
                          t.row + t.rows,
                          counted(word[i], "rows"),
                          counted(entry[i] / grain, "entries"),
                          kept,
                          static_cast<std::uint32_t>(longest),
                          {}});
    entry[i + 1] = entry[i] + (kept + grain - 1) / grain * grain;
    m.most_kept  = std::max(m.most_kept, kept);
    m.distinct_rows += pools[i].size();
    m.rows_repeated += t.rows;
    m.entries_repeated += a.row_ptr[t.row + t.rows] - a.row_ptr[t.row];
  }
  m.repeated_value.resize(entry.back());
  m.repeated_offset.resize(entry.back());
  kernels::try_each_ticket(threads, std::ssize(tiles), [&](std::int64_t ticket) {
    const auto  i  = static_cast<std::size_t>(ticket);
    std::size_t at = entry[i];
    for (std::size_t k = 0; k < pools[i].size(); ++k)
      for (const auto &e : pools[i].row(k)) {
        m.repeated_value[at]    = e.value;
        m.repeated_offset[at++] = e.offset;
      }
  });
}

/// Calls visit(row, column, value) for each entry of a tile.
template <class Scalar, class Visit> void decode_repeated(const Image<Scalar> &m, const RepeatedTile &t, const Visit &visit)
{
  const std::size_t first = t.entry * std::size_t(RepeatedTile::grain);
  for (Local row = t.row; row < t.end; ++row) {
    const std::uint16_t w = m.repeated_word[t.word + place_of_word(row - t.row)];
    for (std::size_t k = first + (w >> RepeatedTile::length_bits), end = k + (w & RepeatedTile::most_entries); k < end; ++k)
      visit(row, row + m.repeated_offset[k], m.repeated_value[k]);
  }
}

} // namespace petscspmv::ccoo::image
