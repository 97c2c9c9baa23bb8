#pragma once

/// \file kokkos_segments.hpp
/// Segmented sums by the lanes of a team.
///
/// Items follow one another, and those of a segment (a row's entries, a block row's blocks) are added up. All lanes
/// have equally many items, whatever segments they are of: lane l has items l W .. l W + W - 1.
///
///     items      0 1 2 3 | 4 5 6 7 | 8 9 . . |      W = 4, three lanes
///     segments   a a b b | b b b b | b c . . |
///     begins     1 . 1 .   . . . .   . 1 . .        bit flags
///     open      -1         1         1              the segment at the first item, those before counted; -1: none has
///     begun head       -         b         b tail       b         -         c              b = tail of lane 0 + heads
///     of lanes 1 and 2

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>

#include "kernels/kokkos_kernel.hpp"

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
/// item(i) is item i as a sum, for all items of the lanes; a lane asks for all of its own at first, so that they are on
/// their way together. Sum() is the sum of none. Sums are in the order of the items within a lane, then of the lanes,
/// however many threads there are.
template <int W, class Sum, class Member, class Item, class Deliver>
KOKKOS_FUNCTION void segmented_sum(const Member &member, int lanes, const LaneFlags *flags, Sum *scratch, const Item &item,
                                   const Deliver &deliver)
{
  Sum *const head = scratch, *const tail = scratch + lanes;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes), [&](const int l) {
    const LaneFlags f = flags[l];
    Sum             own[W];
    for (int k = 0; k < W; ++k) own[k] = item(l * W + k);
    int  segment = f.open;
    bool is_head = true;
    Sum  sum     = Sum();
    for (int k = 0; k < W; ++k) {
      if (f.begins >> k & 1) {
        if (is_head) head[l] = sum;
        else deliver(segment, sum, false);
        is_head = false;
        ++segment;
        sum = Sum();
      }
      sum += own[k];
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

/// A row that is cut between pieces of work, each of which has a place for the sum of its first row and one for that of
/// its last: the tail of the first piece and the heads of the others belong to it.
template <class Index> struct CutSegment {
  Index        row;
  std::int64_t first_piece, last_piece;
};

/// Adds the parts of a cut row in the order of the pieces; a team for each.
template <class S, class Index, class Memory> struct JoinCutRows {
  KokkosArray<CutSegment<Index>, Memory> cut;
  KokkosArray<S, Memory>                 head, tail; ///< [pieces]
  KokkosRowUpdate<S>                     update;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const CutSegment<Index> &c = cut(member.league_rank());
    S                        sum;
    Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(member, c.last_piece - c.first_piece), [&](const std::int64_t k, S &s) { s += head(c.first_piece + 1 + k); },
      sum);
    Kokkos::single(Kokkos::PerTeam(member), [&] { update(c.row, tail(c.first_piece) + sum); });
  }
};

/// Where bit flags and cut rows of pieces are collected, one piece after the other.
template <class Index> struct SegmentList {
  int                            lanes; ///< of a piece
  int                            width; ///< items of a lane
  std::vector<LaneFlags>         flags  = {};
  std::vector<CutSegment<Index>> cut    = {};
  std::int64_t                   pieces = 0;

  /// A piece in which segments begin at these items, ascending. `continues`: its first segment began before; `opens`:
  /// its last one, of row `last_row`, goes on in the next piece.
  void add(const std::vector<int> &begins, bool continues, bool opens, Index last_row)
  {
    const std::size_t first = flags.size();
    flags.resize(first + static_cast<std::size_t>(lanes));
    for (const int item : begins)
      flags[first + static_cast<std::size_t>(item / width)].begins |= static_cast<std::uint16_t>(1 << item % width);
    int open = continues ? 0 : -1;
    for (std::size_t l = first; l < flags.size(); ++l) {
      flags[l].open = static_cast<std::int16_t>(open);
      for (int bits = flags[l].begins; bits; bits &= bits - 1) ++open;
    }
    if (continues) cut.back().last_piece = pieces;
    if (opens && !begins.empty()) cut.push_back({last_row, pieces, pieces});
    ++pieces;
  }
};

} // namespace petscspmv::kernels
