#pragma once

/// \file diagonals.hpp
/// Diagonal tiles: whether the rows of a tile have slots in common, and which of their values go with the patterns.

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_set>
#include <vector>

#include "impls/ccoo/plan/costs.hpp"
#include "impls/ccoo/plan/groups.hpp"
#include "impls/ccoo/plan/known_groups.hpp"
#include "impls/ccoo/plan/plan.hpp"
#include "kernels/coding/tables.hpp"

namespace petscspmv::ccoo {

/// The coding of some values of a tile. On a device those of tiles are raw.
template <class Scalar>
kernels::CodingChoice choose_coding(const Rules &rules, kernels::TableBuilder<Scalar> &tables, std::span<const Scalar> values)
{
  return rules.on_host ? tables.choose(values) : kernels::CodingChoice{};
}
inline void set_coding(Tile &t, const kernels::CodingChoice &choice)
{
  t.coding = choice.coding;
  t.table  = choice.table;
}

/// Makes diagonal tiles of a region, one after the other, of rows whose columns ascend.
template <class Scalar, class Index, class Group> class Diagonals {
  static constexpr int group_rows = Group::rows;
  using Mask                      = typename Group::Mask;
  using SlotView                  = ccoo::SlotView<Mask>;
  using View                      = CsrView<Scalar, Index>;

public:
  /// Patterns and runs go to `out`, tables to `tables`. All stay where they are, and so does `other`, whose groups are
  /// known beforehand.
  Diagonals(const View &a, const Rules &rules, kernels::TableBuilder<Scalar> &tables, Region<Scalar, Group> &out,
            const Region<Scalar, Group> &other)
    : a_(a), rules_(rules), costs_(rules), tables_(tables), out_(out), known_(a, out.pool, other.known, other.pool), groups_(a)
  {
  }

  /// Makes a diagonal tile if half of its groups or more have patterns already, with their values: those of tiles for
  /// which these were better than anything else. False, and nothing is done, if what the others would add is too much.
  bool make_known(Tile &t)
  {
    std::size_t unknown = 0;
    ids_.clear();
    for (Local row = t.row; row < t.row + t.rows; row += group_rows) {
      ids_.push_back(known_.find(row, rows_of_group(t, row)));
      unknown += ids_.back() == known_.none;
      if (2 * unknown * group_rows > static_cast<std::size_t>(t.rows)) return false;
    }
    if (unknown > 0 && !add_unknown(t)) return false;
    become_diagonal(t, true);
    if (unknown > 0) add_known(t);
    return true;
  }

  /// The slots of all groups; false as soon as it is sure that a gather tile is cheaper, even if all values were with
  /// the patterns, or if the columns of a row do not ascend. `lengths`: how many different ones its rows have.
  bool find(const Tile &t, int lengths, bool forced)
  {
    lengths_of_group_ = static_cast<double>(lengths) * group_rows / t.rows;
    groups_.clear();
    std::int64_t seen = 0;
    for (Local row = t.row; row < t.row + t.rows; row += group_rows) {
      const int rows = rows_of_group(t, row);
      if (!groups_.add(row, rows, most_slots(a_.row_ptr[row + rows] - a_.row_ptr[row]))) return false;
      seen += groups_.list().back().entries;
      const bool asks = groups_.list().size() % 8 == 0 || row + rows == t.row + t.rows;
      if (!forced && asks && is_hopeless(seen, row, t.gather.node)) return false;
    }
    return true;
  }

  /// Makes a diagonal tile, whose values go with the patterns where that takes less than coding them; false if a gather
  /// tile is better.
  bool make(Tile &t, bool forced)
  {
    const std::size_t before = out_.pool.size(), bytes = out_.pool.bytes();
    bool              pooled = add_with_values(t);
    const auto        added  = static_cast<double>(out_.pool.bytes() - bytes);
    if (!pooled || added > t.values / 2.0) {
      set_coding(t, choose_coding<Scalar>(rules_, tables_, {a_.val + a_.row_ptr[t.row], t.values}));
      pooled = pooled && (added < costs_.value_bytes(t) || suits_strips(t, added, forced));
    }
    if (!pooled) {
      out_.pool.cut(before);
      if (!make_streamed(t, forced)) return false;
    }
    become_diagonal(t, pooled);
    if (pooled && !rules_.on_host) add_known(t);
    t.cost = static_cast<float>(cost() * (pooled ? tuning::strips_cost : 1) + costs_.values(t) + costs_.vectors(t));
    return true;
  }

  /// The groups of all diagonal tiles that have all values with their patterns; the last call.
  std::vector<KnownGroup> known() { return std::move(known_).list(); }

private:
  static int rows_of_group(const Tile &t, Local row) { return static_cast<int>(std::min<Local>(group_rows, t.row + t.rows - row)); }

  /// `pooled`: all values are with the patterns.
  void become_diagonal(Tile &t, bool pooled)
  {
    t.kind        = Kind::diagonal;
    t.gather.node = 1;
    if (pooled) {
      t.values = 0;
      t.coding = kernels::plain_coding;
    }
    add_runs(t);
  }

  /// Patterns with values for those groups of a tile that have no number.
  bool add_unknown(const Tile &t)
  {
    const std::size_t before = out_.pool.size(), bytes = out_.pool.bytes();
    Local             row = t.row;
    for (std::uint32_t &id : ids_) {
      const int rows = rows_of_group(t, row);
      if (id == known_.none) {
        groups_.clear();
        if (!groups_.add(row, rows, most_slots(a_.row_ptr[row + rows] - a_.row_ptr[row]))) break;
        id = add_with_values(row, groups_.list().front());
      }
      row += group_rows;
    }
    if (row >= t.row + t.rows && static_cast<double>(out_.pool.bytes() - bytes) <= t.values / 2.0) return true;
    out_.pool.cut(before);
    return false;
  }

  void add_known(const Tile &t)
  {
    Local row = t.row;
    for (const std::uint32_t pattern : ids_) {
      if (known_.add(pattern, row, rows_of_group(t, row))) kept_keys_.insert(key_of(row, rows_of_group(t, row)));
      row += group_rows;
    }
  }

  /// `row`: of the last group so far.
  bool is_hopeless(std::int64_t seen, Local row, int node)
  {
    const double gather = gather_cost(seen, node);
    if (cost() <= gather) return false;
    if (cost() * rules_.cost.repeated > gather + static_cast<double>(seen) * sizeof(Scalar) * rules_.cost.byte) return true;
    if (2 * static_cast<std::int64_t>(groups_.kept()) < groups_.full() + groups_.masked()) return false;
    return rules_.cost.repeated >= 1 || !has_value_of_each_slot(row, groups_.list().back()); // short lines of a stencil have
  }
  /// And more than one entry to tell by.
  bool has_value_of_each_slot(Local row, const GroupSlots &group)
  {
    return group.entries >= 2 * group.slots && groups_.take_value_of_each_slot(row, group, values_);
  }

  /// On the host: few values, so that eight groups with their values, which take `added` bytes, are likely to have few
  /// slots together.
  bool suits_strips(const Tile &t, double added, bool forced) const
  {
    const auto   most  = kernels::table_limit(t.coding);
    const double other = forced ? cost() : std::min(cost(), gather_cost(t.values, t.gather.node));
    return rules_.on_host && most > 0 && most <= 16 && rules_.strips != When::never && added <= t.values * double(sizeof(Scalar)) &&
           cost() * tuning::strips_cost + added * rules_.cost.byte < other + costs_.values(t);
  }

  double cost() const
  {
    const tuning::Cost &c = rules_.cost;
    return static_cast<double>(groups_.full()) * c.slot + static_cast<double>(groups_.masked()) * c.masked_slot +
           static_cast<double>(groups_.list().size()) * c.group + static_cast<double>(groups_.others()) * c.other_group +
           static_cast<double>(groups_.uneven()) * c.uneven_group +
           static_cast<double>(groups_.kept() * (sizeof(Local) + sizeof(Mask))) * c.byte;
  }

  /// Slots of a wide group from which on there is no hope for its tile: finding many would take long.
  std::int64_t most_slots(Index entries) const
  {
    if (group_rows == HostGroup::rows || rules_.tile == TileChoice::diagonal) return std::numeric_limits<std::int64_t>::max();
    const tuning::Cost &c = rules_.cost;
    return 16 +
           static_cast<std::int64_t>(4 * entries * (c.product + c.gathered + (sizeof(Scalar) + sizeof(Local)) * c.byte) / c.masked_slot);
  }

  /// The patterns without their values, or with some of them; false, and nothing is done, if a gather tile is better.
  bool make_streamed(Tile &t, bool forced)
  {
    if (!forced && !rules_.on_host && t.gather.node > 1) return false;
    const std::size_t before = out_.pool.size(), bytes = out_.pool.bytes();
    const Tile        all    = t;
    const double      gather = gather_cost(t.values, t.gather.node) + costs_.values(t);
    if (!add_mixed(t)) add_streamed(t);
    const auto structure = static_cast<double>(out_.pool.bytes() - bytes);
    if (forced || (cost() + costs_.values(t) <= gather && structure <= all.values * double(sizeof(Index)) + t.rows)) return true;
    out_.pool.cut(before);
    t = all;
    return false;
  }

  double gather_cost(std::int64_t entries, int node) const
  {
    const auto groups = static_cast<double>(groups_.list().size());
    return costs_.gather(static_cast<double>(entries), groups, groups * lengths_of_group_, group_rows, node);
  }

  /// Numbers in the pool, with values; false if groups seem not to repeat.
  bool add_with_values(const Tile &t)
  {
    constexpr std::size_t trial = 16;
    ids_.clear();
    if (!rules_.on_host && nothing_repeats(t)) return false;
    std::size_t known = 0;
    Local       row   = t.row;
    for (const GroupSlots &g : groups_.list()) {
      const std::size_t size = out_.pool.size();
      ids_.push_back(add_with_values(row, g));
      known += out_.pool.size() == size;
      if (ids_.size() == trial && known == 0) return false;
      row += group_rows;
    }
    return true;
  }

  /// The number of the pattern of a group with all of its values.
  std::uint32_t add_with_values(Local row, const GroupSlots &g)
  {
    const bool constant = groups_.take_value_of_each_slot(row, g, values_);
    if (!constant) groups_.take_values(row, g, values_);
    return out_.pool.add(groups_.slots(g), g.entries, constant ? PatternValues::by_slot : PatternValues::packed, values_, row);
  }

  /// True if it is sure that no group has the values of another one, of this tile or of the pool: then some of their
  /// rows tell, and few values are read.
  bool nothing_repeats(const Tile &t)
  {
    keys_.clear();
    Local row = t.row;
    for (const GroupSlots &g : groups_.list()) {
      if (groups_.take_value_of_each_slot(row, g, values_)) return false;
      keys_.push_back(key_of(row, rows_of_group(t, row)));
      if (kept_keys_.contains(keys_.back())) return false;
      row += group_rows;
    }
    std::sort(keys_.begin(), keys_.end());
    return std::adjacent_find(keys_.begin(), keys_.end()) == keys_.end();
  }
  /// Of a few of the rows from `row` on: groups that are alike have the same. The first one alone is often that of
  /// other groups, where values are of few kinds.
  std::uint64_t key_of(Local row, Local rows) const
  {
    constexpr Local looks = 4;
    std::uint64_t   key   = 0;
    for (Local k = 0; k < looks; ++k) {
      const Local r = row + (rows - 1) * k / looks;
      key           = kernels::mix(key, static_cast<std::uint64_t>(a_.row_ptr[r + 1] - a_.row_ptr[r]));
      for (Index i = a_.row_ptr[r]; i < a_.row_ptr[r + 1]; ++i) key = kernels::mix(key, a_.val[i]);
    }
    return key;
  }

  /// Numbers in the pool, with the values of slots that have one in their group, for instance where only a diagonal
  /// changes from row to row. The others are the tile's. False, and nothing is done, if this does not save enough.
  bool add_mixed(Tile &t)
  {
    const std::size_t before = out_.pool.size(), bytes = out_.pool.bytes();
    std::size_t       seen = 0;
    Local             row  = t.row;
    ids_.clear();
    streamed_.clear();
    for (const GroupSlots &g : groups_.list()) {
      if (g.slots > most_mixed_slots) break;
      add_mixed_group(row, g);
      seen += g.entries;
      if (100 * streamed_.size() > tuning::mixed_percent * seen) break;
      row += group_rows;
    }
    if (ids_.size() == groups_.list().size()) {
      const kernels::CodingChoice choice = choose_coding<Scalar>(rules_, tables_, streamed_);
      const auto                  added  = static_cast<double>(out_.pool.bytes() - bytes);
      const auto                  coded  = static_cast<double>(kernels::coded_bytes<Scalar>(choice.coding, streamed_.size()));
      if (100 * (added + coded) <= tuning::mixed_percent * costs_.value_bytes(t)) {
        set_coding(t, choice);
        t.values = static_cast<std::uint32_t>(streamed_.size());
        t.mixed  = t.values > 0;
        return true;
      }
    }
    out_.pool.cut(before);
    return false;
  }
  void add_mixed_group(Local row, const GroupSlots &g)
  {
    const SlotView    s       = groups_.slots(g);
    const std::size_t before  = streamed_.size();
    std::uint32_t     streams = 0;
    groups_.take_values(row, g, values_);
    constants_.clear();
    const Scalar *value = values_.data();
    for (int k = 0; k < s.slots; ++k) {
      const Scalar *const end = value + count_lanes(s.lanes[k]);
      if (std::all_of(value, end, [&](Scalar v) { return kernels::same_bits(v, *value); })) constants_.push_back(*value);
      else {
        streams |= std::uint32_t(1) << k;
        constants_.push_back(0);
        streamed_.insert(streamed_.end(), value, end);
      }
      value = end;
    }
    const std::size_t streamed = streamed_.size() - before;
    const auto kind = streamed == 0 ? PatternValues::by_slot : streamed == g.entries ? PatternValues::streamed : PatternValues::mixed;
    if (kind == PatternValues::streamed) constants_.clear();
    ids_.push_back(out_.pool.add(s, g.entries, kind, constants_, row, kind == PatternValues::mixed ? streams : 0));
  }

  void add_streamed(const Tile &t)
  {
    ids_.clear();
    Local row = t.row;
    for (std::size_t i = 0; i < groups_.list().size(); ++i, row += group_rows) {
      const GroupSlots &g = groups_.list()[i];
      if (i > 0 && g.first_slot == groups_.list()[i - 1].first_slot && g.slots == groups_.list()[i - 1].slots) ids_.push_back(ids_.back());
      else ids_.push_back(out_.pool.add(groups_.slots(g), g.entries, PatternValues::streamed, {}, row));
    }
  }

  void add_runs(Tile &t)
  {
    t.diagonal.run = out_.runs.size();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (i > 0 && ids_[i] == ids_[i - 1]) ++out_.runs.back().groups;
      else out_.runs.push_back({ids_[i], 1});
    }
    t.diagonal.runs = static_cast<std::uint32_t>(out_.runs.size() - t.diagonal.run);
  }

  const View                       &a_;
  const Rules                      &rules_;
  Costs<Scalar>                     costs_;
  kernels::TableBuilder<Scalar>    &tables_;
  Region<Scalar, Group>            &out_;
  KnownGroups<Scalar, Index, Group> known_;     // of all tiles whose values are in the pool,
  std::unordered_set<std::uint64_t> kept_keys_; // and their keys

  // of the tile at hand
  Groups<Scalar, Index, Group> groups_;
  double                       lengths_of_group_ = 0;
  std::vector<std::uint32_t>   ids_;
  std::vector<std::uint64_t>   keys_;
  std::vector<Scalar>          values_, constants_, streamed_;
};

} // namespace petscspmv::ccoo
