#pragma once

/// \file repeated_image.hpp
/// Rows that occur again and again, on a device: of each there is a word, which says where its entries are and how many; entries are kept once for all
/// rows of a tile that have the same ones.
///
/// So are grids whose numbering has gaps, with coefficients of a few kinds: neighbours have the same values, but not for as long as a unit of 128 rows is.
/// Different rows of the whole matrix may be very many (119,000 among 3.9 M with five materials and holes, and all of their entries 13 MB), those of
/// a tile of 768 are 40, which a block of threads has at hand, and x in windows beside them (tiles/repeated_windows.hpp). The words of 128 rows are kept so
/// that each lane reads those of its four rows at once.

#include <algorithm>
#include <vector>

#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/repeated_rows.hpp"
#include "impls/ccoo/tiles/repeated_windows.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::ccoo::image {

/// What a tile wants of x, in `windows`; false if that is too much.
template <class Scalar> bool find_windows(const Tile &t, const RowsOfTile<Scalar> &rows, RepeatedWindows &windows)
{
  if (t.rows > tuning::device_most_repeated_x) return false;
  rows.for_each([&](Scalar, Local offset, const RepeatedRow &r) { windows.want(t.row + r.first + offset, t.row + r.last + offset); });
  return windows.choose();
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
  // Some together, for they take little each, and those next to each other write next to each other.
  const auto for_each_tile = [&](const auto &work) {
    constexpr std::int64_t batch = 32;
    kernels::try_each_batch(threads, std::ssize(tiles), batch, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) work(static_cast<std::size_t>(i));
    });
  };
  std::vector<RowsOfTile<Scalar>> rows;
  for (const auto &region : plan.repeated)
    for (std::size_t i = 0; i < region.tiles(); ++i) rows.push_back(region.tile(i));
  std::vector<RepeatedWindows> windows(tiles.size());
  std::vector<char>            found(tiles.size());
  std::vector<std::uint32_t>   longest(tiles.size());
  std::vector<std::size_t>     word(tiles.size() + 1), entry(tiles.size() + 1); // the first of each tile
  for (std::size_t i = 0; i < tiles.size(); ++i)
    word[i + 1] = word[i] + static_cast<std::size_t>((tiles[i]->rows + DeviceGroup::rows - 1) / DeviceGroup::rows * DeviceGroup::rows);
  m.repeated_word.resize(word.back());
  for_each_tile([&](std::size_t i) {
    const Tile &t = *tiles[i];
    for (Local r = 0; r < t.rows; ++r) m.repeated_word[word[i] + place_of_word(r)] = rows[i].word[static_cast<std::size_t>(r)];
    for (const RepeatedRow &r : rows[i].row) longest[i] = std::max(longest[i], r.entries());
    found[i] = find_windows(t, rows[i], windows[i]);
  });
  const bool near = std::all_of(found.begin(), found.end(), [](char f) { return f; });
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile       &t    = *tiles[i];
    const std::size_t kept = (rows[i].entry.size() + grain - 1) / grain * grain;
    m.repeated.push_back({t.row,
                          t.row + t.rows,
                          counted(word[i], "rows"),
                          counted(entry[i] / grain, "entries"),
                          static_cast<std::uint32_t>(rows[i].entry.size()),
                          longest[i],
                          {}});
    entry[i + 1] = entry[i] + kept;
    m.most_kept  = std::max(m.most_kept, static_cast<std::uint32_t>(kept));
    m.distinct_rows += rows[i].row.size();
    m.rows_repeated += t.rows;
    m.entries_repeated += a.row_ptr[t.row + t.rows] - a.row_ptr[t.row];
    if (!near) continue;
    m.most_near = std::max(m.most_near, windows[i].size());
    m.repeated_window.insert(m.repeated_window.end(), windows[i].list().begin(), windows[i].list().end());
  }
  m.repeated_value.resize(entry.back());
  if (near) m.repeated_place.resize(entry.back());
  else m.repeated_offset.resize(entry.back());
  for_each_tile([&](std::size_t i) {
    std::size_t at = entry[i];
    rows[i].for_each([&](Scalar value, Local offset, const RepeatedRow &r) {
      m.repeated_value[at] = value;
      if (near) m.repeated_place[at] = static_cast<std::int16_t>(windows[i].place(tiles[i]->row + r.first + offset) - r.first);
      else m.repeated_offset[at] = offset;
      ++at;
    });
  });
}

/// Calls visit(row, column, value) for each entry of tile i.
template <class Scalar, class Visit> void decode_repeated(const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  const RepeatedTile &t     = m.repeated[i];
  const std::size_t   first = t.entry * std::size_t(RepeatedTile::grain);
  for (Local row = t.row; row < t.end; ++row) {
    const std::uint16_t w = m.repeated_word[t.word + place_of_word(row - t.row)];
    for (std::size_t k = first + (w >> RepeatedTile::length_bits), end = k + (w & RepeatedTile::most_entries); k < end; ++k)
      visit(row,
            m.most_near > 0 ? column_at(m.repeated_window.data() + i * RepeatedTile::windows, m.repeated_place[k] + row - t.row)
                            : row + m.repeated_offset[k],
            m.repeated_value[k]);
  }
}

} // namespace petscspmv::ccoo::image
