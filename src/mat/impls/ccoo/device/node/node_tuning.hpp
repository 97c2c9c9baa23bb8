#pragma once

/// \file node_tuning.hpp
/// The numbers of units of nodes, each with the measurement that chose it.

#include <cstddef>

namespace petscspmv::ccoo::tuning {

// Warps of a thread block.
inline constexpr unsigned device_node_warps = 2;
// How many a multiprocessor shall hold, by the rows of a node: without a bound the compiler takes too few registers to
// keep several steps in flight. 100,000 nodes of four rows, H200: 54 us, with 24 warps 57.
constexpr unsigned device_node_warps_at_a_time(int rows)
{
  return rows <= 3 ? 24 : 18;
}
// Steps in flight, by the rows of a node and the columns of a step. 150,000 nodes of three rows: 46.1 us, one by one at
// a unit's end 47.4.
constexpr int device_node_steps(int rows, int columns)
{
  return columns == 1 ? 4 : rows == 2 ? 3 : rows == 3 ? 2 : 1;
}
// Units that come last, the longest of these first: about as many as an H200 takes at a time. The same mesh: 47 us, all
// in the order of tiles 53.
inline constexpr std::size_t device_last_nodes = 4096;

} // namespace petscspmv::ccoo::tuning
