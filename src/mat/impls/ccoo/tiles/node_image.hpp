#pragma once

/// \file node_image.hpp
/// Nodes on a device: rows with the same columns, side by side, without other structure.
///
/// The nodes of a gather tile are sorted by length, the longest first, and taken in units of 32, a node to a lane. Step k of a unit is
/// column k of the nodes that are longer than k, which are always the first lanes; where the columns of all nodes of a tile come in blocks
/// of as many neighbours as a node has rows, a step is a block, of which only the first column is kept. What is kept of a step: a column for
/// each lane that has it; and the values of the first column, of the first rows of these lanes, of the second ones, ..., then those of
/// the second column of the block.
///
/// Units are in the order in which warps take them. Those of a tile lie together, the longer ones first, but for the last ones of all.

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::ccoo::image {

/// The nodes of a tile, the longest first.
template <class Scalar, class Index> class NodeTile {
public:
  NodeTile(const CsrView<Scalar, Index> &a, const Tile &t) : a_(a), t_(t), order_(static_cast<std::size_t>(t.rows / t.node))
  {
    std::iota(order_.begin(), order_.end(), std::uint16_t(0));
    std::stable_sort(order_.begin(), order_.end(), [this](int p, int q) { return length(p) > length(q); });
    blocked_ = std::all_of(order_.begin(), order_.end(), [this](int node) { return is_blocked(node); });
  }

  static std::size_t units(const Tile &t) { return static_cast<std::size_t>((t.rows / t.node + lanes - 1) / lanes); }

  bool blocked() const { return blocked_; }
  int  block() const { return blocked_ ? t_.node : 1; } ///< columns of a step

  /// Of lane i of all units, one after the other.
  NodeLane lane(std::size_t i) const
  {
    if (i >= order_.size()) return {NodeLane::none, 0};
    return {order_[i], static_cast<std::uint16_t>(length(order_[i]) / block())};
  }

private:
  Index first_row(int node) const { return t_.row + node * t_.node; }
  Index length(int node) const { return a_.row_ptr[first_row(node) + 1] - a_.row_ptr[first_row(node)]; }
  bool  is_blocked(int node) const
  {
    const Index n = length(node), *const c = a_.col + a_.row_ptr[first_row(node)];
    if (n % t_.node != 0) return false;
    for (Index i = 0; i < n; ++i)
      if (i % t_.node != 0 && c[i] != c[i - 1] + 1) return false;
    return true;
  }

  const CsrView<Scalar, Index> &a_;
  const Tile                   &t_;
  std::vector<std::uint16_t>    order_;
  bool                          blocked_;
};

/// A unit before it has a place.
struct NodeDraft {
  NodeUnit                    unit;
  std::array<NodeLane, lanes> lane;

  int         block() const { return unit.blocked ? unit.rows_of_node : 1; } ///< columns of a step
  int         longest() const { return lane[0].steps * block(); }            ///< entries of a row
  std::size_t steps() const
  {
    return std::accumulate(lane.begin(), lane.end(), std::size_t(0), [](std::size_t n, const NodeLane &l) { return n + l.steps; });
  }
  std::size_t pieces_of_columns() const { return (steps() * (unit.wide ? 4 : 2) + piece - 1) / piece; }
  std::size_t grains_of_values() const
  {
    return (steps() * static_cast<std::size_t>(unit.rows_of_node * block()) + value_grain - 1) / value_grain;
  }
};

/// The units of all gather tiles: those of few rows a node first, and else in the order of tiles.
template <class Scalar, class Index>
std::vector<NodeDraft> draft_nodes(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads)
{
  std::vector<const Tile *> tiles;
  for (const Tile &t : plan.tiles)
    if (t.kind == Kind::gather) tiles.push_back(&t);
  std::stable_sort(tiles.begin(), tiles.end(), [](const Tile *p, const Tile *q) { return p->node < q->node; });
  std::vector<std::size_t> first(tiles.size() + 1); // unit
  for (std::size_t i = 0; i < tiles.size(); ++i) first[i + 1] = first[i] + NodeTile<Scalar, Index>::units(*tiles[i]);
  std::vector<NodeDraft> drafts(first.back());
  kernels::try_each_ticket(threads, std::ssize(tiles), [&](std::int64_t ticket) {
    const auto                    i = static_cast<std::size_t>(ticket);
    const Tile                   &t = *tiles[i];
    const NodeTile<Scalar, Index> nodes(a, t);
    const bool                    wide = t.columns == Columns::bits32;
    for (std::size_t u = 0; u < first[i + 1] - first[i]; ++u) {
      NodeDraft &d = drafts[first[i] + u];
      d.unit = {t.row, t.least, 0, 0, static_cast<std::uint16_t>(t.rows), static_cast<std::uint8_t>(t.node), wide, nodes.blocked(), {}};
      for (std::size_t lane = 0; lane < lanes; ++lane) d.lane[lane] = nodes.lane(u * lanes + lane);
    }
  });
  return drafts;
}

/// Puts short units last: those that begin when others have ended already are then soon done, too. The other units stay where they are, for neighbours
/// have x in common. Units of one number of rows a node.
inline void put_short_ones_last(std::span<NodeDraft> units)
{
  const auto last = units.last(std::min(units.size(), tuning::device_last_nodes));
  std::stable_sort(last.begin(), last.end(), [](const NodeDraft &p, const NodeDraft &q) { return p.longest() > q.longest(); });
}

/// Units of nodes of all gather tiles, and room for their columns and values.
template <class Scalar, class Index>
void place_nodes(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads, Image<Scalar> &m)
{
  std::vector<NodeDraft> drafts = draft_nodes(a, plan, threads);
  for (const NodeDraft &d : drafts) ++m.units_of_nodes[d.unit.rows_of_node];
  for (std::size_t first = 0, b = 0; b < m.units_of_nodes.size(); first += m.units_of_nodes[b++])
    put_short_ones_last(std::span(drafts).subspan(first, m.units_of_nodes[b]));
  std::size_t columns = 0, values = 0;
  for (NodeDraft &d : drafts) {
    d.unit.column = counted(columns, "columns of nodes");
    d.unit.value  = counted(values, "values of nodes");
    m.node.push_back(d.unit);
    m.node_lane.insert(m.node_lane.end(), d.lane.begin(), d.lane.end());
    m.entries_in_nodes += static_cast<std::int64_t>(d.steps()) * d.unit.rows_of_node * d.block();
    columns += d.pieces_of_columns();
    values += d.grains_of_values();
  }
  m.node_column = Room<std::byte>(columns * piece);
  m.node_value  = Room<Scalar>(values * value_grain);
}

/// Calls visit(k, number of lanes that have it) for each step k of the lanes of a unit.
template <class Visit> void for_each_step(const NodeLane *lane, const Visit &visit)
{
  int live = lanes;
  for (int k = 0; k < lane[0].steps; ++k) {
    while (lane[live - 1].steps <= k) --live;
    visit(k, live);
  }
}

/// Columns and values of unit i of nodes.
template <class Scalar, class Index> void fill_unit_of_nodes(const CsrView<Scalar, Index> &a, std::size_t i, Image<Scalar> &m)
{
  const NodeUnit       &u      = m.node[i];
  const bool            last   = i + 1 == m.node.size();
  const NodeLane *const lane_  = m.node_lane.data() + i * lanes;
  std::byte            *column = m.node_column.data() + u.column * piece;
  Scalar               *value  = m.node_value.data() + u.value * value_grain;
  const int             b = u.rows_of_node, block = u.blocked ? b : 1;
  with_column_type(u.wide ? Columns::bits32 : Columns::bits16, [&](auto type) {
    for_each_step(lane_, [&](int k, int live) {
      for (int lane = 0; lane < live; ++lane) {
        const Index row = u.row + lane_[lane].node * b, length = static_cast<Index>(lane_[lane].steps) * block;
        const Index begin = a.row_ptr[row] + static_cast<Index>(k) * block;
        type              = static_cast<decltype(type)>(a.col[begin] - u.least);
        std::memcpy(column, &type, sizeof type);
        column += sizeof type;
        for (int r = 0; r < b; ++r)
          for (int c = 0; c < block; ++c) value[(c * b + r) * live + lane] = a.val[begin + r * length + c];
      }
      value += live * block * b;
    });
  });
  std::fill(value, m.node_value.data() + (last ? m.node_value.size() : m.node[i + 1].value * value_grain), Scalar(0));
  std::fill(column, m.node_column.data() + (last ? m.node_column.size() : m.node[i + 1].column * piece), std::byte(0));
}

/// Columns and values of nodes.
template <class Scalar, class Index> void fill_nodes(const CsrView<Scalar, Index> &a, int threads, Image<Scalar> &m)
{
  constexpr std::int64_t batch = 8;
  kernels::try_each_batch(threads, std::ssize(m.node), batch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) fill_unit_of_nodes(a, static_cast<std::size_t>(i), m);
  });
}

/// Calls visit(row, column, value) for each entry of unit i of nodes, row by row.
template <class Scalar, class Visit> void decode_nodes(const Image<Scalar> &m, std::size_t i, const Visit &visit)
{
  const NodeUnit        &u     = m.node[i];
  const NodeLane *const  lane_ = m.node_lane.data() + i * lanes;
  const std::byte *const col   = m.node_column.data() + u.column * piece;
  const Scalar          *value = m.node_value.data() + u.value * value_grain;
  const int              b = u.rows_of_node, block = u.blocked ? b : 1;
  std::size_t            at = 0; // columns before this step
  for_each_step(lane_, [&](int, int live) {
    for (int lane = 0; lane < live; ++lane) {
      const auto  c      = at + static_cast<std::size_t>(lane);
      const auto  offset = u.wide ? kernels::read_as<std::uint32_t>(col + 4 * c) : kernels::read_as<std::uint16_t>(col + 2 * c);
      const Local row = u.row + lane_[lane].node * b, column = u.least + static_cast<Local>(offset);
      for (int r = 0; r < b; ++r)
        for (int d = 0; d < block; ++d) visit(row + r, column + d, value[(d * b + r) * live + lane]);
    }
    at += static_cast<std::size_t>(live);
    value += live * b * block;
  });
}

} // namespace petscspmv::ccoo::image
