#pragma once

/// \file unit_image.hpp
/// Which rows of a unit have which slots of its pattern.

#include <algorithm>
#include <numeric>
#include <vector>

#include "impls/ccoo/ccoo_image.hpp"

namespace petscspmv::ccoo::image {

/// Calls visit(number of the slot in m.slot, lanes) for each slot of a pattern by ascending offsets, as entries follow
/// each other in a row; lanes(visit) calls visit(lane) for each lane that has it.
template <class Scalar, class Visit> void for_each_slot(const Image<Scalar> &m, const Pattern &p, const Visit &visit)
{
  const Slot<Scalar> *const slot = m.slot.data() + p.first_slot;
  std::vector<int>          order(p.slots);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [slot](int k, int l) { return slot[k].offset < slot[l].offset; });
  for (const int k : order) {
    const std::uint32_t *const word =
      k < p.full ? nullptr : m.lanes_of_slots.data() + p.first_lanes + (k - p.full) / 32 * DeviceGroup::rows;
    visit(p.first_slot + static_cast<std::size_t>(k), [&](const auto &visit_lane) {
      for (int lane = 0; lane < DeviceGroup::rows; ++lane)
        if (!word || (word[lane] >> (k - p.full) % 32 & 1) != 0) visit_lane(lane);
    });
  }
}

} // namespace petscspmv::ccoo::image
