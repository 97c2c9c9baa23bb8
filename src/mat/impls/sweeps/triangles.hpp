#pragma once

/// \file triangles.hpp
/// Both triangles of a matrix, on the host or on a device, and solves with them.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/footprint.hpp"
#include "core/format.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/blocks.hpp"
#include "impls/sweeps/blocks_solve.hpp"
#include "impls/sweeps/triangle.hpp"
#include "kernels/kokkos/memory.hpp"

namespace petscspmv::sweeps {

/// How both triangles are solved.
template <class Index> struct Schedules {
  Schedule<Index>    lower, upper;
  std::vector<Index> colour; ///< [colours + 1] blocks; empty: there are none, and rows wait

  /// Rows of the pattern in an order in which each comes after those left of its diagonal, and that many threads can take rows
  /// in, [rows]: by level, or by colour and level in the block.
  UnsetVector<Index> elimination(int threads) const
  {
    if (colour.empty()) return lower.row;
    UnsetVector<Index> rows(lower.row.size());
    runtime::for_each_batch(threads, std::ssize(colour) - 1, 1, [&](std::int64_t c, std::int64_t) {
      const Index        from = lower.first[lower.block[colour[c]]], to = lower.first[lower.block[colour[c + 1]]];
      std::vector<Index> ends(static_cast<std::size_t>(lower.levels) + 1, from);
      for (Index s = from; s < to; ++s) ++ends[lower.level[s] + 1];
      for (std::size_t l = 1; l < ends.size(); ++l) ends[l] += ends[l - 1] - from;
      for (Index s = from; s < to; ++s) rows[ends[lower.level[s]]++] = lower.row[s];
    });
    return rows;
  }
};

/// The schedules of both triangles, or of their blocks, if `order` has some and teams have room for each.
/// Throws FormatError with `only_if_faster` if the host is faster.
template <class S, class Index>
Schedules<Index> schedules(const Pattern<Index> &pattern, const BlockOrder<Index> *order, int threads, bool only_if_faster)
{
  const std::int64_t most = only_if_faster ? levels_worth_a_device(pattern) : std::numeric_limits<std::int64_t>::max();
  if (order && !order->block.empty()) {
    Schedules<Index> by{{pattern, Side::lower, order->block, threads}, {pattern, Side::upper, order->block, threads}, order->colour};
    if (std::max(most_block_bytes<S>(by.lower), most_block_bytes<S>(by.upper)) <= tuning::team_bytes) {
      refuse_if_more(std::int64_t{by.lower.levels} + by.upper.levels, most);
      return by;
    }
  }
  std::optional<Schedule<Index>> of[2]; // a thread makes each
  runtime::for_each_batch(threads, 2, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto k = static_cast<int>(first); k < static_cast<int>(last); ++k)
      of[k].emplace(pattern, k == 0 ? Side::lower : Side::upper, most);
  });
  refuse_if_more(std::int64_t{of[0]->levels} + of[1]->levels, most);
  return {std::move(*of[0]), std::move(*of[1]), {}};
}

/// All of it is memory of Kokkos' at `Place`.
template <class S, class Index, class Place> class Triangles {
public:
  using Memory                   = typename Place::Memory;
  using Kept                     = Triangle<S, Index, Memory>;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;
  static constexpr bool on_host  = std::is_same_v<Memory, Kokkos::HostSpace>;

  PatternArrays<Index, Memory> pattern; ///< on the host, the caller's; needed by nothing here
  Kept                         lower, upper;
  Array<Index>                 vector_row; ///< [rows] `order`; none if there was none; needed by nothing here

  /// `order`: the row of a solve's vectors for each row of the pattern, [rows]; null: the same.
  Triangles(const Pattern<Index> &of, const Schedules<Index> &by, const Index *order, int threads)
    : lower(kernels::brought<Kept>(kernels::KokkosMemory<Place>{threads}, Triangle<S, Index, Kokkos::HostSpace>(by.lower, !on_host))),
      upper(kernels::brought<Kept>(kernels::KokkosMemory<Place>{threads}, Triangle<S, Index, Kokkos::HostSpace>(by.upper, !on_host))),
      colour_(by.colour), memory_{threads}
  {
    memory_.taking([&] {
      const auto n = static_cast<std::size_t>(of.rows);
      pattern      = {shown(of.row_ptr, n + 1), shown(of.col, static_cast<std::size_t>(of.row_ptr[of.rows])), shown(of.diagonal.data(), n)};
      const Array<Index> rows[]  = {lower.row, upper.row}; // kept until the device has read them
      const Array<Index> slots[] = {shown(by.lower.slot.data(), n), shown(by.upper.slot.data(), n)};
      Place::run(threads, [&](const auto &exec) {
        lower.fill(exec, pattern, slots[0], by.lower.entries());
        upper.fill(exec, pattern, slots[1], by.upper.entries());
        for (const int k : {0, 1}) {
          awaited_[k] = kernels::new_array<kernels::Word, Memory>(n * kernels::words<S>);
          drawn_[k]   = kernels::new_array<Index, Memory>(1);
          make_ready(exec, k);
        }
        if (!order) return;
        vector_row = shown(order, n);
        lower.row  = renamed(exec, vector_row, rows[0]);
        upper.row  = renamed(exec, vector_row, rows[1]);
      });
      memory_.wait();
    });
  }

  /// n entries of an array of the host or of this memory, in this memory; borrowed if they are there.
  template <class T> Array<T> shown(const T *from, std::size_t n) const
  {
    if (on_host || runtime::is_on_device(from)) return kernels::borrowed_array<Memory>(from, n);
    auto array = kernels::new_array<T, Memory>(n);
    memory_.copy(kernels::borrowed_array<Kokkos::HostSpace>(from, n), array);
    return array;
  }

  /// Brings values to their places from those of the CSR matrix, in this memory.
  template <class Exec> void gather(const Exec &exec, const Array<S> &entry) const
  {
    lower.gather(exec, entry);
    upper.gather(exec, entry);
  }

  /// names(array(i)) for all i; none for negative ones.
  template <class Exec> Array<Index> renamed(const Exec &exec, const Array<Index> &names, const Array<Index> &array) const
  {
    auto to = kernels::new_array<Index, Memory>(array.extent(0));
    Kokkos::parallel_for("petscspmv names", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, array.extent(0)),
                         Rename<Index, Memory>{names, array, to});
    return to;
  }

  /// Queues a solve. Each makes the awaited numbers ready for the next.
  template <class Exec> void solve(const Exec &exec, const Kept &triangle, const Step<S> &step)
  {
    if (triangle.block.extent(0) > 0) return solve_blocks(exec, triangle, step);
    const int            k = turn_, n = turn_ = 1 - turn_;
    const Waiting<Index> waiting{awaited_[k].data(), awaited_[n].data(), drawn_[k].data(), drawn_[n].data()};
    const auto           by = [&]<std::size_t l>(std::integral_constant<std::size_t, l>) {
      constexpr tuning::Launch launch = tuning::launches[l];
      constexpr int            ahead  = std::min(launch.ahead, 16 / kernels::words<S>);
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
    const auto add = [&f](const std::string &prefix) {
      return [&f, prefix](const std::string &name, const auto &array) {
        f.arrays.push_back({prefix + name, array.extent(0) * sizeof(*array.data()), false});
      };
    };
    Kept::each(add("lower "), lower);
    Kept::each(add("upper "), upper);
    for (const auto &awaited : awaited_) add("")("vectors", awaited);
  }

  /// `what`: "sweeps"
  Facts facts(const std::string &what) const
  {
    const auto both = [](auto forward, auto backward) {
      return std::to_string(forward) + " forward, " + std::to_string(backward) + " backward";
    };
    return {{what + " by", "Kokkos " + Place::name(memory_.threads) + (colour_.empty() ? "" : ", block by block")},
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
    kernels::fill(exec, awaited_[k], kernels::not_there);
    kernels::fill(exec, drawn_[k], 0);
  }

  std::vector<Index>           colour_; ///< [colours + 1] blocks
  kernels::KokkosMemory<Place> memory_;
  Array<kernels::Word>         awaited_[2]; ///< [rows] numbers: x by slots; solves use them in turn
  Array<Index>                 drawn_[2];   ///< [1]
  int                          turn_ = 0;
};

} // namespace petscspmv::sweeps
