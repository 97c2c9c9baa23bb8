#pragma once

/// \file aijlight_tuning.hpp
/// The numbers of the method on the host, each with the measurement that chose it. Those that choose how rows are summed are in
/// kernels/order_tuning.hpp.

#include <cstdint>

namespace petscspmv::aijlight::tuning {

// Entries of a ticket, about, if nobody asks for a number of rows.
inline constexpr std::int64_t ticket_entries = 8192;
// Rows are dealt in multiples of this many, so that two threads seldom write to one cache line of y.
inline constexpr std::int64_t ticket_grain = 8;
// Longest row that is summed at once; as long as two tickets, it keeps nobody waiting at the end.
inline constexpr std::int64_t piece = 16384;
// Rows whose products are summed together by segmented sums: what is kept of them stays in the nearest cache.
inline constexpr int tile_rows = 256;

} // namespace petscspmv::aijlight::tuning
