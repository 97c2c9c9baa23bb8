#pragma once

/// \file shared_values.hpp
/// Values that rows of a unit share (SharedValues): how they are found, filled and decoded.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/device/unit/unit_arrays.hpp"
#include "impls/ccoo/device/unit/unit_tuning.hpp"
#include "impls/ccoo/plan/group.hpp"
#include "impls/ccoo/tiles/diagonal.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo::image {

/// The stretches of rows first .. end - 1; nothing if sharing would not save enough. Rows of a stretch have the same
/// offsets, too, so that their entries are in the same slots.
template <class Scalar, class Index> std::optional<SharedValues> find_stretches(const CsrView<Scalar, Index> &a, Local first, Local end)
{
  const auto   entries = static_cast<std::size_t>(a.row_ptr[end] - a.row_ptr[first]);
  SharedValues s{};
  for (Local row = first; row < end; ++row) {
    if (row > first && have_offsets(a, row, row + 1, 1) && have_values(a, row, row + 1, 1)) continue;
    s.begins[(row - first) / lanes] |= std::uint32_t(1) << (row - first) % lanes;
    s.each = std::max(s.each, static_cast<std::uint32_t>(a.row_ptr[row + 1] - a.row_ptr[row]));
    ++s.stretches;
    if (s.size() * tuning::device_least_sharing > entries) return {};
  }
  return s;
}

/// Calls visit(row, place of its values among those of the unit) for the first row of each stretch.
template <class Visit> void for_each_stretch(const SharedValues &s, const Visit &visit)
{
  std::size_t place = 0;
  for (int row = 0; row < DeviceGroup::rows; ++row)
    if ((s.begins[row / lanes] >> row % lanes & 1) != 0) {
      visit(row, place);
      place += s.each;
    }
}

/// Writes the values of a unit that begins with row `first`: those of a row in the `order` in which slots are kept.
template <class Scalar, class Index, class Kept>
void fill_shared_values(const CsrView<Scalar, Index> &a, Local first, const SharedValues &s, const SlotView<DeviceGroup::Mask> &slots,
                        const std::vector<int> &order, Kept *out)
{
  std::vector<Scalar> of_slot(order.size());
  for_each_stretch(s, [&](int row, std::size_t place) {
    const auto    has   = [&](int k) { return (slots.lanes[k] >> row & 1) != 0; };
    const Scalar *value = a.val + a.row_ptr[first + row];
    for (int k = 0; k < slots.slots; ++k)
      if (has(k)) of_slot[static_cast<std::size_t>(k)] = *value++;
    Kept *at = out + place;
    for (const int k : order)
      if (has(k)) *at++ = static_cast<Kept>(of_slot[static_cast<std::size_t>(k)]);
  });
}

/// Where a decoder is in the values of each row.
template <class Scalar> std::array<const Scalar *, DeviceGroup::rows> values_of_rows(const SharedValues &s, const Scalar *values)
{
  std::array<const Scalar *, DeviceGroup::rows> of_row;
  for_each_stretch(s, [&](int row, std::size_t place) { std::fill(of_row.begin() + row, of_row.end(), values + place); });
  return of_row;
}

} // namespace petscspmv::ccoo::image
