#pragma once

/// \file diagonals.hpp
/// Diagonal tiles: whether the rows of a tile have slots in common, and which of their values go with the patterns.

#include <algorithm>
#include <span>
#include <vector>

#include "impls/ccoo/plan/groups.hpp"
#include "impls/ccoo/plan/plan.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/coding/values.hpp"

namespace petscspmv::ccoo {

/// What tiles are predicted to cost under some rules, by which their kinds are chosen: nanoseconds, and bytes.
template <class Scalar> class Costs {
public:
  /// `rules` stay where they are.
  explicit Costs(const Rules &rules) : rules_(rules) { }

  template <class Tile> double value_bytes(const Tile &t) const { return double(kernels::coded_bytes<Scalar>(t.coding, t.values)); }

  /// To read and decode the values of a tile.
  template <class Tile> double values(const Tile &t) const
  {
    return t.values * rules_.coding.decode[t.coding] + value_bytes(t) * rules_.cost.byte;
  }

  /// A gather tile with so many entries in groups of `group_rows` nodes of `node` rows, which have so many different
  /// lengths, but for its values.
  double gather(double entries, double groups, double lengths, int group_rows, int node) const
  {
    const tuning::Cost &c = rules_.cost;
    return entries * (c.product + (c.gathered + 2 * c.byte) / node) + groups * (c.gather_group + group_rows * c.scattered_row) +
           lengths * c.length;
  }

private:
  const Rules &rules_;
};

/// Makes diagonal tiles of a region, one after the other, of rows whose columns ascend. A machine derives from it,
/// which has
///
/// - most_slots(entries): slots of a group with so many entries from which on there is no hope for its tile;
/// - may_repeat(tile): false if it is sure that no group has the values of another one;
/// - choose(values), and set_coding(tile, choice, mixed): the coding of values that are the tile's;
/// - suits_strips(tile, bytes, forced): keep all values with the patterns, although they take so many bytes;
/// - may_stream(tile): make a tile whose patterns have not all values;
/// - made(tile, pooled): the tile is done. `pooled`: all values are with the patterns.
template <class Machine, class Scalar, class Index, class Group> class Diagonals {
protected:
  static constexpr int group_rows = Group::rows;
  using Mask                      = typename Group::Mask;
  using SlotView                  = ccoo::SlotView<Mask>;
  using View                      = CsrView<Scalar, Index>;
  using Tile                      = typename Group::Tile;
  using Rules                     = typename Group::Rules;
  using Region                    = ccoo::Region<Scalar, Group>;

public:
  /// Patterns and runs go to `out`. All stay where they are.
  Diagonals(const View &a, const Rules &rules, Region &out) : a_(a), rules_(rules), costs_(rules), out_(out), groups_(a) { }

  /// The slots of all groups; false as soon as it is sure that a gather tile is cheaper, even if all values were with
  /// the patterns, or if the columns of a row do not ascend. `lengths`: how many different ones its rows have.
  bool find(const Tile &t, int lengths, bool forced)
  {
    constexpr std::int64_t many_entries = 1 << 14; // whose slots take as long to find as those of eight groups of a stencil
    lengths_of_group_                   = static_cast<double>(lengths) * group_rows / t.rows;
    groups_.clear();
    std::int64_t seen = 0, asked = 0;
    for (Local row = t.row; row < t.row + t.rows; row += group_rows) {
      const int rows = rows_of_group(t, row);
      if (!groups_.add(row, rows, machine().most_slots(a_.row_ptr[row + rows] - a_.row_ptr[row]))) return false;
      seen += groups_.list().back().entries;
      const bool asks = groups_.list().size() % 8 == 0 || seen - asked >= many_entries || row + rows == t.row + t.rows;
      if (forced || !asks) continue;
      if (is_hopeless(seen, row, t.gather.node)) return false;
      asked = seen;
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
      machine().set_coding(t, machine().choose({a_.val + a_.row_ptr[t.row], t.values}), false);
      pooled = pooled && (added < costs_.value_bytes(t) || machine().suits_strips(t, added, forced));
    }
    if (!pooled) {
      out_.pool.cut(before);
      if (!make_streamed(t, forced)) return false;
    }
    become_diagonal(t, pooled);
    machine().made(t, pooled);
    return true;
  }

protected:
  static int rows_of_group(const Tile &t, Local row) { return static_cast<int>(std::min<Local>(group_rows, t.row + t.rows - row)); }

  /// `pooled`: all values are with the patterns.
  void become_diagonal(Tile &t, bool pooled)
  {
    t.kind        = Kind::diagonal;
    t.gather.node = 1;
    if (pooled) {
      t.values = 0;
      machine().set_coding(t, {}, false);
    }
    add_runs(t);
  }

  /// The number of the pattern of a group with all of its values.
  std::uint32_t add_with_values(Local row, const GroupSlots &g)
  {
    const bool constant = groups_.take_value_of_each_slot(row, g, values_);
    if (!constant) groups_.take_values(row, g, values_);
    return out_.pool.add(groups_.slots(g), g.entries, constant ? PatternValues::by_slot : PatternValues::packed, values_, row);
  }

  double cost() const
  {
    const tuning::Cost &c = rules_.cost;
    return static_cast<double>(groups_.full()) * c.slot + static_cast<double>(groups_.masked()) * c.masked_slot +
           static_cast<double>(groups_.list().size()) * c.group + static_cast<double>(groups_.others()) * c.other_group +
           static_cast<double>(groups_.uneven()) * c.uneven_group +
           static_cast<double>(groups_.kept() * (sizeof(Local) + sizeof(Mask))) * c.byte;
  }

  double gather_cost(std::int64_t entries, int node) const
  {
    const auto groups = static_cast<double>(groups_.list().size());
    return costs_.gather(static_cast<double>(entries), groups, groups * lengths_of_group_, group_rows, node);
  }

  const View   &a_;
  const Rules  &rules_;
  Costs<Scalar> costs_;
  Region       &out_;

  // of the tile at hand
  Groups<Scalar, Index, Group> groups_;
  std::vector<std::uint32_t>   ids_;
  std::vector<Scalar>          values_;

private:
  Machine &machine() { return static_cast<Machine &>(*this); }

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

  /// The patterns without their values, or with some of them; false, and nothing is done, if a gather tile is better.
  bool make_streamed(Tile &t, bool forced)
  {
    if (!forced && !machine().may_stream(t)) return false;
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

  /// Numbers in the pool, with values; false if groups seem not to repeat.
  bool add_with_values(const Tile &t)
  {
    constexpr std::size_t trial = 16;
    ids_.clear();
    if (!machine().may_repeat(t)) return false;
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
      const kernels::CodingChoice choice = machine().choose(streamed_);
      const auto                  added  = static_cast<double>(out_.pool.bytes() - bytes);
      const auto                  coded  = static_cast<double>(kernels::coded_bytes<Scalar>(choice.coding, streamed_.size()));
      if (100 * (added + coded) <= tuning::mixed_percent * costs_.value_bytes(t)) {
        t.values = static_cast<std::uint32_t>(streamed_.size());
        machine().set_coding(t, choice, t.values > 0);
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

  double              lengths_of_group_ = 0; // of the tile at hand
  std::vector<Scalar> constants_, streamed_;
};

} // namespace petscspmv::ccoo
