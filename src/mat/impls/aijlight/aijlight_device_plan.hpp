#pragma once

/// \file aijlight_device_plan.hpp
/// How the rows of a matrix are dealt on a device, from the row pointer on the host.

#include <algorithm>
#include <cstdint>

#include "impls/aijlight/aijlight_device.hpp"
#include "impls/aijlight/aijlight_device_tuning.hpp"
#include "impls/aijlight/aijlight_long_rows.hpp"

namespace petscspmv::aijlight {

/// What the options ask for; 0 where they leave it open.
struct DeviceSettings {
  explicit DeviceSettings(const OptionValues &options)
    : level(static_cast<Level>(options["level"])), lanes(options["width"] == 0 ? 0 : 1 << (options["width"] - 1)),
      ticket(options["ticket"]), threshold(options["threshold"])
  {
  }

  Level        level;
  int          lanes;
  std::int64_t ticket;    ///< rows
  std::int64_t threshold; ///< entries
};

/// What blocks of rows, each summed by a block of threads with so many lanes a row, would find.
template <class Index> struct RowBlocks {
  RowBlocks(const Index *row_ptr, Index rows, int lanes, std::size_t entry_bytes)
  {
    const auto most      = static_cast<Index>(tuning::max_block_bytes / entry_bytes),
               per_block = static_cast<Index>(tuning::row_threads / lanes);
    for (Index top = 0; top < rows; top += per_block) {
      const Index bottom = rows - top < per_block ? rows : top + per_block, entries = row_ptr[bottom] - row_ptr[top];
      if (entries > most) tame = false;
      else largest = std::max(largest, entries);
      for (Index row = top; tame && row < bottom; ++row)
        tame = row_ptr[row + 1] - row_ptr[row] <= static_cast<Index>(tuning::max_entries_per_lane) * lanes;
    }
  }

  bool  tame    = true; ///< whether all fit into shared memory, and no row keeps others waiting
  Index largest = 0;    ///< most entries of a block that fits into shared memory
};

/// What is decided for one matrix.
template <class Index> struct DevicePlan {
  /// There are rows and nonzeros. Throws FormatError if the row pointer decreases.
  DevicePlan(const Index *row_ptr, Index rows, std::size_t entry_bytes, const DeviceSettings &asked) : level(asked.level)
  {
    const double mean = static_cast<double>(row_ptr[rows]) / static_cast<double>(rows);
    if (level == Level::automatic) level = tuning::best_level;
    lanes = asked.lanes > 0 ? asked.lanes : level == Level::block ? tuning::row_lanes(mean) : tuning::warp_lanes(mean);

    const std::int64_t wanted = asked.ticket > 0 ? asked.ticket : tuning::ticket_rows(level, lanes, mean);
    ticket                    = static_cast<Index>(std::clamp<std::int64_t>(wanted, std::int64_t(rows) / most_tickets + 1, rows));
    tickets                   = static_cast<unsigned>((std::int64_t(rows) + ticket - 1) / ticket);
    if (level == Level::block) {
      const RowBlocks<Index> blocks(row_ptr, rows, lanes, entry_bytes);
      capacity = (static_cast<int>(blocks.largest) + 2 * grain - 1) / grain * grain + grain;
      // Tickets have to begin where the blocks that have been looked at do.
      tame = blocks.tame && (tickets == 1 || ticket % (tuning::row_threads / lanes) == 0);
    }
    long_rows = LongRows<Index>(row_ptr, rows, static_cast<Index>(asked.threshold > 0 ? asked.threshold : tuning::piece(level, lanes)));
  }

  static constexpr int          grain        = 4; ///< of bulk copies
  static constexpr std::int64_t most_tickets = std::int64_t(1) << 30;

  Level           level;
  int             lanes;
  Index           ticket; ///< rows
  unsigned        tickets;
  int             capacity = 0;     ///< entries that shared memory is to hold
  bool            tame     = false; ///< whether it holds those of any block of rows, and no row keeps others waiting
  LongRows<Index> long_rows;
};

} // namespace petscspmv::aijlight
