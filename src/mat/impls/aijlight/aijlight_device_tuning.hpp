#pragma once

/// \file aijlight_device_tuning.hpp
/// The numbers of the product on a device. Those of blocks of rows are in kernels/device/row_block_tuning.hpp.

#include <cstddef>
#include <cstdint>

#include "impls/aijlight/aijlight_device.hpp"
#include "kernels/device/row_block_tuning.hpp"

namespace petscspmv::aijlight::tuning {

using namespace kernels::tuning;

/// H200, cold, microseconds by blocks of threads, warps and groups of lanes: 7-point 110, 168, 526; 5-point 87, 133,
/// 457; 27-point 187, 248, 288; with three unknowns a node 206, 204, 365; a circuit 99, 153, 262; R-MAT 20 374, 528,
/// 623.
inline constexpr Level best_level = Level::block;

/// Threads of a block where warps or groups of lanes take tickets.
inline constexpr int warp_threads = 256;

/// How many such blocks a multiprocessor shall be able to hold, by the size of an entry: as many as leave the registers
/// that its kernel takes (ptxas: 48 for 32-bit columns and real values).
constexpr int warp_blocks_at_a_time(std::size_t entry_bytes)
{
  return entry_bytes <= 12 ? 5 : entry_bytes <= 16 ? 4 : 2;
}

/// The same for blocks of threads that sum blocks of rows of which some do not fit into shared memory.
constexpr int unfit_blocks_at_a_time(std::size_t entry_bytes)
{
  return entry_bytes <= 16 ? 8 : 4;
}

/// Lanes that sum a row where they or their warp take tickets, by the mean length of rows.
constexpr int warp_lanes(double mean_length)
{
  int lanes = 1;
  while (lanes < 32 && mean_length > 4 * lanes) lanes *= 2;
  return lanes;
}

/// Rows with more entries than this for each lane are summed by the whole warp, where the warp has taken the ticket.
inline constexpr int late_entries_per_lane = 16;

/// Rows that are cut in pieces of so many entries have more: so many for each of the lanes that take a ticket, a warp
/// where blocks do.
inline constexpr int piece_entries_per_lane = 64, shortest_piece = 512;

constexpr int piece(Level level, int lanes)
{
  const int entries = piece_entries_per_lane * (level == Level::vector ? lanes : 32);
  return entries > shortest_piece ? entries : shortest_piece;
}

/// Entries of a ticket at least, about, because one counter is there for all.
inline constexpr int ticket_entries = 256;

/// Rows of a ticket. Of a warp a multiple of 32, of a block of threads a multiple of those it sums at a time.
constexpr std::int64_t ticket_rows(Level level, int lanes, double mean_length)
{
  if (level == Level::block) return std::int64_t(row_threads / lanes) * (lanes == 1 ? 4 : 1); // neighbours share entries of x
  const auto rows = static_cast<std::int64_t>(ticket_entries / (mean_length + 1)) + 1;
  return level == Level::vector ? rows : (rows + 31) / 32 * 32;
}

} // namespace petscspmv::aijlight::tuning
