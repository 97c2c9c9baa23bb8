#pragma once

/// \file blocks_solve.hpp
/// The blocks of one colour of a triangular solve on whatever Kokkos runs on.
///
/// A team solves a block. All its lanes bring the block's own entries and what rows read of other blocks, whose x is there,
/// to the team's memory. Then the lanes of one thread go through the slices of the block, level by level: a link of this
/// chain costs what its instructions and loads from that memory take, of which there are to be few.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "impls/sweeps/schedule.hpp"
#include "impls/sweeps/solve.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::sweeps {

/// A slice as the chain takes it. By slots and entries of its block.
struct Link {
  int first, rows, begin, width;
};

/// Where x is for an entry, among those of its block; behind the last one is a zero.
using Place16 = std::uint16_t;

/// Bytes of a team's memory for block b.
template <class S, class Index> std::size_t block_bytes(const Schedule<Index> &of, std::size_t b)
{
  constexpr std::size_t arrays = 8, grain = 16;
  const auto            from = static_cast<std::size_t>(of.block[b]), to = static_cast<std::size_t>(of.block[b + 1]);
  const auto            begin = static_cast<std::size_t>(of.first[from]), end = static_cast<std::size_t>(of.first[to]);
  const auto            rows = end - begin, own = static_cast<std::size_t>(of.begin[to] - of.begin[from]),
             others = static_cast<std::size_t>(of.others[end] - of.others[begin]);
  return (4 * rows + 1 + own + others) * sizeof(S) + rows * sizeof(int) + own * sizeof(Place16) + (to - from) * sizeof(Link) + arrays * grain;
}

/// The work of a team.
template <class S, class Index> struct SolveBlocks {
  TriangleView<S, Index> a;           ///< slots of a block follow one another, and so do slices of its levels
  const Index           *block_slice; ///< [blocks + 1] the first slice of each
  Index                  block;       ///< the first of the colour
  int                    lanes;       ///< of a team
  Step<S>                step;
  S                     *x; ///< [rows] by slots; is there for the colours before

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index b = block + static_cast<Index>(member.league_rank());
    const Own   own(a, member, block_slice[b], block_slice[b + 1]);
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
    Index        first; ///< slot
    Index        slice; ///< the first
    std::int64_t begin, others_begin; ///< entries
    int          rows, links, entries, others;
    Link        *link;       ///< [links]
    S           *x;          ///< [rows + 1], the last of them 0
    S           *rest;       ///< [rows] the base without what was taken so far
    S           *inverse;    ///< [rows] of the diagonal
    S           *add;        ///< [rows] x = rest inverse + add
    S           *value;      ///< [entries]
    S           *product;    ///< [others] of entries of other blocks and their x
    int         *others_end; ///< [rows] of these
    Place16     *place;      ///< [entries]

    template <class Member>
    KOKKOS_FUNCTION Own(const TriangleView<S, Index> &a, const Member &member, Index from, Index to)
      : first(a.first[from]), slice(from), begin(a.begin[from]), others_begin(a.others[first]), rows(static_cast<int>(a.first[to] - first)),
        links(static_cast<int>(to - from)), entries(static_cast<int>(a.begin[to] - begin)),
        others(static_cast<int>(a.others[first + rows] - others_begin)), link(kernels::team_scratch<Link>(member, links)),
        x(kernels::team_scratch<S>(member, rows + 1)), rest(kernels::team_scratch<S>(member, rows)),
        inverse(kernels::team_scratch<S>(member, rows)), add(kernels::team_scratch<S>(member, rows)),
        value(kernels::team_scratch<S>(member, entries)), product(kernels::team_scratch<S>(member, others)),
        others_end(kernels::team_scratch<int>(member, rows)), place(kernels::team_scratch<Place16>(member, entries))
    {
    }
  };

  KOKKOS_FUNCTION void bring_links(const Own &own, int lane) const
  {
    for (int l = lane; l < own.links; l += lanes) {
      const Index        s     = own.slice + l;
      const std::int64_t begin = a.begin[s];
      const int          rows  = static_cast<int>(a.first[s + 1] - a.first[s]);
      own.link[l]              = {static_cast<int>(a.first[s] - own.first), rows, static_cast<int>(begin - own.begin),
                                  static_cast<int>(a.begin[s + 1] - begin) / rows};
    }
  }

  KOKKOS_FUNCTION void bring_rows(const Own &own, int lane) const
  {
    for (int k = lane; k < own.rows; k += lanes) {
      const Index slot = own.first + k, r = a.row[slot];
      const S     inverse = S(step.omega) / (S(step.shift) + a.diagonal[slot]), base = step.base[r];
      own.rest[k]       = base;
      own.inverse[k]    = inverse;
      own.add[k]        = step.other ? -step.other[r] * inverse : S(0);
      own.others_end[k] = static_cast<int>(a.others[slot + 1] - own.others_begin);
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
        value[k]      = is ? a.value[own.begin + i + k * lanes] : S(0);
        slot[k]       = is ? a.slot[own.begin + i + k * lanes] : Index(-1);
      }
      for (int k = 0; k < ahead && i + k * lanes < own.entries; ++k) {
        own.value[i + k * lanes] = value[k];
        own.place[i + k * lanes] = static_cast<Place16>(slot[k] < 0 ? own.rows : static_cast<int>(slot[k] - own.first));
      }
    }
  }

  KOKKOS_FUNCTION void multiply_others(const Own &own, int lane) const
  {
    for (int i = lane; i < own.others; i += ahead * lanes) {
      S     value[ahead];
      Index slot[ahead];
      for (int k = 0; k < ahead; ++k) {
        const std::int64_t at = own.others_begin + (i + k * lanes < own.others ? i + k * lanes : i);
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
    const auto finish = [&](int k, S sum) {
      const S rest = own.rest[k] - sum;
      own.rest[k]  = rest;
      own.x[k]     = rest * own.inverse[k] + own.add[k];
    };
    if (link.rows == 1 && link.width > tuning::long_row) {
      S sum = 0;
      Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, link.width),
        [&](const int i, S &part) { part += own.value[link.begin + i] * own.x[own.place[link.begin + i]]; }, sum);
      Kokkos::single(Kokkos::PerThread(member), [&] { finish(link.first, sum); });
      return;
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, link.rows), [&](const int q) {
      S   sum = 0;
      int i   = link.begin + q;
      for (int k = 0; k < link.width; ++k, i += link.rows) sum += own.value[i] * own.x[own.place[i]];
      finish(link.first + q, sum);
    });
  }

  KOKKOS_FUNCTION void end(const Own &own, int k) const
  {
    const Index slot = own.first + k, r = a.row[slot];
    x[slot] = own.x[k];
    if (step.keep) step.keep[r] = own.rest[k];
    if (step.x) step.x[r] = own.x[k];
  }
};

} // namespace petscspmv::sweeps
