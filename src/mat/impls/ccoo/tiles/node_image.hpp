#pragma once

/// \file node_image.hpp
/// Nodes on a device: rows with the same columns, side by side, without other structure.
///
/// The nodes of a gather tile are sorted by length, the longest first, and taken in units of 32, a node to a lane. Step k of a unit is
/// column k of the nodes that are longer than k, which are always the first lanes; where the columns of all nodes of a tile come in blocks
/// of as many neighbours as a node has rows, a step is a block, of which only the first column is kept. What is kept of a step: a column for
/// each lane that has it; and the values of the first column, of the first rows of these lanes, of the second ones, ..., then those of
/// the second column of the block.

#include <algorithm>
#include <array>
#include <numeric>

#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::ccoo::image {

/// The nodes of a tile while they are sorted and written.
template <class Scalar, class Index> class NodeTile {
public:
  NodeTile(const CsrView<Scalar, Index> &a, const Tile &t) : a_(a), t_(t), order_(static_cast<std::size_t>(t.rows / t.node))
  {
    std::iota(order_.begin(), order_.end(), std::uint16_t(0));
    std::stable_sort(order_.begin(), order_.end(), [this](int p, int q) { return length(p) > length(q); });
    blocked_ = std::all_of(order_.begin(), order_.end(), [this](int node) { return is_blocked(node); });
  }

  int  units() const { return (static_cast<int>(order_.size()) + lanes - 1) / lanes; }
  bool blocked() const { return blocked_; }
  int  block() const { return blocked_ ? t_.node : 1; } ///< columns of a step

  /// The node of a lane of a unit, or -1.
  int node(int unit, int lane) const
  {
    const std::size_t i = static_cast<std::size_t>(unit) * lanes + static_cast<std::size_t>(lane);
    return i < order_.size() ? order_[i] : -1;
  }
  int steps(int unit, int lane) const
  {
    const int n = node(unit, lane);
    return n < 0 ? 0 : static_cast<int>(length(n)) / block();
  }
  std::size_t all_steps(int unit) const
  {
    std::size_t n = 0;
    for (int lane = 0; lane < lanes; ++lane) n += static_cast<std::size_t>(steps(unit, lane));
    return n;
  }

  /// Calls visit(lane, k, number of lanes with step k) in the order in which columns are kept.
  template <class Visit> void for_each_step(int unit, const Visit &visit) const
  {
    int live = lanes;
    for (int k = 0; k < steps(unit, 0); ++k) {
      while (steps(unit, live - 1) <= k) --live;
      for (int lane = 0; lane < live; ++lane) visit(lane, k, live);
    }
  }

  /// The entries of the first row of a lane's node, those of the others follow them.
  struct Entries {
    const Index  *column;
    const Scalar *value;
    Index         length; ///< of a row
  };
  Entries entries(int unit, int lane) const
  {
    const int n = node(unit, lane);
    if (n < 0) return {nullptr, nullptr, 0};
    const Index begin = a_.row_ptr[first_row(n)];
    return {a_.col + begin, a_.val + begin, length(n)};
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

/// Gather tiles in the order in which their units are kept: those of few rows a node first.
template <class Scalar, class Index> class NodeTiles {
public:
  explicit NodeTiles(const Plan<Scalar, Index, DeviceGroup> &plan)
  {
    for (const Tile &t : plan.tiles)
      if (t.kind == Kind::gather) tiles_.push_back(&t);
    std::stable_sort(tiles_.begin(), tiles_.end(), [](const Tile *p, const Tile *q) { return p->node < q->node; });
    first_.resize(tiles_.size() + 1);
    for (std::size_t i = 0; i < tiles_.size(); ++i) first_[i + 1] = first_[i] + units(*tiles_[i]);
  }

  static std::size_t units(const Tile &t) { return static_cast<std::size_t>((t.rows / t.node + lanes - 1) / lanes); }

  const std::vector<const Tile *> &list() const { return tiles_; }
  std::size_t                      all_units() const { return first_.back(); }

  /// Calls work(tile, its nodes, unit of the tile, unit of all).
  template <class Work> void each_unit(const CsrView<Scalar, Index> &a, int threads, const Work &work) const
  {
    kernels::try_each_ticket(threads, std::ssize(tiles_), [&](std::int64_t ticket) {
      const auto                    i = static_cast<std::size_t>(ticket);
      const NodeTile<Scalar, Index> nodes(a, *tiles_[i]);
      for (int u = 0; u < nodes.units(); ++u) work(*tiles_[i], nodes, u, first_[i] + static_cast<std::size_t>(u));
    });
  }

private:
  std::vector<const Tile *> tiles_;
  std::vector<std::size_t>  first_; // unit
};

/// Units of nodes of all gather tiles, and room for their columns and values.
template <class Scalar, class Index>
void place_nodes(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads, Image<Scalar> &m)
{
  const NodeTiles<Scalar, Index> tiles(plan);
  for (const Tile *t : tiles.list()) {
    m.entries_in_nodes += t->values;
    m.units_of_nodes[t->node] += static_cast<std::uint32_t>(tiles.units(*t));
  }
  m.node.resize(tiles.all_units());
  m.node_lane.resize(tiles.all_units() * lanes);
  std::vector<std::size_t> columns(tiles.all_units() + 1), values(tiles.all_units() + 1);
  tiles.each_unit(a, threads, [&](const Tile &t, const auto &nodes, int u, std::size_t i) {
    const bool        wide  = t.columns == Columns::bits32;
    const std::size_t steps = nodes.all_steps(u);
    m.node[i] = {t.row, t.least, 0, 0, static_cast<std::uint16_t>(t.rows), static_cast<std::uint8_t>(t.node), wide, nodes.blocked(), {}};
    columns[i + 1] = (steps * (wide ? 4 : 2) + piece - 1) / piece;
    values[i + 1]  = (steps * static_cast<std::size_t>(t.node * nodes.block()) + value_grain - 1) / value_grain;
    for (int lane = 0; lane < lanes; ++lane)
      m.node_lane[i * lanes + static_cast<std::size_t>(lane)] =
        nodes.node(u, lane) < 0
          ? NodeLane{NodeLane::none, 0}
          : NodeLane{static_cast<std::uint16_t>(nodes.node(u, lane)), static_cast<std::uint16_t>(nodes.steps(u, lane))};
  });
  std::partial_sum(columns.begin(), columns.end(), columns.begin());
  std::partial_sum(values.begin(), values.end(), values.begin());
  counted(columns.back(), "columns of nodes");
  counted(values.back(), "values of nodes");
  for (std::size_t i = 0; i < m.node.size(); ++i) {
    m.node[i].column = static_cast<std::uint32_t>(columns[i]);
    m.node[i].value  = static_cast<std::uint32_t>(values[i]);
  }
  m.node_column = Room<std::byte>(columns.back() * piece);
  m.node_value  = Room<Scalar>(values.back() * value_grain);
}

/// Columns and values of nodes.
template <class Scalar, class Index>
void fill_nodes(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads, Image<Scalar> &m)
{
  NodeTiles<Scalar, Index>(plan).each_unit(a, threads, [&](const Tile &t, const auto &nodes, int u, std::size_t i) {
    const NodeUnit                                              &unit   = m.node[i];
    const bool                                                   last   = i + 1 == m.node.size();
    std::byte                                                   *column = m.node_column.data() + unit.column * piece;
    Scalar                                                      *value  = m.node_value.data() + unit.value * value_grain;
    const int                                                    block = nodes.block(), b = t.node;
    std::array<typename NodeTile<Scalar, Index>::Entries, lanes> of_lane;
    for (int lane = 0; lane < lanes; ++lane) of_lane[static_cast<std::size_t>(lane)] = nodes.entries(u, lane);
    with_column_type(unit.wide ? Columns::bits32 : Columns::bits16, [&](auto type) {
      nodes.for_each_step(u, [&](int lane, int k, int) {
        type = static_cast<decltype(type)>(of_lane[static_cast<std::size_t>(lane)].column[k * block] - t.least);
        std::memcpy(column, &type, sizeof type);
        column += sizeof type;
      });
    });
    nodes.for_each_step(u, [&](int lane, int k, int live) {
      const auto &from = of_lane[static_cast<std::size_t>(lane)];
      for (int r = 0; r < b; ++r)
        for (int c = 0; c < block; ++c) value[(c * b + r) * live + lane] = from.value[r * from.length + k * block + c];
      if (lane + 1 == live) value += live * block * b;
    });
    std::fill(value, m.node_value.data() + (last ? m.node_value.size() : m.node[i + 1].value * value_grain), Scalar(0));
    std::fill(column, m.node_column.data() + (last ? m.node_column.size() : m.node[i + 1].column * piece), std::byte(0));
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
  for (int k = 0; k < lane_[0].steps; ++k) {
    int live = 0;
    while (live < lanes && lane_[live].steps > k) ++live;
    for (int lane = 0; lane < live; ++lane) {
      const auto  c      = at + static_cast<std::size_t>(lane);
      const auto  offset = u.wide ? kernels::read_as<std::uint32_t>(col + 4 * c) : kernels::read_as<std::uint16_t>(col + 2 * c);
      const Local row = u.row + lane_[lane].node * b, column = u.least + static_cast<Local>(offset);
      for (int r = 0; r < b; ++r)
        for (int d = 0; d < block; ++d) visit(row + r, column + d, value[(d * b + r) * live + lane]);
    }
    at += static_cast<std::size_t>(live);
    value += live * b * block;
  }
}

} // namespace petscspmv::ccoo::image
