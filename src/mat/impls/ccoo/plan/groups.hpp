#pragma once

/// \file groups.hpp
/// Groups of rows of a tile as slots: offsets from the diagonal, each with the rows that have it. Rows that are like
/// the one before are taken together, so that of a grid few are looked at entry by entry.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/plan/group.hpp"
#include "kernels/coding/float_bits.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo {

/// A group of rows of the tile at hand.
struct GroupSlots {
  std::uint32_t first_slot;
  std::uint16_t slots, entries;
  std::uint16_t full; ///< slots that have all lanes
  std::uint16_t runs;
  std::uint32_t first_run;
};

/// Rows first .. last - 1 of a group, which have the same offsets.
struct AlikeRows {
  int first, last;
};

/// Lanes first .. last - 1.
template <class Mask> Mask lanes_between(int first, int last)
{
  const auto below = [](int n) { return n == int(8 * sizeof(Mask)) ? all_lanes<Mask> : static_cast<Mask>((Mask(1) << n) - 1); };
  return static_cast<Mask>(below(last) ^ below(first));
}

/// Those of one tile.
template <class Scalar, class Index, class Group> class Groups {
  static constexpr int group_rows = Group::rows;
  using Mask                      = typename Group::Mask;

public:
  using SlotView = ccoo::SlotView<Mask>;

  explicit Groups(const CsrView<Scalar, Index> &a) : a_(a) { }

  void clear()
  {
    groups_.clear(), offsets_.clear(), lanes_.clear(), runs_.clear();
    full_ = masked_ = others_ = uneven_ = 0;
  }

  const std::vector<GroupSlots> &list() const { return groups_; }
  std::int64_t                   full() const { return full_; }           ///< slots that all lanes have, of all groups
  std::int64_t                   masked() const { return masked_; }       ///< the others
  std::size_t                    kept() const { return offsets_.size(); } ///< slots of groups that are different from those before them,
  std::int64_t                   others() const { return others_; }       ///< how many groups that are,
  std::int64_t                   uneven() const { return uneven_; }       ///< and how many of these have not as many slots
  SlotView slots(const GroupSlots &g) const { return {g.slots, offsets_.data() + g.first_slot, lanes_.data() + g.first_slot}; }

  /// The next rows of the tile; false if they have too many entries, or more than `most` slots, or columns that do not
  /// ascend.
  bool add(Local row, int rows, std::int64_t most)
  {
    const Index entries = a_.row_ptr[row + rows] - a_.row_ptr[row];
    if (entries > std::numeric_limits<std::uint16_t>::max()) return false;
    if (!groups_.empty() && groups_.back().entries == entries && is_like_last(row, rows)) groups_.push_back(groups_.back());
    else {
      const int before = groups_.empty() ? 0 : groups_.back().slots;
      if (!merge(row, rows, most)) return false;
      ++others_;
      uneven_ += groups_.back().slots != before;
    }
    const GroupSlots &g = groups_.back();
    full_ += g.full;
    masked_ += g.slots - g.full;
    return true;
  }

  /// The value of each slot; false if some slot has several, and `values` is then of no use.
  bool take_value_of_each_slot(Local row, const GroupSlots &g, std::vector<Scalar> &values) const
  {
    for (const AlikeRows &run : std::span(runs_).subspan(g.first_run, g.runs)) {
      const Index         n     = length(row + run.first);
      const Scalar *const first = a_.val + a_.row_ptr[row + run.first];
      if (std::memcmp(first + n, first,
                      static_cast<std::size_t>(n) * static_cast<std::size_t>(run.last - run.first - 1) * sizeof(Scalar)) != 0)
        return false;
    }
    values.clear();
    return all_of_slots(row, g, [&](std::uint32_t k, const AlikeRows &, Index entry) {
      if (values.size() == k) values.push_back(a_.val[entry]);
      return kernels::same_bits(values[k], a_.val[entry]);
    });
  }

  /// All values of a group, slot by slot.
  void take_values(Local row, const GroupSlots &g, std::vector<Scalar> &values) const
  {
    values.resize(g.entries);
    Scalar *out = values.data();
    all_of_slots(row, g, [&](std::uint32_t, const AlikeRows &run, Index entry) {
      const Index n = length(row + run.first);
      for (int l = run.first; l < run.last; ++l, entry += n) *out++ = a_.val[entry];
      return true;
    });
  }

private:
  Index length(Local row) const { return a_.row_ptr[row + 1] - a_.row_ptr[row]; }

  /// True if the group is like the one before, which has as many entries.
  bool is_like_last(Local row, int rows) const { return have_offsets(a_, row, row + rows, group_rows); }

  /// Adds the runs of rows of a group that have the same offsets, and returns them. Looks at some rows together, and
  /// one by one where they are not all alike.
  std::span<const AlikeRows> find_runs(Local row, int rows)
  {
    constexpr int     together = 16;
    const std::size_t before   = runs_.size();
    runs_.push_back({0, 1});
    for (int l = 1; l < rows;) {
      const int end = std::min(l + together, rows);
      if (length(row + l) == length(row + l - 1) && have_offsets(a_, row + l, row + end, 1)) runs_.back().last = l = end;
      else
        for (; l < end; ++l)
          if (have_offsets(a_, row + l, row + l + 1, 1)) runs_.back().last = l + 1;
          else runs_.push_back({l, l + 1});
    }
    return std::span(runs_).subspan(before);
  }

  /// Takes runs together that have the same offsets, wherever they are in the group: with three unknowns a node, every
  /// third row.
  void find_kinds(Local row, std::span<const AlikeRows> runs)
  {
    constexpr std::size_t most = 8; // that a run is compared with
    std::size_t           next = 0; // the likeliest
    kinds_.clear();
    for (const AlikeRows &run : runs) {
      const std::size_t n = std::min(most, kinds_.size());
      std::size_t       k = 0;
      while (k < n && !have_offsets(a_, row + run.first, row + run.first + 1, run.first - kinds_[(next + k) % kinds_.size()].first)) ++k;
      const std::size_t found = k < n ? (next + k) % kinds_.size() : kinds_.size();
      if (k == n) kinds_.push_back({run.first, 0});
      kinds_[found].lanes |= lanes_between<Mask>(run.first, run.last);
      next = found + 1;
    }
  }

  /// True if these rows have more than `most` different offsets: found sooner than by bringing all in order.
  bool has_many_offsets(Local row, std::span<const AlikeRows> runs, std::int64_t most)
  {
    constexpr Local none = std::numeric_limits<Local>::min();
    const auto      mask = std::bit_ceil(static_cast<std::size_t>(2 * most + 2)) - 1;
    std::int64_t    seen = 0;
    known_.assign(mask + 1, none);
    for (const AlikeRows &run : runs)
      for (Index i = a_.row_ptr[row + run.first]; i < a_.row_ptr[row + run.first + 1]; ++i) {
        const auto  offset = static_cast<Local>(a_.col[i] - (row + run.first));
        std::size_t k      = static_cast<std::size_t>(static_cast<std::uint32_t>(offset) * 0x9e3779b1U) >> 8 & mask;
        while (known_[k] != none && known_[k] != offset) k = (k + 1) & mask;
        if (known_[k] == offset) continue;
        known_[k] = offset;
        if (++seen > most) return true;
      }
    return false;
  }

  /// Offsets in ascending order, each with the rows that have it; false if there are more than `most`, or if a row is
  /// not in order.
  bool merge(Local row, int rows, std::int64_t most)
  {
    constexpr std::int64_t               done = std::numeric_limits<std::int64_t>::max();
    constexpr std::size_t                few  = 16; // runs, which are soon in order
    std::array<std::int64_t, group_rows> head;      // of each kind of rows
    std::array<Index, group_rows>        at;
    GroupSlots g{static_cast<std::uint32_t>(offsets_.size()), 0, 0, 0, 0, static_cast<std::uint32_t>(runs_.size())};
    const auto runs = find_runs(row, rows);
    g.runs          = static_cast<std::uint16_t>(runs.size());
    if (runs.size() > few && most < a_.row_ptr[row + rows] - a_.row_ptr[row] && has_many_offsets(row, runs, most)) return false;
    find_kinds(row, runs);
    for (const RowKind &k : kinds_)
      if (!std::is_sorted(a_.col + a_.row_ptr[row + k.first], a_.col + a_.row_ptr[row + k.first + 1])) return false;
    const auto offset = [&](std::size_t i) {
      const Local r = row + kinds_[i].first;
      return at[i] < a_.row_ptr[r + 1] ? std::int64_t(a_.col[at[i]]) - r : done;
    };
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      at[i]   = a_.row_ptr[row + kinds_[i].first];
      head[i] = offset(i);
    }
    for (;;) {
      const std::int64_t least = *std::min_element(head.begin(), head.begin() + kinds_.size());
      if (least == done) break;
      if (g.slots == most) return false;
      Mask lanes = 0;
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        if (head[i] != least) continue;
        lanes |= kinds_[i].lanes;
        ++at[i];
        head[i] = offset(i);
      }
      offsets_.push_back(static_cast<Local>(least));
      lanes_.push_back(lanes);
      g.entries = static_cast<std::uint16_t>(g.entries + count_lanes(lanes));
      g.full    = static_cast<std::uint16_t>(g.full + (lanes == all_lanes<Mask>));
      ++g.slots;
    }
    groups_.push_back(g);
    return true;
  }

  /// Calls visit(slot, run, entry of the run's first row) for what the runs of a group have of each slot.
  template <class Visit> bool all_of_slots(Local row, const GroupSlots &g, const Visit &visit) const
  {
    std::array<Index, group_rows> at;
    const AlikeRows *const        run = runs_.data() + g.first_run;
    for (std::size_t i = 0; i < g.runs; ++i) at[i] = a_.row_ptr[row + run[i].first];
    for (std::uint32_t k = 0; k < g.slots; ++k)
      for (std::size_t i = 0; i < g.runs; ++i)
        if ((lanes_[g.first_slot + k] >> run[i].first & 1) != 0 && !visit(k, run[i], at[i]++)) return false;
    return true;
  }

  /// Rows with the same offsets.
  struct RowKind {
    int  first; ///< row
    Mask lanes;
  };

  const CsrView<Scalar, Index> &a_;
  std::vector<GroupSlots>       groups_;
  std::vector<Local>            offsets_;
  std::vector<Mask>             lanes_;
  std::vector<AlikeRows>        runs_;
  std::vector<RowKind>          kinds_; // of rows of a group
  std::vector<Local>            known_; // offsets
  std::int64_t                  full_ = 0, masked_ = 0, others_ = 0, uneven_ = 0;
};

} // namespace petscspmv::ccoo
