#pragma once

/// \file known_groups.hpp
/// Groups of rows that are, with their values, like one that has a pattern already, as most of a grid with constant
/// coefficients are. To compare rows is all that they take, several times less than to find slots.

#include <limits>
#include <utility>
#include <vector>

#include "impls/ccoo/plan/pool.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo {

/// So many rows from `row` on, which have a pattern with all of their values.
struct KnownGroup {
  Local         row;
  int           rows;
  std::uint32_t pattern;
};

/// Those of a region. Where it has none that is like a group, the ones of another region are looked at.
template <class Scalar, class Index, class Group> class KnownGroups {
  using Pool = PatternPool<Scalar, Group>;

public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Patterns go to `pool`. `others` with the patterns of `their_pool` are known beforehand.
  KnownGroups(const CsrView<Scalar, Index> &a, Pool &pool, const std::vector<KnownGroup> &others, const Pool &their_pool)
    : a_(a), pool_(pool), others_(others), their_pool_(their_pool)
  {
  }

  /// All values of these rows are with the pattern. False if there was such a group before.
  bool add(std::uint32_t pattern, Local row, int rows)
  {
    if (pattern >= place_.size()) place_.resize(pattern + std::size_t(1), none);
    const bool is_new = place_[pattern] == none;
    if (is_new) {
      place_[pattern] = static_cast<std::uint32_t>(list_.size());
      list_.push_back({row, rows, pattern});
      next_.push_back(none);
    }
    last_        = place_[pattern];
    list_[last_] = {row, rows, pattern}; // which may end sooner, where others end with rows without entries
    return is_new;
  }

  /// The pattern of so many rows from `row` on, or none. Tries what came behind the last one before, and then the
  /// latest ones.
  std::uint32_t find(Local row, int rows)
  {
    constexpr std::size_t most = 32; // tried; a grid of any three sizes has fewer
    const std::uint32_t   next = list_.empty() ? none : next_[last_];
    if (next != none && is_like(list_[next], row, rows)) return found(next, row);
    for (std::size_t i = list_.size(); i-- > list_.size() - std::min(most, list_.size());)
      if (i != next && is_like(list_[i], row, rows)) {
        next_[last_] = static_cast<std::uint32_t>(i);
        return found(i, row);
      }
    for (std::size_t i = 0; i < std::min(most, others_.size()); ++i)
      if (is_like(others_[i], row, rows)) {
        const std::uint32_t pattern = pool_.add(their_pool_, others_[i].pattern);
        add(pattern, row, rows);
        return pattern;
      }
    return none;
  }

  std::vector<KnownGroup> list() && { return std::move(list_); }

private:
  std::uint32_t found(std::size_t i, Local row)
  {
    list_[i].row = row; // the likeliest to be in a cache
    last_        = i;
    return list_[i].pattern;
  }

  bool is_like(const KnownGroup &g, Local row, int rows) const
  {
    const Local before = row - g.row;
    return g.rows == rows && a_.row_ptr[row + rows] - a_.row_ptr[row] == a_.row_ptr[g.row + rows] - a_.row_ptr[g.row] &&
           have_offsets(a_, row, row + 1, before) && have_offsets(a_, row, row + rows, before) && have_values(a_, row, row + rows, before);
  }

  const CsrView<Scalar, Index>  &a_;
  Pool                          &pool_;
  const std::vector<KnownGroup> &others_;
  const Pool                    &their_pool_;
  std::vector<KnownGroup>        list_;  ///< as they came, each with the latest group that is like it
  std::vector<std::uint32_t>     next_;  ///< what came behind each, or none
  std::vector<std::uint32_t>     place_; ///< in the list, by pattern, or none
  std::size_t                    last_ = 0;
};

} // namespace petscspmv::ccoo
