#include "impls/sweeps/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/block_graph.hpp"
#include "impls/sweeps/sweeps_tuning.hpp"

namespace petscspmv {
namespace sweeps {
namespace {

using Number = std::int64_t;

std::size_t at(Number i)
{
  return static_cast<std::size_t>(i);
}

/// Couplings over one distance in the numbers of nodes.
struct Coupling {
  Number rows     = 0; ///< that have it
  double strength = 0; ///< sum of their largest entries for it, each over the largest of its row
};

/// Of some rows, which stand for all.
struct Sample {
  std::map<Number, Coupling> couplings; ///< by distances over 0
  Number                     rows = 0;
};

/// Rows of a node, by a sample: they have the same columns. 1 if there are no nodes.
template <class Scalar, class Index> Number node_of(const CsrView<Scalar, Index> &a)
{
  constexpr Number most = 6, nodes = 64;
  const auto       has_node = [&a](Index first, Number rows) {
    const Index *const begin = a.col + a.row_ptr[first], *const end = a.col + a.row_ptr[first + 1];
    for (Index r = first + 1; r < first + static_cast<Index>(rows); ++r)
      if (!std::equal(begin, end, a.col + a.row_ptr[r], a.col + a.row_ptr[r + 1])) return false;
    return true;
  };
  for (Number rows = most; rows > 1; --rows) {
    bool all = a.rows % rows == 0;
    for (Number k = 0; k < nodes && all; ++k) all = has_node(static_cast<Index>(k * (a.rows / rows) / nodes * rows), rows);
    if (all) return rows;
  }
  return 1;
}

template <class Scalar, class Index> Sample sample_of(const CsrView<Scalar, Index> &a, const Scalar *values, Number node)
{
  constexpr Number most = 512;
  Sample           sample;
  sample.rows = std::min<Number>(most, a.rows);
  for (Number k = 0; k < sample.rows; ++k) {
    const auto               r = static_cast<Index>(k * a.rows / sample.rows);
    std::map<Number, double> row; // strength by distance
    double                   largest = 0;
    for (Index i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) {
      const Number distance = std::abs(a.col[i] / node - r / node);
      if (distance == 0) continue;
      double &own = row[distance];
      own         = std::max(own, values ? static_cast<double>(std::abs(values[i])) : 1.0);
      largest     = std::max(largest, own);
    }
    for (const auto &[distance, strength] : row) {
      Coupling &c = sample.couplings[distance];
      c.rows += 1;
      c.strength += largest > 0 ? strength / largest : 0;
    }
  }
  return sample;
}

/// A grid of up to three dimensions whose nodes are numbered line by line.
struct Grid {
  std::vector<Number> stride{1};
  std::vector<Number> extent;   ///< [dimensions]
  std::vector<double> strength; ///< [dimensions] of couplings to the next node
};

/// The distances of a stencil come in clusters around the strides: 27 points have 1, around n, and around m n.
Grid grid_of(const Sample &sample, Number nodes)
{
  constexpr std::size_t most_dimensions = Boxes::most_dimensions;
  constexpr Number      most_neighbours = 4; // of a node in one direction
  Grid                  grid;
  Number                reach = 0; // the largest distance that the strides so far explain
  std::vector<Number>   distances;
  for (const auto &[distance, coupling] : sample.couplings)
    if (2 * coupling.rows > sample.rows) distances.push_back(distance);
  for (auto d = distances.begin(); d != distances.end() && grid.stride.size() <= most_dimensions;) {
    if (*d <= reach + 1) { // of neighbours in a line
      reach = *d++;
      continue;
    }
    const auto   end    = std::upper_bound(d, distances.end(), *d + 2 * reach);
    const Number centre = (*d + end[-1]) / 2, last = grid.stride.back();
    reach = end[-1];
    d     = end;
    if (centre % last != 0) break;
    if (centre / last > most_neighbours) grid.stride.push_back(centre);
  }
  grid.stride.resize(std::min(grid.stride.size(), most_dimensions));
  for (std::size_t k = 0; k < grid.stride.size(); ++k) {
    const bool   ends  = k + 1 == grid.stride.size();
    const Number lines = (nodes + grid.stride[k] - 1) / grid.stride[k];
    grid.extent.push_back(ends ? lines : grid.stride[k + 1] / grid.stride[k]);
    const auto found = sample.couplings.find(grid.stride[k]);
    grid.strength.push_back(found == sample.couplings.end() ? 0 : found->second.strength);
  }
  return grid;
}

/// In how many boxes to cut each dimension, so that a box has up to `most` nodes: the strongest coupling over the width
/// is worth the next doubling.
std::vector<Number> boxes_of(const Grid &grid, Number most)
{
  std::vector<Number> width(grid.extent.size(), 1), boxes;
  const auto          worth = [&](std::size_t k) {
    return width[k] >= grid.extent[k] ? -1 : (grid.strength[k] + 1e-9) / static_cast<double>(width[k]);
  };
  for (Number volume = 1; 2 * volume <= most; volume *= 2) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < width.size(); ++k)
      if (worth(k) > worth(best)) best = k;
    if (worth(best) < 0) break;
    width[best] *= 2;
  }
  for (std::size_t k = 0; k < width.size(); ++k) boxes.push_back((grid.extent[k] + width[k] - 1) / width[k]);
  return boxes;
}

/// The grid's boxes of so many nodes at most.
Boxes cut(const Grid &grid, Number node_rows, Number block_nodes)
{
  const std::vector<Number> boxes = boxes_of(grid, block_nodes);
  Boxes                     cut{node_rows, static_cast<int>(boxes.size())};
  std::copy(grid.stride.begin(), grid.stride.end(), cut.stride);
  std::copy(grid.extent.begin(), grid.extent.end(), cut.extent);
  std::copy(boxes.begin(), boxes.end(), cut.boxes);
  return cut;
}

/// The block of each row, in boxes. By batches of rows.
template <class Index> std::vector<Index> blocks_by_boxes(Index rows, const Boxes &box, int threads)
{
  constexpr Number   batch_rows = 1 << 14;
  std::vector<Index> block(at(rows));
  runtime::for_each_batch(threads, rows, batch_rows, [&](Number first, Number last) {
    for (Number r = first; r < last; ++r) block[at(r)] = static_cast<Index>(box(r));
  });
  return block;
}

/// The block of each row, in patches: breadth first from a row that the patch before has reached, or the first that is
/// left.
template <class Scalar, class Index> std::vector<Index> blocks_by_growth(const CsrView<Scalar, Index> &a, Number block_rows)
{
  constexpr Index    none = -1;
  std::vector<Index> block(at(a.rows), none), patch, reached;
  Index              blocks = 0, first_left = 0;
  const auto         take = [&](Index r) {
    block[at(r)] = blocks;
    patch.push_back(r);
  };
  const auto next_start = [&]() -> Index {
    for (const Index r : reached)
      if (block[at(r)] == none) return r;
    while (first_left < a.rows && block[at(first_left)] != none) ++first_left;
    return first_left;
  };
  for (Index start = next_start(); start < a.rows; start = next_start(), ++blocks) {
    patch.clear();
    reached.clear();
    take(start);
    for (std::size_t k = 0; k < patch.size(); ++k)
      for (Index i = a.row_ptr[patch[k]]; i < a.row_ptr[patch[k] + 1]; ++i) {
        const Index c = a.col[i];
        if (block[at(c)] != none) continue;
        if (static_cast<Number>(patch.size()) < block_rows) take(c);
        else reached.push_back(c);
      }
  }
  return block;
}

/// Whether consecutive nodes have a good part of their couplings among each other.
bool is_local(const Sample &sample, Number block_nodes)
{
  Number within = 0, all = 0;
  for (const auto &[distance, coupling] : sample.couplings) {
    all += coupling.rows;
    if (distance < block_nodes) within += coupling.rows;
  }
  return 4 * within >= all;
}

/// The least colour that no neighbour has yet, block by block, those with most neighbours first (Welsh and Powell, The
/// Computer Journal 10, 1967): of meshes, a colour or two fewer than in the order of the blocks.
template <class Index> std::vector<Index> colours_of(const BlockGraph<Index> &graph)
{
  constexpr Index    none   = -1;
  const std::size_t  blocks = graph.first.size() - 1;
  std::vector<Index> start(blocks + 1), neighbour(2 * graph.read.size());         // of each block, some twice
  std::vector<Index> turn(blocks), colour(blocks, none), taken(blocks + 1, none); // taken: the last block with a neighbour of the colour
  const auto         each_pair = [&](const auto &take) {
    for (std::size_t b = 0; b < blocks; ++b)
      for (Index k = graph.start[b]; k < graph.start[b + 1]; ++k) {
        take(b, graph.read[at(k)]);
        take(at(graph.read[at(k)]), static_cast<Index>(b));
      }
  };
  each_pair([&](std::size_t b, Index) { ++start[b]; });
  std::partial_sum(start.begin(), start.end(), start.begin());
  each_pair([&](std::size_t b, Index other) { neighbour[at(--start[b])] = other; });
  std::iota(turn.begin(), turn.end(), Index(0));
  const auto size = [&start](Index b) { return start[at(b) + 1] - start[at(b)]; };
  std::stable_sort(turn.begin(), turn.end(), [&](Index p, Index q) { return size(p) > size(q); });
  for (const Index b : turn) {
    for (Index k = start[at(b)]; k < start[at(b) + 1]; ++k)
      if (const Index other = neighbour[at(k)]; colour[at(other)] != none) taken[at(colour[at(other)])] = b;
    Index &own = colour[at(b)] = 0;
    while (taken[at(own)] == b) ++own;
  }
  return colour;
}

/// On a device, of boxes by its kernels, unless these have no room.
template <class Scalar, class Index>
BlockGraph<Index> graph_of_boxes(const CsrView<Scalar, Index> &a, const Boxes &box, const Execution &execution)
{
  if (execution.space == MemorySpace::device || execution.kernels == Kernels::kokkos) try {
      if (auto graph = block_graph_by_kernels(a, box, execution)) return std::move(*graph);
    } catch (const FormatError &) {
      // whoever works in this order says so
    }
  return block_graph(a, blocks_by_boxes(a.rows, box, execution.threads), static_cast<Index>(box.size()), execution.threads);
}

/// Rows of a block, at most.
Number most_rows(Number rows, Number entries)
{
  constexpr Number row_bytes = 48, entry_bytes = 12; // of a team's memory, for an entry of either triangle
  const Number     of_all = std::max<Number>(rows / tuning::fewest_blocks, tuning::least_block_rows);
  const Number     fit    = Number{tuning::team_bytes} * rows / (row_bytes * rows + entry_bytes * entries / 2);
  return std::min({of_all, fit, Number{tuning::block_rows}});
}

} // namespace
} // namespace sweeps

template <class Scalar, class Index>
BlockOrder<Index> block_order(const CsrView<Scalar, Index> &a, const Scalar *values, Index node_rows, const Execution &execution)
{
  using namespace sweeps;
  BlockOrder<Index> order{{}, {0}, {0}};
  if (a.rows == 0) return order;
  const Number      node = node_rows == 1 ? node_of(a) : a.rows % node_rows == 0 ? node_rows : 1, nodes = a.rows / node;
  const Number      block_nodes = std::max<Number>(most_rows(a.rows, a.nonzeros()) / node, 1);
  const Sample      sample      = sample_of(a, values, node);
  const Grid        grid        = grid_of(sample, nodes);
  const bool        grows       = grid.stride.size() == 1 && node == 1 && !is_local(sample, block_nodes);
  BlockGraph<Index> graph;
  if (grows) {
    const auto block = blocks_by_growth(a, block_nodes);
    graph            = block_graph(a, block, *std::max_element(block.begin(), block.end()) + 1, execution.threads);
  } else graph = graph_of_boxes(a, cut(grid, node, block_nodes), execution);
  const auto colour = colours_of(graph);

  std::vector<Index> sorted(colour.size());
  std::iota(sorted.begin(), sorted.end(), Index(0));
  std::erase_if(sorted, [&](Index b) { return graph.first[at(b)] == graph.first[at(b) + 1]; }); // a box without rows
  std::stable_sort(sorted.begin(), sorted.end(), [&](Index p, Index q) { return colour[at(p)] < colour[at(q)]; });
  for (const Index b : sorted) {
    order.block.push_back(order.block.back() + graph.first[at(b) + 1] - graph.first[at(b)]);
    order.colour.resize(at(colour[at(b)]) + 2, order.colour.back());
    ++order.colour.back();
  }
  order.row.resize(at(a.rows));
  constexpr Number batch_blocks = 128;
  runtime::for_each_batch(execution.threads, std::ssize(sorted), batch_blocks, [&](Number first, Number last) {
    for (Number k = first; k < last; ++k)
      std::copy(graph.row.begin() + graph.first[at(sorted[at(k)])], graph.row.begin() + graph.first[at(sorted[at(k)]) + 1],
                order.row.begin() + order.block[at(k)]);
  });
  return order;
}

#define INSTANTIATE(S, I) template BlockOrder<I> block_order(const CsrView<S, I> &, const S *, I, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
