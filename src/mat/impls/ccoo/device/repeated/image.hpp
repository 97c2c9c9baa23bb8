#pragma once

/// \file image.hpp
/// Rows that occur again and again, on a device: of each there is a word, which says where its entries are and how
/// many; entries are kept once for all rows of a tile that have the same ones.
///
/// So are grids whose numbering has gaps, with coefficients of a few kinds: neighbours have the same values, but not
/// for as long as a unit of 128 rows is. Different rows of the whole matrix may be very many (119,000 among 3.9 M with
/// five materials and holes, and all of their entries 13 MB), those of a tile of 768 are 40, which a block of threads
/// has at hand, and x in windows beside them (windows.hpp). The words of 128 rows are kept so that each
/// lane reads those of its four rows at once.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/kind.hpp"
#include "impls/ccoo/device/repeated/rows.hpp"
#include "impls/ccoo/device/repeated/windows.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/host/small_pages.hpp"

namespace petscspmv::ccoo::image {

/// Where the word of a row is among those of its tile.
constexpr std::size_t place_of_word(Local row)
{
  const Local in = row % DeviceGroup::rows;
  return static_cast<std::size_t>(row - in) + static_cast<std::size_t>(in % lanes * groups + in / lanes);
}

/// The repeated tiles of a plan as they are in an image, each with the entries of its rows.
template <class Scalar, class Index> class RepeatedTiles {
  using Plan = ccoo::Plan<Scalar, Index, DeviceGroup>;

public:
  RepeatedTiles(const CsrView<Scalar, Index> &a, const Plan &plan, int threads, Image<Scalar> &m) : a_(a), threads_(threads), m_(m)
  {
    for (const Tile &t : plan.tiles)
      if (t.kind == Kind::repeated) draft_.push_back({&t});
    std::size_t tile = 0;
    for (const auto &region : plan.repeated)
      for (std::size_t i = 0; i < region.tiles(); ++i) draft_[tile++].rows = region.tile(i);
  }

  void run()
  {
    if (draft_.empty()) return;
    for_each_draft([](Draft &d, RepeatedWindows &windows) {
      d.windows = find_windows(d, windows);
      for (const RepeatedRow &r : d.rows.row) d.longest = std::max(d.longest, r.entries());
    });
    near_ = std::all_of(draft_.begin(), draft_.end(), [](const Draft &d) { return d.windows.has_value(); });
    place();
    for_each_draft([this](const Draft &d, RepeatedWindows &) {
      write_words(d);
      write_entries(d);
    });
  }

private:
  /// A tile before it has a place.
  struct Draft {
    const Tile                  *tile;
    RowsOfTile<Scalar>           rows{};
    std::optional<WindowsOfTile> windows{};   ///< what it wants of x; nothing if that is too much
    std::uint32_t                longest = 0; ///< row
    std::size_t                  number  = 0;
    std::size_t                  word = 0, entry = 0; ///< the first
  };

  static std::size_t rounded_up(std::size_t n, std::size_t grain) { return (n + grain - 1) / grain * grain; }
  static std::size_t words(const Draft &d) { return rounded_up(static_cast<std::size_t>(d.tile->rows), DeviceGroup::rows); }
  static std::size_t kept(const Draft &d) { return rounded_up(d.rows.entry.size(), RepeatedTile::grain); }

  /// Some by each thread, for they take little each, and those next to each other write next to each other.
  template <class Work> void for_each_draft(const Work &work)
  {
    constexpr std::int64_t batch = 32;
    kernels::try_each_batch(threads_, std::ssize(draft_), batch, [&](std::int64_t first, std::int64_t last) {
      RepeatedWindows windows;
      for (std::int64_t i = first; i < last; ++i) work(draft_[static_cast<std::size_t>(i)], windows);
    });
  }

  static std::optional<WindowsOfTile> find_windows(const Draft &d, RepeatedWindows &windows)
  {
    const Tile &t = *d.tile;
    if (t.rows > tuning::device_most_repeated_x) return {};
    windows.clear();
    d.rows.for_each([&](Scalar, Local offset, const RepeatedRow &r) { windows.want(t.row + r.first + offset, t.row + r.last + offset); });
    return windows.choose();
  }

  /// Room for all of them.
  void place()
  {
    std::size_t word = 0, entry = 0;
    m_.repeated.reserve(draft_.size());
    for (Draft &d : draft_) {
      const Tile &t = *d.tile;
      d.number      = m_.repeated.size();
      d.word        = word;
      d.entry       = entry;
      m_.repeated.push_back({t.row,
                             t.row + t.rows,
                             counted(word, "rows"),
                             counted(entry / RepeatedTile::grain, "entries"),
                             static_cast<std::uint32_t>(d.rows.entry.size()),
                             d.longest,
                             {}});
      word += words(d);
      entry += kept(d);
      m_.most_kept = std::max(m_.most_kept, static_cast<std::uint32_t>(kept(d)));
      m_.distinct_rows += d.rows.row.size();
      m_.rows_repeated += t.rows;
      m_.entries_repeated += a_.row_ptr[t.row + t.rows] - a_.row_ptr[t.row];
      if (near_) m_.most_near = std::max(m_.most_near, d.windows->size);
    }
    m_.repeated_word  = kernels::in_small_pages(Room<std::uint16_t>(word));
    m_.repeated_value = kernels::in_small_pages(Room<Scalar>(entry));
    if (!near_) m_.repeated_offset = kernels::in_small_pages(Room<Local>(entry));
    else {
      m_.repeated_place = kernels::in_small_pages(Room<std::int16_t>(entry));
      m_.repeated_window.resize(draft_.size() * RepeatedTile::windows);
    }
  }
  /// As place_of_word() says; zeros behind the last row.
  void write_words(const Draft &d)
  {
    const std::size_t rows = d.rows.word.size();
    std::uint16_t    *out  = m_.repeated_word.data() + d.word;
    for (std::size_t first = 0; first < rows; first += DeviceGroup::rows)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t r = first + lane; r < first + DeviceGroup::rows; r += lanes) *out++ = r < rows ? d.rows.word[r] : std::uint16_t(0);
  }

  void write_entries(const Draft &d)
  {
    std::size_t at = d.entry;
    if (near_) std::copy(d.windows->window.begin(), d.windows->window.end(), m_.repeated_window.data() + d.number * RepeatedTile::windows);
    const auto write = [&](Scalar value, Local offset, Local place) {
      m_.repeated_value[at] = value;
      if (near_) m_.repeated_place[at] = static_cast<std::int16_t>(place);
      else m_.repeated_offset[at] = offset;
      ++at;
    };
    d.rows.for_each([&](Scalar value, Local offset, const RepeatedRow &r) {
      write(value, offset, near_ ? d.windows->place(d.tile->row + r.first + offset) - r.first : 0);
    });
    while (at < d.entry + kept(d)) write(0, 0, 0);
  }

  const CsrView<Scalar, Index> &a_;
  const int                     threads_;
  Image<Scalar>                &m_;
  std::vector<Draft>            draft_;
  bool                          near_ = false; ///< x of all tiles is in windows
};

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

struct RepeatedKind {
  struct Shape {
    std::uint32_t most_kept = 0; ///< entries of different rows of a tile, a multiple of its grain
  };
  struct Counts {
    std::int64_t  entries_repeated = 0, rows_repeated = 0;
    std::size_t   distinct_rows = 0;
    std::uint32_t most_near     = 0; ///< entries of x that a tile has in shared memory; 0: none has
  };

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Pieces<RepeatedTile>   repeated;
    typename Hold::template Room<std::uint16_t>    repeated_word; ///< [tiles][rows / 128][32][4] of lane l: rows l, l + 32, l + 64, l + 96
    typename Hold::template Room<Scalar>           repeated_value;
    typename Hold::template Room<Local>            repeated_offset; ///< column - row, if there are no windows; else
    typename Hold::template Room<std::int16_t>     repeated_place;  ///< that of x less the number of the row in the tile
    typename Hold::template Vector<RepeatedWindow> repeated_window; ///< [tiles][RepeatedTile::windows]
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("tiles of repeated rows", m.repeated...);
    visit("words of repeated rows", m.repeated_word...);
    visit("values of repeated rows", m.repeated_value...);
    visit("offsets of repeated rows", m.repeated_offset...);
    visit("places of x of repeated rows", m.repeated_place...);
    visit("windows of repeated rows", m.repeated_window...);
  }

  template <class Scalar, class Index> static void make(const Source<Scalar, Index> &from, Image<Scalar> &m)
  {
    RepeatedTiles(from.a, from.plan, from.threads, m).run();
  }
  template <class Scalar, class Visit> static void decode(const Image<Scalar> &m, const Visit &visit)
  {
    for (std::size_t i = 0; i < m.repeated.size(); ++i) decode_repeated(m, i, visit);
  }
  static std::int64_t                  entries(const Counts &c) { return c.entries_repeated; }
  template <class Scalar> static Facts facts(const Image<Scalar> &m)
  {
    return {{"rows that repeat", std::to_string(m.rows_repeated)},
            {"different ones of these", std::to_string(m.distinct_rows)},
            {"their tiles have at hand", std::to_string(m.most_near) + " entries of x at most"}};
  }
};

} // namespace petscspmv::ccoo::image
