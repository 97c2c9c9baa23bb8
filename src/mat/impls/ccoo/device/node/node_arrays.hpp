#pragma once

/// \file node_arrays.hpp
/// Nodes on a device: rows with the same columns, side by side, without other structure.
///
/// The nodes of a gather tile are sorted by length, the longest first, and taken in units of 32, a node to a lane. Step
/// k of a unit is column k of the nodes that are longer than k, which are always the first lanes; where the columns of
/// all nodes of a tile come in blocks of as many neighbours as a node has rows, a step is a block, of which only the
/// first column is kept. What is kept of a step: a column for each lane that has it; and the values of the first
/// column, of the first rows of these lanes, of the second ones, ..., then those of the second column of the block.
///
/// Units are in the order in which warps take them. Those of a tile lie together, the longer ones first, but for the
/// last ones of all.

#include <array>
#include <cstdint>

#include "impls/ccoo/device/kind.hpp"

namespace petscspmv::ccoo::image {

/// 32 nodes of a tile, or fewer.
struct alignas(16) NodeUnit {
  Local         row, least;    ///< of the tile
  std::uint32_t column, value; ///< places, over `piece` and value_grain
  std::uint16_t rows;          ///< of the tile
  std::uint8_t  rows_of_node;
  std::uint8_t  wide : 1, blocked : 1;
  std::uint32_t unused[3];
};

/// The node of a lane.
struct NodeLane {
  static constexpr std::uint16_t none = 0xffff;

  std::uint16_t node; ///< of the tile
  std::uint16_t steps;
};

struct NodeKind {
  struct Shape { };
  struct Counts {
    std::int64_t                              entries_in_nodes = 0;
    std::array<std::uint32_t, node_limit + 1> units_of_nodes{};      ///< [rows of a node]
    bool                                      rounded_nodes = false; ///< values are floats, in the same room
  };

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Vector<NodeUnit> node;      ///< those with fewer rows a node first
    typename Hold::template Vector<NodeLane> node_lane; ///< [units of nodes][32]
    typename Hold::template Room<std::byte>  node_column;
    typename Hold::template Room<Scalar>     node_value;
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("units of nodes", m.node...);
    visit("order and lengths of nodes", m.node_lane...);
    visit("columns of nodes", m.node_column...);
    visit("values of nodes", m.node_value...);
  }
  static std::int64_t entries(const Counts &c) { return c.entries_in_nodes; }
};

} // namespace petscspmv::ccoo::image
