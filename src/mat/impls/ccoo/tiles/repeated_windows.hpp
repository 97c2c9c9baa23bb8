#pragma once

/// \file repeated_windows.hpp
/// What a tile of repeated rows wants of x: a few windows, intervals of columns, that a block of threads has in shared memory, one behind the other.
///
/// An entry that comes again in each of some rows has a column that is always as far from the row. Its x in shared memory is as well, if all of these
/// columns are in one window: the place of an entry is where its x is, less the number of the row in the tile.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "impls/ccoo/ccoo_image.hpp"

namespace petscspmv::ccoo::image {

/// The windows of a tile.
class RepeatedWindows {
public:
  using Window = RepeatedWindow;

  /// Columns first .. last are wanted.
  void want(Local first, Local last)
  {
    const auto at = std::find_if(wanted_.begin(), wanted_.end(), [first](const Interval &i) { return first - i.last <= closest; });
    if (at == wanted_.end() || at->first - last > closest) {
      wanted_.insert(at, {first, last});
      return;
    }
    at->first = std::min(at->first, first);
    at->last  = std::max(at->last, last);
    auto next = at + 1;
    for (; next != wanted_.end() && next->first - at->last <= closest; ++next) at->last = std::max(at->last, next->last);
    wanted_.erase(at + 1, next);
  }

  /// Chooses windows for all that is wanted; false if they would be too many together.
  bool choose()
  {
    std::vector<Interval> wide = wanted_;
    while (wide.size() > window_.size()) {
      std::size_t least = 0; // the gap that it costs least to bring
      for (std::size_t k = 1; k + 1 < wide.size(); ++k)
        if (wide[k + 1].first - wide[k].last < wide[least + 1].first - wide[least].last) least = k;
      wide[least].last = wide[least + 1].last;
      wide.erase(wide.begin() + static_cast<std::ptrdiff_t>(least) + 1);
    }
    std::int64_t place = 0;
    for (std::size_t k = 0; k < wide.size(); ++k) {
      place += (wide[k].first - place) % 2 != 0; // both odd or both even, for pieces of two numbers
      const std::int64_t length = std::int64_t(wide[k].last) - wide[k].first + 1;
      if (place + length > tuning::device_most_repeated_x) return false;
      window_[k] = {wide[k].first, static_cast<Local>(length), static_cast<Local>(place), 0};
      place += length;
    }
    size_ = static_cast<std::uint32_t>(place);
    return true;
  }

  /// Where x of a column is that is wanted.
  Local place(Local column) const
  {
    for (const Window &w : window_)
      if (column < w.column + w.length) return w.place + column - w.column;
    return 0; // never
  }

  const std::array<Window, RepeatedTile::windows> &list() const { return window_; } ///< those behind the last have no columns
  std::uint32_t                                    size() const { return size_; }   ///< entries of all, and what is between them

private:
  struct Interval {
    Local first, last;
  };
  static constexpr Local closest = 16; // what is nearer to each other is in one window

  std::vector<Interval>                     wanted_; ///< ascending, and far from each other: mostly few
  std::array<Window, RepeatedTile::windows> window_{};
  std::uint32_t                             size_ = 0;
};

/// The column whose x is at a place, by the windows of its tile.
inline Local column_at(const RepeatedWindow *window, Local place)
{
  while (place >= window->place + window->length) ++window;
  return window->column + place - window->place;
}

} // namespace petscspmv::ccoo::image
