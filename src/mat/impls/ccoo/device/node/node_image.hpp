#pragma once

/// \file node_image.hpp
/// How gather tiles become units of nodes, and how these are decoded.

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/node/node_arrays.hpp"
#include "impls/ccoo/device/node/node_tuning.hpp"
#include "impls/ccoo/device/rounding.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar> using Nodes = Part<NodeKind, Scalar>;

/// The nodes of a tile, the longest first.
template <class Scalar, class Index> class NodeTile {
public:
  NodeTile(const CsrView<Scalar, Index> &a, const Tile &t) : a_(a), t_(t), order_(static_cast<std::size_t>(t.rows / t.gather.node))
  {
    std::iota(order_.begin(), order_.end(), std::uint16_t(0));
    std::stable_sort(order_.begin(), order_.end(), [this](int p, int q) { return length(p) > length(q); });
  }

  static std::size_t units(const Tile &t) { return static_cast<std::size_t>((t.rows / t.gather.node + lanes - 1) / lanes); }

  int block() const { return t_.gather.blocked ? t_.gather.node : 1; } ///< columns of a step

  /// Of lane i of all units, one after the other.
  NodeLane lane(std::size_t i) const
  {
    if (i >= order_.size()) return {NodeLane::none, 0};
    return {order_[i], static_cast<std::uint16_t>(length(order_[i]) / block())};
  }

private:
  Index first_row(int node) const { return t_.row + node * t_.gather.node; }
  Index length(int node) const { return a_.row_ptr[first_row(node) + 1] - a_.row_ptr[first_row(node)]; }

  const CsrView<Scalar, Index> &a_;
  const Tile                   &t_;
  std::vector<std::uint16_t>    order_;
};

/// A unit before it has a place.
struct NodeDraft {
  NodeUnit                    unit;
  std::array<NodeLane, lanes> lane;
  std::size_t                 steps = 0; ///< of all lanes

  int         block() const { return unit.blocked ? unit.rows_of_node : 1; } ///< columns of a step
  int         longest() const { return lane[0].steps * block(); }            ///< entries of a row
  std::size_t values() const { return steps * static_cast<std::size_t>(unit.rows_of_node * block()); }
  std::size_t pieces_of_columns() const { return (steps * (unit.wide ? 4 : 2) + piece - 1) / piece; }
  std::size_t grains_of_values() const { return (values() + value_grain - 1) / value_grain; }
};

/// The units of all gather tiles: those of few rows a node first, and else in the order of tiles.
template <class Scalar, class Index>
std::vector<NodeDraft> draft_nodes(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads)
{
  std::vector<const Tile *> tiles;
  for (const Tile &t : plan.tiles)
    if (t.kind == Kind::gather) tiles.push_back(&t);
  std::stable_sort(tiles.begin(), tiles.end(), [](const Tile *p, const Tile *q) { return p->gather.node < q->gather.node; });
  std::vector<std::size_t> first(tiles.size() + 1); // unit
  for (std::size_t i = 0; i < tiles.size(); ++i) first[i + 1] = first[i] + NodeTile<Scalar, Index>::units(*tiles[i]);
  std::vector<NodeDraft> drafts(first.back());
  kernels::try_each_ticket(threads, std::ssize(tiles), [&](std::int64_t ticket) {
    const auto                    i = static_cast<std::size_t>(ticket);
    const Tile                   &t = *tiles[i];
    const NodeTile<Scalar, Index> nodes(a, t);
    const bool                    wide = t.gather.columns == Columns::bits32;
    for (std::size_t u = 0; u < first[i + 1] - first[i]; ++u) {
      NodeDraft &d = drafts[first[i] + u];
      d.unit       = {t.row, t.gather.least,   0, 0, static_cast<std::uint16_t>(t.rows), static_cast<std::uint8_t>(t.gather.node),
                      wide,  t.gather.blocked, {}};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        d.lane[lane] = nodes.lane(u * lanes + lane);
        d.steps += d.lane[lane].steps;
      }
    }
  });
  return drafts;
}

/// Puts short units last: those that begin when others have ended already are then soon done, too. The other units stay
/// where they are, for neighbours have x in common. Units of one number of rows a node.
inline void put_short_ones_last(std::span<NodeDraft> units)
{
  const auto last = units.last(std::min(units.size(), tuning::device_last_nodes));
  std::stable_sort(last.begin(), last.end(), [](const NodeDraft &p, const NodeDraft &q) { return p.longest() > q.longest(); });
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

/// Columns of unit i of nodes, lane by lane, as they come in memory.
template <class Scalar, class Index> void fill_columns_of_nodes(const CsrView<Scalar, Index> &a, std::size_t i, Nodes<Scalar> &m)
{
  const NodeUnit          &u      = m.node[i];
  const NodeLane *const    lane_  = m.node_lane.data() + i * lanes;
  std::byte *const         column = m.node_column.data() + u.column * piece;
  const Index              block  = u.blocked ? u.rows_of_node : 1;
  std::vector<std::size_t> before; // columns of the steps before each
  std::size_t              all = 0;
  for_each_step(lane_, [&](int, int live) {
    before.push_back(all);
    all += static_cast<std::size_t>(live);
  });
  with_column_type(u.wide ? Columns::bits32 : Columns::bits16, [&](auto type) {
    for (std::size_t lane = 0; lane < lanes && lane_[lane].steps > 0; ++lane) {
      const Index *const col = a.col + a.row_ptr[u.row + lane_[lane].node * u.rows_of_node];
      for (Index k = 0; k < lane_[lane].steps; ++k) {
        type = static_cast<decltype(type)>(col[k * block] - u.least);
        std::memcpy(column + (before[static_cast<std::size_t>(k)] + lane) * sizeof type, &type, sizeof type);
      }
    }
    std::fill(column + all * sizeof type,
              m.node_column.data() + (i + 1 == m.node.size() ? m.node_column.size() : m.node[i + 1].column * piece), std::byte(0));
  });
}

/// Values of unit i of nodes; those of all units are first .. last - 1.
template <class Scalar, class Index, class Kept>
void fill_values_of_nodes(const CsrView<Scalar, Index> &a, std::size_t i, const Nodes<Scalar> &m, Kept *first, Kept *last)
{
  const NodeUnit       &u     = m.node[i];
  const NodeLane *const lane_ = m.node_lane.data() + i * lanes;
  Kept                 *value = first + u.value * value_grain;
  const int             b = u.rows_of_node, block = u.blocked ? b : 1;
  for_each_step(lane_, [&](int k, int live) {
    for (int lane = 0; lane < live; ++lane) {
      const Index begin  = a.row_ptr[u.row + lane_[lane].node * b] + static_cast<Index>(k) * block;
      const Index length = static_cast<Index>(lane_[lane].steps) * block;
      for (int r = 0; r < b; ++r)
        for (int c = 0; c < block; ++c) value[(c * b + r) * live + lane] = static_cast<Kept>(a.val[begin + r * length + c]);
    }
    value += live * block * b;
  });
  std::fill(value, i + 1 == m.node.size() ? last : first + m.node[i + 1].value * value_grain, Kept(0));
}

/// Calls fill(unit) for all units of nodes.
template <class Scalar, class Fill> void fill_nodes(int threads, const Nodes<Scalar> &m, const Fill &fill)
{
  constexpr std::int64_t batch = 8;
  kernels::try_each_batch(threads, std::ssize(m.node), batch, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) fill(static_cast<std::size_t>(i));
  });
}

/// Units of nodes of all gather tiles with their columns, which are few, and room for their values.
template <class Scalar, class Index> void place_nodes(const Source<Scalar, Index> &from, Nodes<Scalar> &m)
{
  std::vector<NodeDraft> drafts = draft_nodes(from.a, from.plan, from.threads);
  for (const NodeDraft &d : drafts) ++m.units_of_nodes[d.unit.rows_of_node];
  for (std::size_t first = 0, b = 0; b < m.units_of_nodes.size(); first += m.units_of_nodes[b++])
    put_short_ones_last(std::span(drafts).subspan(first, m.units_of_nodes[b]));
  std::size_t columns = 0, values = 0;
  for (NodeDraft &d : drafts) {
    d.unit.column = counted(columns, "columns of nodes");
    d.unit.value  = counted(values, "values of nodes");
    m.node.push_back(d.unit);
    m.node_lane.insert(m.node_lane.end(), d.lane.begin(), d.lane.end());
    m.entries_in_nodes += static_cast<std::int64_t>(d.values());
    columns += d.pieces_of_columns();
    values += d.grains_of_values();
  }
  m.node_column   = in_small_pages(Room<std::byte>(columns * piece));
  m.rounded_nodes = !drafts.empty() && rounds_values(from);
  m.node_value    = room_for_values<Scalar>(values * value_grain, m.rounded_nodes);
  fill_nodes(from.threads, m, [&](std::size_t i) { fill_columns_of_nodes(from.a, i, m); });
}

/// Calls visit(row, column, value) for each entry of unit i of nodes, row by row; values of all units begin at `value`.
template <class Scalar, class Kept, class Visit>
void decode_nodes(const Nodes<Scalar> &m, std::size_t i, const Kept *value, const Visit &visit)
{
  const NodeUnit        &u     = m.node[i];
  const NodeLane *const  lane_ = m.node_lane.data() + i * lanes;
  const std::byte *const col   = m.node_column.data() + u.column * piece;
  const int              b = u.rows_of_node, block = u.blocked ? b : 1;
  std::size_t            at = 0; // columns before this step
  value += u.value * value_grain;
  for_each_step(lane_, [&](int, int live) {
    for (int lane = 0; lane < live; ++lane) {
      const auto  c      = at + static_cast<std::size_t>(lane);
      const auto  offset = u.wide ? kernels::read_as<std::uint32_t>(col + 4 * c) : kernels::read_as<std::uint16_t>(col + 2 * c);
      const Local row = u.row + lane_[lane].node * b, column = u.least + static_cast<Local>(offset);
      for (int r = 0; r < b; ++r)
        for (int d = 0; d < block; ++d) visit(row + r, column + d, Scalar(value[(d * b + r) * live + lane]));
    }
    at += static_cast<std::size_t>(live);
    value += live * b * block;
  });
}

template <> struct HostKind<NodeKind> {
  template <class View> static void                set_rules(DeviceRules &rules, const View &, const OptionValues &) { rules.nodes = true; }
  template <class Scalar, class Index> static void make(const Source<Scalar, Index> &from, Nodes<Scalar> &m)
  {
    place_nodes(from, m);
    if (from.maker) m.node_value.leave();
    else
      with_values(m.node_value, m.rounded_nodes, [&](auto *first, auto *last) {
        fill_nodes(from.threads, m, [&](std::size_t i) { fill_values_of_nodes(from.a, i, m, first, last); });
      });
  }
  template <class Scalar, class Visit> static void decode(const Nodes<Scalar> &m, const Visit &visit)
  {
    with_values(m.node_value, m.rounded_nodes, [&](const auto *first, const auto *) {
      for (std::size_t i = 0; i < m.node.size(); ++i) decode_nodes(m, i, first, visit);
    });
  }
  template <class Scalar> static Facts facts(const Nodes<Scalar> &m)
  {
    return {{"units of 32 nodes", std::to_string(m.node.size()) + (m.rounded_nodes ? " (values: rounded to fp32)" : "")}};
  }
};

} // namespace petscspmv::ccoo::image
