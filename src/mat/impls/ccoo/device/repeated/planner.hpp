#pragma once

/// \file planner.hpp
/// Which tiles of a plan become tiles of repeated rows.

#include <algorithm>
#include <optional>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/repeated/rows.hpp"
#include "impls/ccoo/device/repeated/tuning.hpp"

namespace petscspmv::ccoo {

/// Looks at one tile after the other.
template <class Scalar, class Index> class RepeatedPlanner {
public:
  RepeatedPlanner(const CsrView<Scalar, Index> &a, const Rules &rules) : a_(a), rules_(rules) { }

  void begin_tile() { suit_.reset(); }

  /// On a device: short rows, each of which occurs several times.
  bool suit(const Tile &t)
  {
    if (!suit_) suit_ = !rules_.on_host && rules_.tile == TileChoice::automatic && a_.rows >= tuning::device_least_repeated_rows && find(t);
    return *suit_;
  }
  /// For a tile that suits.
  void make(Tile &t, RepeatedRows<Scalar> &out) const
  {
    t      = Tile{t.row, t.rows};
    t.kind = Kind::repeated;
    out.add(found_.rows());
  }

private:
  bool find(const Tile &t)
  {
    constexpr std::size_t patience = 32; // different rows before it matters how many there are
    constexpr std::size_t least    = tuning::device_least_repetition;
    found_.clear();
    if (2 * t.rows < rules_.rows && !rules_.repeats) return false; // what is left at the end of a plane
    if (t.values < tuning::device_least_repeated_mean * static_cast<std::uint32_t>(t.rows)) return false;
    for (Local row = 0; row < t.rows;) {
      const Index *const begin = a_.row_ptr + t.row + row;
      if (begin[1] - begin[0] > Index(image::RepeatedTile::most_entries)) return false;
      row += found_.add(a_, t.row, row, t.rows - row);
      if (found_.entries() > image::RepeatedTile::most_kept) return false;
      if (least * found_.size() > static_cast<std::size_t>(row - 1) + least * patience) return false;
    }
    return least * found_.size() <= static_cast<std::size_t>(t.rows);
  }

  const CsrView<Scalar, Index> &a_;
  const Rules                  &rules_;
  std::optional<bool>           suit_; // of the tile at hand; nothing: not known yet
  RepeatedRowFinder<Scalar>     found_;
};

/// True if nearly all rows of tiles of regions that have been planned repeat.
template <class Regions> bool mostly_repeat(const Regions &regions)
{
  std::int64_t repeated = 0, others = 0; // rows
  for (const auto &r : regions)
    for (const Tile &t : r.tiles) {
      if (t.kind == Kind::repeated) repeated += t.rows;
      else if (t.kind != Kind::empty) others += t.rows;
    }
  return repeated > 0 && others * 100 <= repeated * tuning::device_few_others_percent;
}

template <class Region> bool has_others(const Region &r)
{
  return std::any_of(r.tiles.begin(), r.tiles.end(), [](const Tile &t) { return t.kind != Kind::repeated && t.kind != Kind::empty; });
}

} // namespace petscspmv::ccoo
