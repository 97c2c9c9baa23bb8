#pragma once

/// \file blocks_solve.hpp
/// The blocks of one colour of a triangular solve on whatever Kokkos runs on.
///
/// A team solves a block. All its lanes first take what rows read of other blocks, whose x is there, and bring the block's
/// own entries to the team's memory. Then the lanes of one thread go through the levels of the block, whose x is in that
/// memory: a level costs what this one thread's instructions take, of which there are to be few.

#include <cstddef>
#include <cstdint>

#include "impls/sweeps/solve.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::sweeps {

/// Bytes of a team's memory for a block of so many rows, of which so many entries are brought there.
template <class S, class Index> constexpr std::size_t block_bytes(std::int64_t rows, std::int64_t entries)
{
  constexpr int arrays = 5;
  return static_cast<std::size_t>(3 * rows + entries) * sizeof(S) + static_cast<std::size_t>(entries) * sizeof(Index) + arrays * sizeof(S);
}

/// The work of a team. `copies`: entries are brought to its memory.
template <bool copies, class S, class Index> struct SolveBlocks {
  TriangleView<S, Index> a;           ///< slots of a block follow one another, and so do slices of its levels
  const Index           *block_slice; ///< [blocks + 1] the first slice of each
  Index                  block;       ///< the first of the colour
  Step<S>                step;
  S                     *x; ///< [rows] by slots; is there for the colours before

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index b = block + static_cast<Index>(member.league_rank()), from = block_slice[b], to = block_slice[b + 1];
    const Own   own(*this, member, from, to);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, from, to), [&](const Index s) {
      each_row(
        member, s, [&](std::int64_t i) { return of_others(own, i); }, [&](Index slot, S sum) { begin(own, slot, sum); });
    });
    member.team_barrier();
    if (member.team_rank() == 0)
      for (Index s = from; s < to; ++s)
        each_row(
          member, s, [&](std::int64_t i) { return own.has(own.slot[i]) ? own.value[i] * own.x[own.slot[i] - own.first] : S(0); },
          [&](Index slot, S sum) {
            own.x[slot - own.first] -= own.inverse[slot - own.first] * sum;
            own.rest[slot - own.first] -= sum;
          });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, own.rows), [&](const int k) { end(own, k); });
  }

private:
  /// What a team has in its memory.
  struct Own {
    Index first; ///< slot
    int   rows;
    S    *x;       ///< [rows]
    S    *inverse; ///< [rows] of the diagonal
    S    *rest;    ///< [rows] the base without what was taken so far
    /// By numbers of entries of the triangle, whose own arrays they are, and only read, unless it is copied.
    S     *value;
    Index *slot;

    template <class Member>
    KOKKOS_FUNCTION Own(const SolveBlocks &solve, const Member &member, Index from, Index to)
      : first(solve.a.first[from]), rows(static_cast<int>(solve.a.first[to] - first)), x(kernels::team_scratch<S>(member, rows)),
        inverse(kernels::team_scratch<S>(member, rows)), rest(kernels::team_scratch<S>(member, rows)),
        value(const_cast<S *>(solve.a.value)), slot(const_cast<Index *>(solve.a.slot))
    {
      if constexpr (copies) {
        const std::int64_t begin = solve.a.begin[from];
        const int          n     = static_cast<int>(solve.a.begin[to] - begin);
        value                    = kernels::team_scratch<S>(member, n) - begin;
        slot                     = kernels::team_scratch<Index>(member, n) - begin;
      }
    }
    KOKKOS_FUNCTION bool has(Index s) const { return s >= first && s < first + rows; }
  };

  /// Calls finish(slot, sum of entry(i)) for the rows of a slice, by the lanes of a thread.
  template <class Member, class Entry, class Finish>
  KOKKOS_FUNCTION void each_row(const Member &member, Index s, const Entry &entry, const Finish &finish) const
  {
    const Index        first = a.first[s];
    const int          rows  = static_cast<int>(a.first[s + 1] - first);
    const std::int64_t from = a.begin[s], to = a.begin[s + 1];
    if (rows == 1 && to - from > tuning::long_row) {
      S sum = 0;
      Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, static_cast<int>(to - from)), [&](const int k, S &part) { part += entry(from + k); }, sum);
      Kokkos::single(Kokkos::PerThread(member), [&] { finish(first, sum); });
    } else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, rows), [&](const int q) {
        S sum = 0;
        for (std::int64_t i = from + q; i < to; i += rows) sum += entry(i);
        finish(first + q, sum);
      });
  }

  /// What entry i takes of another block. Brings the entry.
  KOKKOS_FUNCTION S of_others(const Own &own, std::int64_t i) const
  {
    const S     value = a.value[i];
    const Index slot  = a.slot[i];
    if constexpr (copies) {
      own.value[i] = value;
      own.slot[i]  = slot;
    }
    return slot < 0 || own.has(slot) ? S(0) : value * x[slot];
  }

  /// Of other blocks, `sum` is taken.
  KOKKOS_FUNCTION void begin(const Own &own, Index slot, S sum) const
  {
    const Index k = slot - own.first, r = a.row[slot];
    const S     inverse = S(step.omega) / (S(step.shift) + a.diagonal[slot]), base = step.base[r];
    const S     start = step.start == Start::x ? step.x[r] : base * inverse;
    own.inverse[k]    = inverse;
    own.rest[k]       = base - sum;
    own.x[k]          = (own.rest[k] - (step.other ? step.other[r] : S(0))) * inverse;
    if (step.start != Start::zero) own.x[k] += (1 - step.omega) * start;
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
