#pragma once

/// \file costs.hpp
/// What tiles are predicted to cost, by which their kinds are chosen.

#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/plan/plan.hpp"
#include "kernels/coding/values.hpp"

namespace petscspmv::ccoo {

/// Predicted nanoseconds, and bytes, under some rules.
template <class Scalar> class Costs {
public:
  /// `rules` stay where they are.
  explicit Costs(const Rules &rules) : rules_(rules) { }

  double value_bytes(const Tile &t) const { return static_cast<double>(kernels::coded_bytes<Scalar>(t.coding, t.values)); }

  /// To read and decode the values of a tile.
  double values(const Tile &t) const { return t.values * rules_.coding.decode[t.coding] + value_bytes(t) * rules_.cost.byte; }

  /// A gather tile with so many entries in groups of `group_rows` nodes of `node` rows, which have so many different
  /// lengths, but for its values.
  double gather(double entries, double groups, double lengths, int group_rows, int node) const
  {
    const tuning::Cost &c = rules_.cost;
    return entries * (c.product + (c.gathered + 2 * c.byte) / node) + groups * (c.gather_group + group_rows * c.scattered_row) +
           lengths * c.length;
  }

  /// To read x and write y.
  double vectors(const Tile &t) const { return t.rows * 2 * double(sizeof(Scalar)) * rules_.cost.byte; }

private:
  const Rules &rules_;
};

} // namespace petscspmv::ccoo
