#pragma once

/// \file segments.hpp
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

#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::kernels {

/// What a lane knows of its items.
struct LaneFlags {
  std::int16_t  open   = -1; ///< number of the segment that its first item goes on with, or of the one before that which this begins
  std::uint16_t begins = 0;  ///< bit k: item k begins a segment
};

/// Memory that so many sums of lanes take.
template <class Sum> constexpr std::size_t lane_sums_bytes(int lanes)
{
  return 2 * static_cast<std::size_t>(lanes) * sizeof(Sum) + alignof(Sum);
}

/// Calls deliver(segment, sum, to_the_end, group) once for each segment and each of 1 << shift groups of columns. It
/// goes to the end of the items if `to_the_end`.
///
/// items(l, group, own) sets own[W] to the items of lane l as sums, all at first, so that they are in flight together.
/// Sum() is the sum of none. Sums are in the order of the items within a lane, then of the lanes, however many threads
/// there are.
template <int W, class Sum, class Member, class Items, class Deliver>
KOKKOS_FUNCTION void segmented_sum(const Member &member, int lanes, int shift, const LaneFlags *flags, Sum *scratch, const Items &items,
                                   const Deliver &deliver)
{
  const int  groups = 1 << shift;
  Sum *const head = scratch, *const tail = scratch + (lanes << shift);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes << shift), [&](const int i) {
    const int       l = i >> shift, group = i & (groups - 1);
    const LaneFlags f = flags[l];
    Sum             own[W];
    items(l, group, own);
    int  segment = f.open;
    bool is_head = true;
    Sum  sum     = Sum();
    for (int k = 0; k < W; ++k) {
      if (f.begins >> k & 1) {
        if (is_head) head[i] = sum;
        else deliver(segment, sum, false, group);
        is_head = false;
        ++segment;
        sum = Sum();
      }
      sum += own[k];
    }
    (is_head ? head : tail)[i] = sum;
  });
  member.team_barrier();
  // What is open at the end of a lane ends in one of the next.
  const auto join = [&](int l, int group, int segment, Sum sum) {
    bool ends = false;
    for (++l; l < lanes && !ends; ++l) {
      sum += head[(l << shift) + group];
      ends = flags[l].begins != 0;
    }
    deliver(segment, sum, !ends, group);
  };
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes << shift), [&](const int i) {
    const int       l = i >> shift, group = i & (groups - 1);
    const LaneFlags f = flags[l];
    if (l == 0 && f.open >= 0) {
      if (f.begins) deliver(f.open, head[i], false, group);
      else join(0, group, f.open, head[i]);
    }
    if (f.begins) join(l, group, f.open + Kokkos::Experimental::popcount_builtin(unsigned(f.begins)), tail[i]);
  });
}

/// Memory of a team that sum_segments() takes.
template <class P> std::size_t segments_bytes(int lanes, const P &p)
{
  using Sum = typename P::Sum;
  return lane_sums_bytes<Sum>(lanes << p.shift) +
         (P::has_one ? static_cast<std::size_t>(lanes) * lane_entries * sizeof(Sum) + alignof(Sum) : 0);
}

/// The same for the products of entries begin .. begin + n - 1 of a matrix with x, lane_entries for each of at most
/// `lanes` lanes.
///
/// With one vector, neighbouring lanes first load neighbouring entries. With several, each lane of a group loads its
/// own entries: together they load full cache lines of x, which is more traffic than the matrix.
template <class Member, class Index, class Col, class Val, class P, class Deliver>
KOKKOS_FUNCTION void sum_segments(const Member &member, int lanes, const LaneFlags *flags, const Col &column, const Val &value, Index begin,
                                  Index n, const P &p, const Deliver &deliver)
{
  using Sum         = typename P::Sum;
  const int  in_use = static_cast<int>((n + lane_entries - 1) / lane_entries);
  Sum *const sums   = team_scratch<Sum>(member, 2 * lanes << p.shift);
  if constexpr (P::has_one) {
    Sum *const product = team_scratch<Sum>(member, lanes * lane_entries);
    bring_products(member, in_use, column, value, begin, n, p, product, [](int) {});
    member.team_barrier();
    const auto items = [&](int l, int, Sum(&own)[lane_entries]) {
      for (int k = 0; k < lane_entries; ++k) own[k] = product[l * lane_entries + k];
    };
    segmented_sum<lane_entries>(member, in_use, 0, flags, sums, items, deliver);
  } else {
    const auto items = [&](int l, int group, Sum(&own)[lane_entries]) {
      for (int k = 0; k < lane_entries; ++k) { // loads do not depend on whether there is an entry, so that many are in flight
        const Index i = l * lane_entries + k, at = begin + (i < n ? i : n - 1);
        const Sum   product = entry_product(value(at), p.at(column(at), group), p.conjugate);
        own[k]              = i < n ? product : Sum();
      }
    };
    segmented_sum<lane_entries>(member, in_use, p.shift, flags, sums, items, deliver);
  }
}

/// A row that is cut between pieces of work, each of which has a place for the sum of its first row and one for that of
/// its last: the tail of the first piece and the heads of the others belong to it.
template <class Index> struct CutSegment {
  Index        row;
  std::int64_t first_piece, last_piece;
};

/// Adds the parts of cut rows; the vector lanes of a thread have a group of columns of one.
template <class P, class S, class Index, class Memory> struct JoinCutRows {
  KokkosArray<CutSegment<Index>, Memory> cut;
  KokkosArray<S, Memory>                 head, tail; ///< [pieces] sums
  P                                      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const std::int64_t n     = static_cast<std::int64_t>(cut.extent(0)) << p.shift,
                       first = std::int64_t(member.league_rank()) * member.team_size();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, member.team_size()), [&](const int number) {
      if (first + number >= n) return;
      const int                group = static_cast<int>((first + number) & (p.groups() - 1));
      const CutSegment<Index> &c     = cut((first + number) >> p.shift);
      typename P::Sum          sum;
      Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, c.last_piece - c.first_piece),
        [&](const std::int64_t k, typename P::Sum &s) { s += kept_sum(p, head, c.first_piece + 1 + k, group); }, sum);
      Kokkos::single(Kokkos::PerThread(member), [&] {
        typename P::Sum all = kept_sum(p, tail, c.first_piece, group);
        all += sum;
        p.update(c.row, all, group);
      });
    });
  }
};

/// Queues it, if there are any.
template <class Exec, class P, class S, class Index, class Memory>
void join_cut_rows(const Exec &exec, const KokkosArray<CutSegment<Index>, Memory> &cut, const KokkosArray<S, Memory> &head,
                   const KokkosArray<S, Memory> &tail, const P &p)
{
  if (cut.extent(0) == 0) return;
  constexpr int lanes = is_host_space<Exec> ? 1 : 8;
  const int     team  = team_size(exec, 0, 128 / lanes);
  Kokkos::parallel_for("petscspmv cut rows", league_of_teams(exec, ((cut.extent(0) << p.shift) + team - 1) / team, team, lanes),
                       JoinCutRows<P, S, Index, Memory>{cut, head, tail, p});
}

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
