#pragma once

/// \file group.hpp
/// The host and a device, as the analysis sees them: how rows are numbered, how many stand side by side in a diagonal
/// tile (the lanes of a vector register on the host, those of a warp, several times over, on a device), what a tile is,
/// and what is asked of it.

#include <cstdint>

#include "kernels/lanes/group.hpp"

namespace petscspmv::ccoo {

/// Rows and columns inside the format. A matrix with more of them on one process is refused.
using Local = std::int32_t;

/// Rows of a node at most.
inline constexpr int node_limit = 6;

struct Tile;
struct DeviceTile;
struct HostRules;
struct DeviceRules;

/// One vector of 512 bits.
struct HostGroup {
  static constexpr int rows = kernels::group_rows;
  using Mask                = kernels::LaneMask;
  using Tile                = ccoo::Tile;
  using Rules               = HostRules;
};

/// Four times the 32 lanes of a warp: a lane has four rows, so that it can have four loads of x in flight for each
/// slot.
struct DeviceGroup {
  static constexpr int rows = 128;
  __extension__ using Mask  = unsigned __int128;
  using Tile                = DeviceTile;
  using Rules               = DeviceRules;
};

/// The slots of a pattern.
template <class Mask> struct SlotView {
  int                 slots;
  const std::int32_t *offset; ///< [slots]
  const Mask         *lanes;  ///< [slots]
};

/// All lanes of a mask.
template <class Mask> inline constexpr Mask all_lanes = static_cast<Mask>(~Mask(0));

template <class Mask> constexpr int count_lanes(Mask mask)
{
  if constexpr (sizeof(Mask) <= 8) return __builtin_popcountll(mask);
  else return __builtin_popcountll(static_cast<std::uint64_t>(mask)) + __builtin_popcountll(static_cast<std::uint64_t>(mask >> 64));
}

/// Calls visit(lane) for the lanes of a mask, in ascending order, for as long as it returns true; false if it did not
/// once.
template <class Mask, class Visit> [[gnu::always_inline]] inline bool all_of_lanes(Mask mask, const Visit &visit)
{
  if constexpr (sizeof(Mask) <= 8) {
    for (std::uint64_t m = mask; m; m &= m - 1)
      if (!visit(__builtin_ctzll(m))) return false;
  } else {
    for (int half = 0; half < 2; ++half)
      for (auto m = static_cast<std::uint64_t>(mask >> 64 * half); m; m &= m - 1)
        if (!visit(64 * half + __builtin_ctzll(m))) return false;
  }
  return true;
}

/// Calls visit(lane) for the lanes of a mask, in ascending order.
template <class Mask, class Visit> [[gnu::always_inline]] inline void for_each_lane(Mask mask, const Visit &visit)
{
  all_of_lanes(mask, [&](int lane) {
    visit(lane);
    return true;
  });
}

} // namespace petscspmv::ccoo
