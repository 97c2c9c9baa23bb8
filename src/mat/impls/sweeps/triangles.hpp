#pragma once

/// \file triangles.hpp
/// Both triangles of a matrix, on the host or on a device, and solves with them.

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "core/engine.hpp"
#include "core/footprint.hpp"
#include "impls/sweeps/blocks_solve.hpp"
#include "impls/sweeps/triangle.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv::sweeps {

/// All of it is memory of Kokkos' at `Place`.
template <class S, class Index, class Place> class Triangles {
public:
  using Memory                   = typename Place::Memory;
  using Kept                     = Triangle<S, Index, Memory>;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;
  static constexpr bool on_host  = std::is_same_v<Memory, Kokkos::HostSpace>;

  Kept lower, upper;

  /// `pattern`: of `found`, with the arrays of the matrix.
  Triangles(const kernels::KokkosMemory<Place> &memory, const PatternArrays<Index, Memory> &pattern,
            const AnalysisArrays<Index, Memory> &found)
    : lower(found.lower), upper(found.upper), colour_(found.colour)
  {
    const std::size_t n = lower.row.extent(0);
    memory.run([&](const auto &exec) {
      const auto slot_of = kernels::new_array<Index, Memory>(n);
      for (Kept *const triangle : {&lower, &upper}) {
        const Array<Index> row = triangle->row;
        Kokkos::parallel_for("petscspmv slots", kernels::indices(exec, n), kernels::Invert<Index>{row.data(), slot_of.data()});
        triangle->fill(exec, pattern, slot_of);
        if (found.order.extent(0) == 0) continue;
        triangle->row = kernels::new_array<Index, Memory>(n);
        Kokkos::parallel_for("petscspmv rows", kernels::indices(exec, n),
                             kernels::GatherValues<Index, Index, Memory>{row, found.order, triangle->row});
      }
      for (const int k : {0, 1}) {
        awaited_[k] = kernels::new_array<Word, Memory>(n * words<S>);
        drawn_[k]   = kernels::new_array<Index, Memory>(1);
        make_ready(exec, k);
      }
      exec.fence("petscspmv: triangles are there"); // as long as all that they are made of
    });
  }

  /// Brings values to their places from those of the CSR matrix, in this memory.
  template <class Exec> void gather(const Exec &exec, const Array<S> &entry) const
  {
    lower.gather(exec, entry);
    upper.gather(exec, entry);
  }

  /// Queues a solve. Each makes the awaited numbers ready for the next.
  template <class Exec> void solve(const Exec &exec, const Kept &triangle, const Step<S> &step)
  {
    if (triangle.block.extent(0) > 0) return solve_blocks(exec, triangle, step);
    const int            k = turn_, n = turn_ = 1 - turn_;
    const Waiting<Index> waiting{awaited_[k].data(), awaited_[n].data(), drawn_[k].data(), drawn_[n].data()};
    const auto           by = [&]<std::size_t l>(std::integral_constant<std::size_t, l>) {
      constexpr tuning::Launch launch = tuning::launches[l];
      constexpr int            ahead  = std::min(launch.ahead, 16 / words<S>);
      Kokkos::parallel_for("petscspmv sweep", teams(exec, triangle.slices(), launch.threads_per_team),
                                     Solve<ahead, S, Index>{triangle.view(), step, waiting});
    };
    if (triangle.summary.width <= tuning::launches[0].width) by(std::integral_constant<std::size_t, 0>());
    else if (triangle.summary.width <= tuning::launches[1].width) by(std::integral_constant<std::size_t, 1>());
    else by(std::integral_constant<std::size_t, 2>());
  }

  /// Once the last solve of a call is queued, so that all calls are alike and a graph can replay one.
  template <class Exec> void end_of_solves(const Exec &exec)
  {
    if (turn_ == 1) make_ready(exec, 0);
    turn_ = 0;
  }

  /// Calls queue(numbers, drawn) for other work with the awaited numbers, by rows or slots, and makes them ready again.
  template <class Exec, class Queue> void await(const Exec &exec, const Queue &queue)
  {
    queue(awaited_[0].data(), drawn_[0].data());
    make_ready(exec, 0);
  }

  void add_to(Footprint &f) const
  {
    kernels::add_arrays(f, "lower ", lower);
    kernels::add_arrays(f, "upper ", upper);
    for (const auto &awaited : awaited_) kernels::add_array(f, "vectors", awaited);
  }

  /// `what`: "sweeps"; `by`: Kokkos' execution space
  Facts facts(const std::string &what, const std::string &by) const
  {
    const auto both = [](auto forward, auto backward) {
      return std::to_string(forward) + " forward, " + std::to_string(backward) + " backward";
    };
    return {{what + " by", "Kokkos " + by + (colour_.empty() ? "" : ", block by block")},
            {"levels of " + what, both(lower.summary.levels, upper.summary.levels)},
            {"slices of " + what, both(lower.slices(), upper.slices())}};
  }

private:
  /// A colour after the other. Nobody waits: awaited numbers are but room.
  template <class Exec> void solve_blocks(const Exec &exec, const Kept &triangle, const Step<S> &step) const
  {
    const std::size_t bytes = triangle.summary.block_bytes, colours = colour_.size() - 1;
    const int         threads = on_host ? 1 : tuning::block_threads(bytes), lanes = on_host ? 1 : tuning::slice_rows;
    for (std::size_t k = 0; k < colours; ++k) {
      const std::size_t c      = triangle.summary.side == Side::lower ? k : colours - 1 - k;
      const auto        policy = kernels::league_of_teams(exec, colour_[c + 1] - colour_[c], threads, lanes, bytes);
      Kokkos::parallel_for("petscspmv blocks", policy,
                           SolveBlocks<S, Index>{triangle.view(), triangle.block.data(), colour_[c], threads * lanes, step,
                                                 reinterpret_cast<S *>(awaited_[1].data())});
    }
  }

  template <class Exec> void make_ready(const Exec &exec, int k) const
  {
    kernels::fill(exec, awaited_[k], not_there);
    kernels::fill(exec, drawn_[k], 0);
  }

  std::vector<Index> colour_;     ///< [colours + 1] blocks
  Array<Word>        awaited_[2]; ///< [rows] numbers: x by slots; solves use them in turn
  Array<Index>       drawn_[2];   ///< [1]
  int                turn_ = 0;
};

} // namespace petscspmv::sweeps
