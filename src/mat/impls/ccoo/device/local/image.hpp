#pragma once

/// \file image.hpp
/// Local tiles: rows that lie near each other and need few sectors of x, on a device, for matrices of few different
/// values.
///
/// A block of threads brings the sectors of x that its rows need, four entries each, to shared memory, and a row is a
/// lane's. An entry takes three bytes: the place of its x there, and a place in the one table of values. Rows are
/// sorted by length, so that those of a warp have about as many entries, which are taken in steps of four. A tile of
/// five rows, with sectors of two, warps of three lanes, and steps of two:
///
///     row: columns       0: 4 5   1: 4 9   2: 5   3: 4 5 8   4: none
///     sectors            2 4                 columns 4 5 8 9 are at places 0 1 2 3; at place 4 there is a zero
///     order of rows      3 0 1 | 2 4
///     steps of a warp    2     | 1
///     places             0 1   0 1   0 3 |  2 4   4 4   4 4    the two steps of the first warp
///                        1 4   4 4   4 4                       the step of the second one
///
/// Shared memory has sixteen banks of eight bytes. What sixteen neighbours read at a time should lie in different ones:
/// the entries of each row are in an order in which they mostly do, and come back sorted by columns.

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/kind.hpp"
#include "impls/ccoo/device/local/entries.hpp"
#include "impls/ccoo/device/local/tuning.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

/// Where entry k of a lane is in the steps of its warp, the first of which is `step`.
constexpr std::size_t local_place(std::size_t step, std::size_t lane, std::size_t k)
{
  constexpr std::size_t together = LocalTile::together;
  return ((step + k / together) * lanes + lane) * together + k % together;
}

/// A tile before it has a place.
struct LocalDraft {
  Local                                      row, end;
  std::vector<Local>                         sectors; ///< ascending
  std::array<std::uint8_t, LocalTile::rows>  order;   ///< row of each lane
  std::array<std::uint8_t, LocalTile::warps> steps;
};

/// All that is in chunks, as local tiles, if that suits a matrix.
template <class Scalar, class Index> class LocalTiles {
  using View = CsrView<Scalar, Index>;

public:
  LocalTiles(const View &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads) : a_(a), threads_(threads)
  {
    const std::int64_t entries = std::accumulate(plan.chunks.begin(), plan.chunks.end(), std::int64_t(0),
                                                 [](std::int64_t n, const ccoo::Chunk &c) { return n + c.entries; });
    if (sizeof(Scalar) > sizeof(double) || entries < tuning::device_least_local || !are_allowed(plan.rules)) return;
    const LocalValues<Scalar> values(a, plan, threads); // first: there are mostly too many, which is soon known
    if (!values.fit()) return;
    cut(ranges_of(plan));
    if (!drafts_.empty() && pays()) values_ = values;
  }

  bool suit() const { return values_.has_value(); }

  /// If they suit the matrix.
  void place(Image<Scalar> &m) const
  {
    std::size_t sector = 0, step = 0;
    for (const LocalDraft &d : drafts_) {
      LocalTile t{d.row, d.end, counted(sector, "sectors"), static_cast<std::uint32_t>(d.sectors.size()), {}, counted(step, "entries"), 0};
      std::copy(d.steps.begin(), d.steps.end(), t.steps);
      m.local.push_back(t);
      m.local_sector.insert(m.local_sector.end(), d.sectors.begin(), d.sectors.end());
      m.local_row.insert(m.local_row.end(), d.order.begin(), d.order.end());
      m.entries_in_local += a_.row_ptr[d.end] - a_.row_ptr[d.row];
      sector += d.sectors.size();
      step += static_cast<std::size_t>(std::accumulate(d.steps.begin(), d.steps.end(), 0));
    }
    m.local_place = Room<std::uint16_t>(step * LocalTile::step_entries);
    m.local_code  = Room<std::uint8_t>(step * LocalTile::step_entries);
    m.local_value = values_->list();
    m.local_value.resize(LocalTile::values);
    kernels::try_each_ticket(threads_, std::ssize(drafts_), [&](std::int64_t i) { fill(static_cast<std::size_t>(i), m); });
  }

private:
  struct Range {
    Local first, last; ///< last: one behind
  };

  /// By options.
  static bool are_allowed(const Rules &rules)
  {
    return rules.tile == TileChoice::automatic && rules.coding.automatic && rules.coding.largest >= LocalTile::values;
  }
  /// The rows of chunks, where those follow each other; none if some are taken in another order.
  std::vector<Range> ranges_of(const Plan<Scalar, Index, DeviceGroup> &plan) const
  {
    std::vector<Range> ranges;
    for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
      const ccoo::Chunk &c    = plan.chunks[i];
      const Index        last = plan.chunk_begin[i] + static_cast<Index>(c.entries);
      const auto         end  = static_cast<Local>(std::lower_bound(a_.row_ptr + c.row + 1, a_.row_ptr + a_.rows, last) - a_.row_ptr);
      const Local        next = c.row + c.continues; // which no chunk before has begun
      if (!ranges.empty() && ranges.back().last == next) ranges.back().last = end;
      else if (c.continues) return {};
      else ranges.push_back({c.row, end});
    }
    return ranges;
  }

  void cut(const std::vector<Range> &ranges)
  {
    std::vector<Range> pieces;
    for (const Range &r : ranges)
      for (Local row = r.first; row < r.last; row += LocalTile::rows) pieces.push_back({row, std::min(r.last, row + LocalTile::rows)});
    std::vector<std::vector<LocalDraft>> parts(pieces.size());
    std::atomic<bool>                    failed = false;
    kernels::try_each_ticket(threads_, std::ssize(pieces), [&](std::int64_t i) {
      if (!failed && !cut(pieces[static_cast<std::size_t>(i)], parts[static_cast<std::size_t>(i)])) failed = true;
    });
    if (failed) return;
    for (auto &part : parts) std::move(part.begin(), part.end(), std::back_inserter(drafts_));
  }
  /// Tiles of up to 256 rows; halves where x of these has no room. False for rows that cannot be kept so.
  bool cut(const Range &r, std::vector<LocalDraft> &drafts) const
  {
    LocalSectors sectors;
    bool         fit = true;
    for (Local row = r.first; row < r.last; ++row) {
      const Index *const first = a_.col + a_.row_ptr[row], *const last = a_.col + a_.row_ptr[row + 1];
      if (last - first > LocalTile::longest || std::adjacent_find(first, last, std::greater_equal<>()) != last) return false;
      fit = fit && std::all_of(first, last, [&sectors](Index c) { return sectors.add(static_cast<Local>(c) / LocalTile::sector); });
    }
    if (!fit) {
      const Local middle = (r.first + r.last) / 2;
      return r.last - r.first > LocalTile::rows / 4 && cut({r.first, middle}, drafts) && cut({middle, r.last}, drafts);
    }
    drafts.push_back(draft(r, sectors.sorted()));
    return true;
  }
  LocalDraft draft(const Range &r, std::vector<Local> &&sectors) const
  {
    LocalDraft d{r.first, r.last, std::move(sectors), {}, {}};
    std::iota(d.order.begin(), d.order.end(), std::uint8_t(0));
    const auto length = [&](int row) { return row < r.last - r.first ? a_.row_ptr[r.first + row + 1] - a_.row_ptr[r.first + row] : 0; };
    std::stable_sort(d.order.begin(), d.order.end(), [&](int p, int q) { return length(p) > length(q); });
    for (std::size_t w = 0; w < d.steps.size(); ++w)
      d.steps[w] = static_cast<std::uint8_t>((length(d.order[w * lanes]) + LocalTile::together - 1) / LocalTile::together);
    return d;
  }

  /// Whether little is filled up, and x is brought for many entries each.
  bool pays() const
  {
    std::size_t entries = 0, sectors = 0, steps = 0;
    for (const LocalDraft &d : drafts_) {
      entries += static_cast<std::size_t>(a_.row_ptr[d.end] - a_.row_ptr[d.row]);
      sectors += d.sectors.size();
      steps += static_cast<std::size_t>(std::accumulate(d.steps.begin(), d.steps.end(), 0));
    }
    return steps * LocalTile::step_entries * 100 <= entries * tuning::device_local_filled_percent &&
           sectors * 100 <= entries * tuning::device_local_sectors_percent;
  }

  /// Entries of tile i, sixteen rows at a time.
  void fill(std::size_t i, Image<Scalar> &m) const
  {
    const LocalDraft  &d = drafts_[i];
    const LocalSectors sectors(d.sectors);
    std::size_t        step = m.local[i].first_step;
    LocalRows          rows;
    for (std::size_t w = 0; w < d.steps.size(); step += d.steps[w++])
      for (std::size_t half = 0; half < lanes; half += banks) {
        for (std::size_t l = 0; l < banks; ++l) take(d, sectors, d.order[w * lanes + half + l], rows[l]);
        spread_over_banks(rows);
        for (std::size_t l = 0; l < banks; ++l) {
          rows[l].resize(std::size_t(d.steps[w]) * LocalTile::together, {LocalTile::nowhere, 0});
          for (std::size_t k = 0; k < rows[l].size(); ++k) {
            const std::size_t at     = local_place(step, half + l, k);
            m.local_place.data()[at] = static_cast<std::uint16_t>(rows[l][k].place * sizeof(Scalar));
            m.local_code.data()[at]  = rows[l][k].code;
          }
        }
      }
  }
  void take(const LocalDraft &d, const LocalSectors &sectors, Local row, std::vector<LocalEntry> &entries) const
  {
    entries.clear();
    if (d.row + row >= d.end) return;
    for (Index i = a_.row_ptr[d.row + row]; i < a_.row_ptr[d.row + row + 1]; ++i) {
      const auto column = static_cast<Local>(a_.col[i]);
      const int  place  = sectors.number(column / LocalTile::sector) * LocalTile::sector + column % LocalTile::sector;
      entries.push_back({static_cast<std::uint16_t>(place), values_->code(a_.val[i])});
    }
  }

  View                               a_;
  int                                threads_;
  std::vector<LocalDraft>            drafts_;
  std::optional<LocalValues<Scalar>> values_;
};

/// Calls visit(row, column, value) for each entry of tile i; those of a row ascend.
template <class Scalar, class Visit> void decode_local(const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  struct Entry {
    Local        column;
    std::uint8_t code;
  };
  const LocalTile   &t    = m.local[i];
  std::size_t        step = t.first_step;
  std::vector<Entry> row;
  for (std::size_t w = 0; w < LocalTile::warps; step += t.steps[w++])
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      row.clear();
      for (std::size_t k = 0; k < t.steps[w] * std::size_t(LocalTile::together); ++k) {
        const std::size_t at    = local_place(step, lane, k);
        const auto        place = static_cast<Local>(m.local_place.data()[at] / sizeof(Scalar));
        if (place == LocalTile::nowhere) continue;
        const Local sector = m.local_sector[t.first_sector + static_cast<std::size_t>(place / LocalTile::sector)];
        row.push_back({sector * LocalTile::sector + place % LocalTile::sector, m.local_code.data()[at]});
      }
      std::sort(row.begin(), row.end(), [](const Entry &p, const Entry &q) { return p.column < q.column; });
      for (const Entry &e : row) visit(t.row + m.local_row[i * LocalTile::rows + w * lanes + lane], e.column, m.local_value[e.code]);
    }
}

struct LocalKind {
  struct Shape { };
  struct Counts {
    std::int64_t entries_in_local = 0;
  };

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Pieces<LocalTile>    local;
    typename Hold::template Vector<Local>        local_sector; ///< [local tiles][sectors] the first column of each, over LocalTile::sector
    typename Hold::template Vector<std::uint8_t> local_row;    ///< [local tiles][256] row of each lane
    typename Hold::template Room<std::uint16_t>  local_place;  ///< [local tiles][warps][steps][32][4] where x is in shared memory, in bytes
    typename Hold::template Room<std::uint8_t>   local_code;   ///< likewise: number of the value
    typename Hold::template Vector<Scalar>       local_value;  ///< [256]
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("local tiles", m.local...);
    visit("sectors of local tiles", m.local_sector...);
    visit("order of rows of local tiles", m.local_row...);
    visit("places of x of local tiles", m.local_place...);
    visit("codes of local tiles", m.local_code...);
    visit("values of local tiles", m.local_value...);
  }

  /// In the place of all chunks.
  template <class Scalar, class Index> static void make(Source<Scalar, Index> &from, Image<Scalar> &m)
  {
    const LocalTiles tiles(from.a, from.plan, from.threads);
    if (!tiles.suit()) return;
    tiles.place(m);
    from.chunks = false;
  }
  template <class Scalar, class Visit> static void decode(const Image<Scalar> &m, const Visit &visit)
  {
    for (std::size_t i = 0; i < m.local.size(); ++i) decode_local(m, i, visit);
  }
  static std::int64_t                  entries(const Counts &c) { return c.entries_in_local; }
  template <class Scalar> static Facts facts(const Image<Scalar> &m) { return {{"local tiles", std::to_string(m.local.size())}}; }
};

} // namespace petscspmv::ccoo::image
