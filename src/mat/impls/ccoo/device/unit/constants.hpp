#pragma once

/// \file constants.hpp
/// New values of an image on a device all of whose values are with patterns, found on the host: to compare all values
/// takes as long as to read them once, to bring them to the device several times that.

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "impls/ccoo/device/host_kind.hpp"
#include "impls/ccoo/device/unit/unit_arrays.hpp"
#include "kernels/coding/float_bits.hpp"
#include "kernels/host/parallel.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar> using Units = Part<UnitKind, Scalar>;

/// Calls visit(number of the slot in m.slot, lanes) for each slot of a pattern by ascending offsets, as entries follow
/// each other in a row; lanes(visit) calls visit(lane) for each lane that has it.
template <class Scalar, class Visit> void for_each_slot(const Units<Scalar> &m, const Pattern &p, const Visit &visit)
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

/// The values of a matrix of the same pattern, for an image that has units with their patterns, and nothing else.
template <class Scalar, class Index> class ConstantsRenewal {
public:
  ConstantsRenewal(Units<Scalar> &m, const CsrView<Scalar, Index> &a, int threads) : m_(m), a_(a), threads_(threads) { }

  /// Slots and values of patterns; false if a unit does not have the values that its pattern would have.
  bool run()
  {
    if (!are_alike()) return false;
    for (std::size_t p = 0; p < m_.pattern.size(); ++p)
      if (m_.model[p].end > 0 && !take_values(m_.pattern[p], m_.model[p])) return false;
    return true;
  }

private:
  /// Whether all units have the values of the model of their pattern, with which they share it and so the entries.
  bool are_alike() const
  {
    constexpr std::int64_t batch = 128;
    std::atomic<bool>      alike = true;
    kernels::try_each_batch(threads_, std::ssize(m_.unit), batch, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end && alike.load(std::memory_order_relaxed); ++i)
        if (const Unit &u = m_.unit[static_cast<std::size_t>(i)]; !have_values(a_, u.row, u.end, u.row - m_.model[u.pattern].row))
          alike = false;
    });
    return alike;
  }

  /// A row's entries ascend as offsets do. False if a slot that has one value would have several.
  bool take_values(const Pattern &p, const Unit &u)
  {
    std::vector<Index> next(a_.row_ptr + u.row, a_.row_ptr + u.end); // entry of each lane
    bool               fits = true;
    for_each_slot(m_, p, [&](std::size_t number, const auto &lanes) {
      Slot<Scalar> &slot     = m_.slot[number];
      bool          is_first = true;
      std::uint32_t place    = p.first_value + slot.before;
      lanes([&](int lane) {
        const Scalar value = a_.val[next[static_cast<std::size_t>(lane)]++];
        if (p.first_value != Pattern::by_slot) m_.pattern_value[place++] = value;
        else if (std::exchange(is_first, false)) slot.value = value;
        else fits = fits && kernels::same_bits(slot.value, value);
      });
    });
    return fits;
  }

  Units<Scalar>                &m_;
  const CsrView<Scalar, Index> &a_;
  const int                     threads_;
};

} // namespace petscspmv::ccoo::image
