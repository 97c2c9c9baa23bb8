#pragma once

/// \file kokkos_segments.hpp
/// Segmented sums by the lanes of a team.
///
/// Items follow one another, and those of a segment (a row's entries, a block row's blocks) are added up. All lanes have equally many items, whatever segments
/// they are of: lane l has items l W .. l W + W - 1.
///
///     items      0 1 2 3 | 4 5 6 7 | 8 9 . . |      W = 4, three lanes
///     segments   a a b b | b b b b | b c . . |
///     begins     1 . 1 .   . . . .   . 1 . .        bit flags
///     open      -1         1         1              the segment at the first item, those before counted; -1: none has begun
///     head       -         b         b
///     tail       b         -         c              b = tail of lane 0 + heads of lanes 1 and 2

#include <cstdint>

#include <Kokkos_Core.hpp>

namespace petscspmv::kernels {

/// What a lane knows of its items.
struct LaneFlags {
  std::int16_t  open   = -1; ///< number of the segment that its first item goes on with, or of the one before that which this begins
  std::uint16_t begins = 0;  ///< bit k: item k begins a segment
};

/// Memory that the sums of so many lanes take.
template <class Sum> constexpr std::size_t lane_sums_bytes(int lanes)
{
  return 2 * static_cast<std::size_t>(lanes) * sizeof(Sum) + alignof(Sum);
}

/// Calls deliver(segment, sum, to_the_end) once for each segment. It goes to the end of the items if `to_the_end`.
///
/// add(item, sum) adds an item to a sum; it is called for all items of the lanes. Sum() is the sum of none. Sums are in the order of the items within a lane,
/// then of the lanes, however many threads there are.
template <int W, class Sum, class Member, class Add, class Deliver>
KOKKOS_FUNCTION void segmented_sum(const Member &member, int lanes, const LaneFlags *flags, Sum *scratch, const Add &add,
                                   const Deliver &deliver)
{
  Sum *const head = scratch, *const tail = scratch + lanes;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes), [&](const int l) {
    const LaneFlags f       = flags[l];
    int             segment = f.open;
    bool            is_head = true;
    Sum             sum     = Sum();
    for (int k = 0; k < W; ++k) {
      if (f.begins >> k & 1) {
        if (is_head) head[l] = sum;
        else deliver(segment, sum, false);
        is_head = false;
        ++segment;
        sum = Sum();
      }
      add(l * W + k, sum);
    }
    (is_head ? head : tail)[l] = sum;
  });
  member.team_barrier();
  // What is open at the end of a lane ends in one of the next.
  const auto join = [&](int l, int segment, Sum sum) {
    bool ends = false;
    for (++l; l < lanes && !ends; ++l) {
      sum += head[l];
      ends = flags[l].begins != 0;
    }
    deliver(segment, sum, !ends);
  };
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes), [&](const int l) {
    const LaneFlags f = flags[l];
    if (l == 0 && f.open >= 0) {
      if (f.begins) deliver(f.open, head[0], false);
      else join(0, f.open, head[0]);
    }
    if (f.begins) join(l, f.open + Kokkos::Experimental::popcount_builtin(unsigned(f.begins)), tail[l]);
  });
}

} // namespace petscspmv::kernels
