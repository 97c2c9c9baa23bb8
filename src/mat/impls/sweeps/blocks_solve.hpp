#pragma once

/// \file blocks_solve.hpp
/// The blocks of one colour of a triangular solve on whatever Kokkos runs on.
///
/// A team solves a block. All its lanes bring the block's own entries and what rows read of other blocks, whose x is
/// there, to the team's memory. Then the lanes of one thread go through the slices of the block, level by level: a link
/// of this chain costs what its instructions and loads from that memory take, of which there are to be few.

#include <cstdint>

#include "impls/sweeps/schedule.hpp"
#include "impls/sweeps/solve.hpp"
#include "kernels/kokkos/arrays.hpp"

namespace petscspmv::sweeps {

/// The work of a team.
template <class S, class Index> struct SolveBlocks {
  TriangleView<S, Index>   a;      ///< slots of a block follow one another, and so do slices of its levels
  const BlockBegin<Index> *begins; ///< [blocks + 1]
  Index                    block;  ///< the first of the colour
  int                      lanes;  ///< of a team
  Step<S>                  step;
  S                       *x; ///< [rows] by slots; is there for the colours before

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index b = block + static_cast<Index>(member.league_rank());
    const Own   own(member, begins[b], begins[b + 1]);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lanes), [&](const int lane) {
      bring_links(own, lane);
      bring_rows(own, lane);
      bring_entries(own, lane);
      multiply_others(own, lane);
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, own.rows), [&](const int k) {
      S sum = 0;
      for (int i = k == 0 ? 0 : own.others_end[k - 1]; i < own.others_end[k]; ++i) sum += own.product[i];
      own.rest[k] -= sum;
    });
    member.team_barrier();
    if (member.team_rank() == 0)
      for (int l = 0; l < own.links; ++l) solve(own, member, own.link[l]);
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, own.rows), [&](const int k) { end(own, k); });
  }

private:
  /// Loads of a lane that are under way together.
  static constexpr int ahead = 4;

  /// What a team has in its memory.
  struct Own {
    BlockBegin<Index> begin;
    int               rows, links, entries, others;
    Link             *link;       ///< [links]
    S                *x;          ///< [rows + 1], the last of them 0
    S                *rest;       ///< [rows] the base without what was taken so far
    S                *inverse;    ///< [rows] of the diagonal
    S                *add;        ///< [rows] x = rest inverse + add
    S                *value;      ///< [entries]
    S                *product;    ///< [others] of entries of other blocks and their x
    int              *others_end; ///< [rows] of these
    Place16          *place;      ///< [entries]

    template <class Member>
    KOKKOS_FUNCTION Own(const Member &member, const BlockBegin<Index> &from, const BlockBegin<Index> &to)
      : begin(from), rows(static_cast<int>(to.slot - from.slot)), links(static_cast<int>(to.slice - from.slice)),
        entries(static_cast<int>(to.entry - from.entry)), others(static_cast<int>(to.other - from.other)),
        link(kernels::team_scratch<Link>(member, links)), x(kernels::team_scratch<S>(member, rows + 1)),
        rest(kernels::team_scratch<S>(member, rows)), inverse(kernels::team_scratch<S>(member, rows)),
        add(kernels::team_scratch<S>(member, rows)), value(kernels::team_scratch<S>(member, entries)),
        product(kernels::team_scratch<S>(member, others)), others_end(kernels::team_scratch<int>(member, rows)),
        place(kernels::team_scratch<Place16>(member, entries))
    {
    }
  };

  KOKKOS_FUNCTION void bring_links(const Own &own, int lane) const
  {
    for (int l = lane; l < own.links; l += lanes) {
      const Index        s = own.begin.slice + l, first = a.first[s];
      const std::int64_t begin = a.begin[s];
      const int          rows  = static_cast<int>(a.first[s + 1] - first);
      own.link[l]              = {static_cast<int>(first - own.begin.slot), rows, static_cast<int>(begin - own.begin.entry),
                                  static_cast<int>(a.begin[s + 1] - begin) / rows};
    }
  }

  KOKKOS_FUNCTION void bring_rows(const Own &own, int lane) const
  {
    for (int k = lane; k < own.rows; k += lanes) {
      const Index slot = own.begin.slot + k, r = a.row[slot];
      const S     inverse = S(step.omega) / (S(step.shift) + a.diagonal[slot]), base = step.base[r];
      own.rest[k]       = base;
      own.inverse[k]    = inverse;
      own.add[k]        = step.other ? -step.other[r] * inverse : S(0);
      own.others_end[k] = static_cast<int>(a.others[slot + 1] - own.begin.other);
      if (step.start != Start::zero) own.add[k] += (1 - step.omega) * (step.start == Start::x ? step.x[r] : base * inverse);
    }
    if (lane == 0) own.x[own.rows] = 0;
  }

  KOKKOS_FUNCTION void bring_entries(const Own &own, int lane) const
  {
    for (int i = lane; i < own.entries; i += ahead * lanes) {
      S     value[ahead];
      Index slot[ahead];
      for (int k = 0; k < ahead; ++k) {
        const bool is = i + k * lanes < own.entries;
        value[k]      = is ? a.value[own.begin.entry + i + k * lanes] : S(0);
        slot[k]       = is ? a.slot[own.begin.entry + i + k * lanes] : Index(-1);
      }
      for (int k = 0; k < ahead && i + k * lanes < own.entries; ++k) {
        own.value[i + k * lanes] = value[k];
        own.place[i + k * lanes] = static_cast<Place16>(slot[k] < 0 ? own.rows : static_cast<int>(slot[k] - own.begin.slot));
      }
    }
  }

  KOKKOS_FUNCTION void multiply_others(const Own &own, int lane) const
  {
    for (int i = lane; i < own.others; i += ahead * lanes) {
      S     value[ahead];
      Index slot[ahead];
      for (int k = 0; k < ahead; ++k) {
        const std::int64_t at = own.begin.other + (i + k * lanes < own.others ? i + k * lanes : i);
        value[k]              = a.value[at];
        slot[k]               = a.slot[at];
      }
      for (int k = 0; k < ahead; ++k) value[k] = value[k] * x[slot[k]];
      for (int k = 0; k < ahead && i + k * lanes < own.others; ++k) own.product[i + k * lanes] = value[k];
    }
  }

  /// The rows of a slice, by the lanes of a thread.
  template <class Member> KOKKOS_FUNCTION void solve(const Own &own, const Member &member, const Link &link) const
  {
    if (link.rows == 1 && link.width > tuning::long_row) {
      S sum = 0;
      Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, link.width),
        [&](const int i, S &part) { part += own.value[link.begin + i] * own.x[own.place[link.begin + i]]; }, sum);
      Kokkos::single(Kokkos::PerThread(member), [&] {
        const S rest         = own.rest[link.first] - sum;
        own.rest[link.first] = rest;
        own.x[link.first]    = rest * own.inverse[link.first] + own.add[link.first];
      });
      return;
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, link.rows), [&](const int q) {
      const int at      = link.first + q;
      const S   inverse = own.inverse[at], add = own.add[at];
      S         rest = own.rest[at];
      for (int k = 0; k < link.width; k += ahead) { // the loads of a round are under way together, also in the last one
        S       value[ahead];
        Place16 place[ahead];
        for (int u = 0; u < ahead; ++u) {
          const bool is = k + u < link.width;
          const int  i  = link.begin + (k + u) * link.rows + q;
          value[u]      = is ? own.value[i] : S(0);
          place[u]      = is ? own.place[i] : static_cast<Place16>(own.rows);
        }
        for (int u = 0; u < ahead; ++u) value[u] = value[u] * own.x[place[u]];
        for (const S &product : value) rest -= product;
      }
      own.rest[at] = rest;
      own.x[at]    = rest * inverse + add;
    });
  }

  KOKKOS_FUNCTION void end(const Own &own, int k) const
  {
    const Index slot = own.begin.slot + k, r = a.row[slot];
    x[slot] = own.x[k];
    if (step.keep) step.keep[r] = own.rest[k];
    if (step.x) step.x[r] = own.x[k];
  }
};

} // namespace petscspmv::sweeps
