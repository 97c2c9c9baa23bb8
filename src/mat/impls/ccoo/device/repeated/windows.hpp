#pragma once

/// \file windows.hpp
/// What a tile of repeated rows wants of x: a few windows, intervals of columns, that a block of threads has in shared
/// memory, one behind the other.
///
/// An entry that comes again in each of some rows has a column that is always as far from the row. Its x in shared
/// memory is as well, if all of these columns are in one window: the place of an entry is where its x is, less the
/// number of the row in the tile.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "impls/ccoo/device/repeated/rows.hpp"
#include "impls/ccoo/device/repeated/tuning.hpp"

namespace petscspmv::ccoo::image {

/// Columns whose x a tile of repeated rows has in shared memory. No columns: not used.
struct alignas(16) RepeatedWindow {
  Local         column, length;
  Local         place; ///< of the first one's x; odd where the column is
  std::uint32_t unused;
};

/// The windows of a tile.
struct WindowsOfTile {
  std::array<RepeatedWindow, RepeatedTile::windows> window{}; ///< those behind the last have no columns
  std::uint32_t                                     size = 0; ///< entries of all, and what is between them

  /// Where x of a column is that is wanted.
  Local place(Local column) const
  {
    for (const RepeatedWindow &w : window)
      if (column < w.column + w.length) return w.place + column - w.column;
    return 0; // never
  }
};

/// Finds windows, of one tile after the other.
class RepeatedWindows {
public:
  void clear() { wanted_.clear(); }

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

  /// Windows for all that is wanted; nothing if they would be too many together.
  std::optional<WindowsOfTile> choose()
  {
    WindowsOfTile chosen;
    while (wanted_.size() > chosen.window.size()) {
      std::size_t least = 0; // the gap that it costs least to bring
      for (std::size_t k = 1; k + 1 < wanted_.size(); ++k)
        if (wanted_[k + 1].first - wanted_[k].last < wanted_[least + 1].first - wanted_[least].last) least = k;
      wanted_[least].last = wanted_[least + 1].last;
      wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(least) + 1);
    }
    std::int64_t place = 0;
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const auto [first, last] = wanted_[k];
      place += (first - place) % 2 != 0; // both odd or both even, for pieces of two numbers
      const std::int64_t length = std::int64_t(last) - first + 1;
      if (place + length > tuning::device_most_repeated_x) return {};
      chosen.window[k] = {first, static_cast<Local>(length), static_cast<Local>(place), 0};
      place += length;
    }
    chosen.size = static_cast<std::uint32_t>(place);
    return chosen;
  }

private:
  struct Interval {
    Local first, last;
  };
  static constexpr Local closest = 16; // what is nearer to each other is in one window

  std::vector<Interval> wanted_; ///< ascending, and far from each other: mostly few
};

/// The column whose x is at a place, by the windows of its tile.
inline Local column_at(const RepeatedWindow *window, Local place)
{
  while (place >= window->place + window->length) ++window;
  return window->column + place - window->place;
}

} // namespace petscspmv::ccoo::image
