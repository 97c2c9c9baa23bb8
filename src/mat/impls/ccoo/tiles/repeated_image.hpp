#pragma once

/// \file repeated_image.hpp
/// Rows that occur again and again, on a device: of each there is a word, which says where its entries are and how many; entries are kept once for
/// all rows that have the same ones.
///
/// So are grids whose numbering has gaps, with coefficients of a few kinds: neighbours have the same values, but not for as long as a unit of 128 rows is.
/// The words of a unit of 128 rows are kept so that each lane reads those of its four rows at once.

#include <algorithm>
#include <vector>

#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "impls/ccoo/tiles/row_pool.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::ccoo::image {

/// Where a row's entries are, and how many it has.
constexpr std::uint32_t repeated_word(std::size_t first, std::size_t length)
{
  return static_cast<std::uint32_t>(first << RepeatedUnit::length_bits | length);
}

/// Units of all repeated tiles, and the entries of their rows. Threads look at tiles, each for itself; what they find is put together in the order of the
/// tiles, so that their number changes nothing.
template <class Scalar, class Index>
void add_repeated(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads, Image<Scalar> &m)
{
  struct Part {
    RowPool<Scalar>            pool;
    std::vector<std::uint32_t> number; ///< of each row
  };
  std::vector<const Tile *> tiles;
  for (const Tile &t : plan.tiles)
    if (t.kind == Kind::repeated) tiles.push_back(&t);
  if (tiles.empty()) return;
  std::vector<Part> parts(tiles.size());
  kernels::try_each_ticket(threads, std::ssize(tiles), [&](std::int64_t i) {
    Part       &part = parts[static_cast<std::size_t>(i)];
    const Tile &t    = *tiles[static_cast<std::size_t>(i)];
    for (Local r = t.row; r < t.row + t.rows; ++r) part.number.push_back(part.pool.add(a, r));
  });
  RowPool<Scalar> pool;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    std::vector<std::uint32_t> word;
    for (std::size_t k = 0; k < parts[i].pool.size(); ++k) {
      const auto row = parts[i].pool.row(k);
      word.push_back(repeated_word(pool.first(pool.add(row)), row.size()));
    }
    const Tile &t = *tiles[i];
    for (Local row = t.row; row < t.row + t.rows; row += DeviceGroup::rows) {
      const Local  end   = std::min<Local>(row + DeviceGroup::rows, t.row + t.rows);
      const auto   first = m.repeated_word.size();
      RepeatedUnit unit{row, end, counted(first / DeviceGroup::rows, "units"), 0};
      m.repeated_word.resize(first + DeviceGroup::rows);
      for (Local r = row; r < end; ++r) {
        const std::uint32_t w                           = word[parts[i].number[static_cast<std::size_t>(r - t.row)]];
        m.repeated_word[first + place_of_word(r - row)] = w;
        unit.longest                                    = std::max(unit.longest, w & RepeatedUnit::most_entries);
        m.entries_repeated += w & RepeatedUnit::most_entries;
      }
      m.repeated.push_back(unit);
    }
    parts[i] = {};
  }
  if (pool.entries() >> (32 - RepeatedUnit::length_bits) != 0)
    throw FormatError("The matrix has too many different rows for ccoo on one device; use more processes, or -mat_type aijspec.");
  for (std::size_t k = 0; k < pool.size(); ++k)
    for (const auto &e : pool.row(k)) m.repeated_slot.push_back({e.value, e.offset, 0});
  m.distinct_rows = pool.size();
}

/// Calls visit(row, column, value) for each entry of a unit.
template <class Scalar, class Visit> void decode_repeated(const Image<Scalar> &m, const RepeatedUnit &u, const Visit &visit)
{
  for (Local row = u.row; row < u.end; ++row) {
    const std::uint32_t       w    = m.repeated_word[u.words * std::size_t(DeviceGroup::rows) + place_of_word(row - u.row)];
    const Slot<Scalar> *const slot = m.repeated_slot.data() + (w >> RepeatedUnit::length_bits);
    for (std::uint32_t k = 0; k < (w & RepeatedUnit::most_entries); ++k) visit(row, row + slot[k].offset, slot[k].value);
  }
}

} // namespace petscspmv::ccoo::image
