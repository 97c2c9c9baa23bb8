#pragma once

/// \file tuning.hpp
/// The numbers of units of nodes, each with the measurement that chose it.

#include <cstddef>

namespace petscspmv::ccoo::tuning {

// Warps of a block of threads with nodes; how many a multiprocessor shall hold, by the rows of a node, for if that is
// left open, the compiler takes so few registers that steps are not on their way together; and how many of these are,
// by the rows of a node and the columns of a step. H200, cold, microseconds; an unstructured mesh of 150,000 nodes with
// three rows: two steps and 24 warps 46.1, three and 18 45.2, and a unit's last steps one by one 47.4; 27-point with
// three 122.4, 124.5. 300,000 nodes with two: four and 24 48.7, three 45.7, three and 18 46.6. 100,000 with four,
// 60,000 with five and 50,000 with six, a step at a time: 24 56.9, 59.0, 68.6; 18 53.9, 56.3, 65.7. Steps of one
// column, three rows and two: two together 57.1, 52.0; three 59.7, 52.4; four 54.2, 50.5; six 66.9, 50.5. Columns asked
// for before the steps that need them took 5 us more (three rows), pairs of values in 16 bytes as long as single ones.
inline constexpr unsigned device_node_warps = 2;
constexpr unsigned        device_node_warps_at_a_time(int rows)
{
  return rows <= 3 ? 24 : 18;
}
constexpr int device_node_steps(int rows, int columns)
{
  return columns == 1 ? 4 : rows == 2 ? 3 : rows == 3 ? 2 : 1;
}
// Units of nodes that come last, the longest of these first: about as many as an H200 takes at a time. The same mesh of
// 150,000 nodes and one of 600,000: all in the order of tiles 53.1, 169; the last 1024 by length 52.5, 167; 2048 46.1,
// 165; 3168 46.9, 163; 4096 46.7, 163; 6144 47.0, 163; all by length 47.4, 182, for then units of a tile, which have x
// in common, are far from each other.
inline constexpr std::size_t device_last_nodes = 4096;

} // namespace petscspmv::ccoo::tuning
