#pragma once

/// \file tables.hpp
/// Which coding suits some values.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/coding/number_index.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/coding/values.hpp"

namespace petscspmv::kernels {

/// What some values were coded as.
struct CodingChoice {
  Coding        coding = plain_coding;
  std::uint32_t table  = 0; ///< number of the table, where the coding has one
};

/// Tables that are filled while codings are chosen; each is used by one set of values after the other for as long as it
/// has room.
template <class Scalar> class TableBuilder {
public:
  explicit TableBuilder(const CodingRules &rules) : rules_(rules) { }

  /// The cheapest coding that keeps every one of the values bit for bit; in the place of raw one that loses bits, if
  /// the rules allow it and all values are in its range. `and_zero`: there is a zero besides, or more than one.
  CodingChoice choose(std::span<const Scalar> values, bool and_zero = false)
  {
    if (values.empty()) return {};
    CodingChoice choice = choose_exact(values, and_zero);
    for_each_coding([&](auto c) {
      if (choice.coding >= plain_coding && c > choice.coding && c <= rules_.losing && keeps_all<c>(values)) choice.coding = c;
    });
    return choice;
  }

  /// All tables, in the order of their numbers.
  std::vector<std::vector<Scalar>> tables() &&
  {
    for_each_coding([this](Coding c) { keep(c); });
    return std::move(tables_);
  }

private:
  struct Filling {
    bool                   open   = false;
    std::size_t            number = 0;
    DistinctValues<Scalar> distinct;
  };

  CodingChoice choose_exact(std::span<const Scalar> values, bool and_zero)
  {
    if (is_constant(values) && (!and_zero || same_bits(values[0], Scalar(0))))
      if (rules_.automatic || table_limit(rules_.wanted) == 1) return {Coding::constant, constant_table(values[0])};
    CodingChoice choice;
    if (!rules_.automatic) {
      if (visit_coding(rules_.wanted, [&](auto c) { return keeps_all<c>(values); })) return {rules_.wanted};
      if (table_limit(rules_.wanted) > 1 && is_allowed(rules_.wanted)) try_table(rules_.wanted, values, and_zero, choice);
      return choice;
    }
    const auto          cost = [&](Coding c) { return rules_.cost<Scalar>(c, values.size()); };
    std::vector<Coding> tables;
    for_each_coding([&](auto c) {
      if (table_limit(c) > 1) tables.push_back(c);
      else if (c < plain_coding && cost(c) <= cost(choice.coding) && keeps_all<c>(values)) choice.coding = c;
    });
    std::stable_sort(tables.begin(), tables.end(), [&](Coding a, Coding b) { return cost(a) < cost(b); });
    for (const Coding c : tables) {
      if (cost(c) > cost(choice.coding)) break;
      if (is_allowed(c) && try_table(c, values, and_zero, choice)) break;
    }
    return choice;
  }

  Filling    &filling(Coding c) { return filling_[static_cast<std::size_t>(c)]; }
  bool        is_allowed(Coding c) const { return table_limit(c) <= rules_.limit; }
  static bool is_constant(std::span<const Scalar> values)
  {
    return std::all_of(values.begin(), values.end(), [&](const Scalar &v) { return same_bits(v, values[0]); });
  }

  std::uint32_t constant_table(Scalar value)
  {
    if (constant_ < 0 || !same_bits(tables_[static_cast<std::size_t>(constant_)][0], value)) {
      constant_ = std::ssize(tables_);
      tables_.push_back({value});
    }
    return static_cast<std::uint32_t>(constant_);
  }

  /// First in the table that is being filled, then in a new one.
  bool try_table(Coding c, std::span<const Scalar> values, bool and_zero, CodingChoice &choice)
  {
    Filling &f = filling(c);
    if (!f.open || !add_all(c, values, and_zero, f.distinct)) {
      DistinctValues<Scalar> fresh;
      if (!add_all(c, values, and_zero, fresh)) return false;
      keep(c);
      f.open     = true;
      f.number   = tables_.size();
      f.distinct = std::move(fresh);
      tables_.emplace_back();
    }
    choice = {c, static_cast<std::uint32_t>(f.number)};
    return true;
  }

  /// False, and nothing is changed, if there is no room or if the table would grow too fast against what it saves.
  bool add_all(Coding c, std::span<const Scalar> values, bool and_zero, DistinctValues<Scalar> &distinct) const
  {
    constexpr std::int64_t patience = 512; // values that may be new before it matters how many are
    const std::int64_t     before = distinct.size(), limit = std::min(table_limit(c), rules_.largest), n = std::ssize(values);
    std::int64_t           i = 0;
    if (and_zero) distinct.add(Scalar(0));
    for (; i < n; ++i) {
      if (i > 0 && same_bits(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(i - 1)])) continue;
      distinct.add(values[static_cast<std::size_t>(i)]);
      const std::int64_t added = distinct.size() - before;
      if (distinct.size() > limit || (rules_.automatic && 4 * added > i + 4 * patience)) break;
    }
    if (i == n && (!rules_.automatic || 4 * (distinct.size() - before) <= n)) return true;
    distinct.cut(before);
    return false;
  }

  void keep(Coding c)
  {
    Filling &f = filling(c);
    if (!f.open) return;
    std::vector<Scalar> &table = tables_[f.number] = f.distinct.values();
    if (table_limit(c) == 16) table.resize(16); // kernels read all of it at once
    f.open = false;
  }

  CodingRules                       rules_;
  std::vector<std::vector<Scalar>>  tables_;
  std::array<Filling, coding_count> filling_;       // by coding
  std::int64_t                      constant_ = -1; // the last table of one value
};

} // namespace petscspmv::kernels
