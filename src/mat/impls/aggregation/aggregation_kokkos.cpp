#include <type_traits>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/aggregation/aggregation.hpp"
#include "impls/aggregation/contracted.hpp"
#include "impls/aggregation/near_null_space.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv {
namespace aggregation {
namespace {

/// What the values of a prolongator are made of.
template <class S, class Index> struct Smoothing {
  Pattern<Index> a;
  const S       *val;
  Index          node_rows;
  const Index   *aggregate; ///< [nodes]
  const double  *tentative; ///< [rows][columns]
  int            columns;
  Pattern<Index> near;    ///< aggregates of each node's row of the prolongator
  const Index   *row_ptr; ///< of the prolongator
};

/// Writes the rows of (I - omega D^-1 A) P0. As PETSc, adds products in the order of A's row, divides, scales and adds
/// P0.
template <class Exec, class S, class Index> void smooth(const Exec &exec, Index rows, const Smoothing<S, Index> &p, double omega, S *value)
{
  each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      const std::int64_t own  = r / p.node_rows;
      const Index *const near = p.near.col + p.near.row_ptr[own];
      const Index        some = p.near.size(own);
      S *const           to   = value + p.row_ptr[r];
      S                  diagonal(0);
      for (Index k = 0; k < some * p.columns; ++k) to[k] = S(0);
      for (Index e = p.a.row_ptr[r]; e < p.a.row_ptr[r + 1]; ++e) {
        const Index column = p.a.col[e], g = p.aggregate[column / p.node_rows];
        if (column == r) diagonal = p.val[e];
        if (g < 0) continue;
        S *const            sum = to + place_of(near, some, g) * p.columns;
        const double *const row = p.tentative + std::int64_t(column) * p.columns;
        for (int j = 0; j < p.columns; ++j) sum[j] += p.val[e] * row[j];
      }
      const S reciprocal = diagonal == S(0) ? S(0) : S(1) / diagonal;
      for (Index k = 0; k < some * p.columns; ++k) to[k] = -omega * (reciprocal * to[k]);
      if (p.aggregate[own] < 0) return;
      S *const own_columns = to + place_of(near, some, p.aggregate[own]) * p.columns;
      for (int j = 0; j < p.columns; ++j) own_columns[j] += p.tentative[r * p.columns + j];
    });
}

/// Writes the rows of P0.
template <class Exec, class S, class Index> void copy_tentative(const Exec &exec, Index rows, const Smoothing<S, Index> &p, S *value)
{
  each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      if (p.aggregate[r / p.node_rows] < 0) return;
      for (int j = 0; j < p.columns; ++j) value[p.row_ptr[r] + j] = p.tentative[r * p.columns + j];
    });
}

/// The aggregates that A's rows of each node reach.
template <class Memory, class Exec, class Index>
Lists<Index> aggregates_near(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, const Index *aggregate, Index nodes,
                             Index node_rows, std::int64_t nonzeros)
{
  return distinct_of_rows(
    exec, room, a, nodes, node_rows, nonzeros, KOKKOS_LAMBDA(const Index column) { return aggregate[column / node_rows]; });
}

/// The aggregate of each node, if it is in one.
template <class Memory, class Exec, class Index>
Lists<Index> own_aggregates(const Exec &exec, Room<Memory> &room, const Index *aggregate, Index nodes)
{
  const Lists<Index> own = room_for<Memory, Exec, Index>(
    exec, room, nodes, KOKKOS_LAMBDA(const std::int64_t v) { return aggregate[v] < 0 ? 0 : 1; });
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      if (aggregate[v] >= 0) own.number[own.start[v]] = aggregate[v];
    });
  return own;
}

/// Numbers roots as they ascend, and gives nodes the number of theirs. Returns how many there are.
template <class Memory, class Exec, class Index>
Index number_roots(const Exec &exec, Room<Memory> &room, Index nodes, const Index *root, Index *aggregate)
{
  auto *const number = room.template take<Index>(nodes + 1);
  const auto  n      = sum_before(
          exec, nodes, number, KOKKOS_LAMBDA(const std::int64_t v) { return root[v] == v ? 1 : 0; });
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { aggregate[v] = root[v] < 0 ? Index(-1) : number[root[v]]; });
  return static_cast<Index>(n);
}

/// Does what QR does for all aggregates. `fine`: [columns][rows]; `tentative`: [rows][columns]; `coarse`: see
/// orthonormalise().
template <class Memory, class Exec, class Index>
void decompose(const Exec &exec, Room<Memory> &room, const Pattern<Index> &members, Index aggregates, Index rows, Index node_rows,
               int columns, const double *fine, double *tentative, double *coarse)
{
  auto *const tau = room.template take<double>(std::int64_t(aggregates) * columns);
  each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      for (int j = 0; j < columns; ++j) tentative[r * columns + j] = fine[j * std::int64_t(rows) + r];
    });
  each(
    exec, aggregates, KOKKOS_LAMBDA(const std::int64_t g) {
      const RowsOfAggregate<Index> own{members.col + members.row_ptr[g], node_rows, members.size(g) * node_rows, columns, tentative};
      own.decompose(tau + g * columns,
                    [&](int row, int column, double value) { coarse[(column * std::int64_t(aggregates) + g) * columns + row] = value; });
    });
}

/// On the host or on a device, which is `Place`.
template <class Scalar, class Index, class Place> class KokkosAggregation final : public Aggregation<Scalar, Index> {
  using S                       = kernels::KokkosScalar<Scalar>;
  using Memory                  = typename Place::Memory;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

public:
  KokkosAggregation(const CsrView<Scalar, Index> &a, Index node_rows, const Edges &edges, const Execution &execution)
    : rows_(a.rows), node_rows_(node_rows), nodes_(a.rows / node_rows), nonzeros_(a.nonzeros()), memory_{execution.threads},
      a_(pattern_at<Place>(a)), val_(reinterpret_cast<const S *>(a.val))
  {
    constexpr int arrays = 16; // of an Index for each node
    run([&](const auto &exec) {
      room_.expect(static_cast<std::size_t>(nonzeros_ * (node_rows == 1 ? 1 : 2) + std::int64_t(nodes_) * arrays) * sizeof(Index));
      Lists<Index> graph = node_rows == 1 ? Lists<Index>{const_cast<Index *>(a_.row_ptr), const_cast<Index *>(a_.col), nonzeros_}
                                          : nodes_of(exec, room_, a_, nodes_, node_rows_, node_rows_, nonzeros_);
      auto         found = faults(exec, graph.pattern(), nodes_);
      if (edges.symmetrised && found.second > 0) {
        graph        = with_transpose(exec, room_, graph, nodes_);
        found.second = 0;
      }
      if (edges.threshold >= 0) {
        graph = with_strong_edges(exec, room_, graph, nodes_, Weight<S, Index>{a_, val_, node_rows_, edges.symmetrised, nullptr},
                                  edges.threshold);
        found = faults(exec, graph.pattern(), nodes_);
      }
      graph_   = graph.pattern();
      problem_ = problem_of(found);
    });
  }

  /// Why there are no aggregates of this graph; empty: there are.
  const std::string &problem() const { return problem_; }

  std::vector<Index> degrees() const override
  {
    std::vector<Index> degree = on_host_of(graph_.row_ptr, static_cast<std::size_t>(nodes_) + 1);
    for (std::size_t v = 0; v + 1 < degree.size(); ++v) degree[v] = degree[v + 1] - degree[v];
    degree.pop_back();
    return degree;
  }

  Index aggregate(Coarsening how, const std::vector<Index> &order) override
  {
    how_ = how;
    run([&](const auto &exec) {
      const Index *const places = brought(order.data(), nodes_);
      auto *const        ranks  = room_.template take<Index>(nodes_);
      each(exec, nodes_, kernels::Invert<Index>{places, ranks});
      owned_      = owners(exec, room_, graph_, nodes_, ranks, places, how == Coarsening::squared ? 2 : 1);
      aggregate_  = room_.template take<Index>(nodes_);
      aggregates_ = number_roots(exec, room_, nodes_, owned_.root, aggregate_);
      if (how == Coarsening::twice) aggregate_again(exec);
    });
    return aggregates_;
  }

  std::vector<Index> aggregates() const override { return on_host_of(aggregate_, static_cast<std::size_t>(nodes_)); }

  void orthonormalise(const double *fine, int columns, double *coarse) override
  {
    const std::int64_t n = std::int64_t(rows_) * columns, m = std::int64_t(aggregates_) * columns * columns;
    columns_ = columns;
    run([&](const auto &exec) {
      const auto lists = grouped(exec, room_, nodes_, aggregates_, aggregate_,
                                 InList<Index>{owned_.entering, how_ == Coarsening::neighbours || how_ == Coarsening::twice});
      room_.expect(static_cast<std::size_t>(2 * n + 2 * m) * sizeof(double));
      const double *const from = brought(fine, n);
      double *const       to   = on_host ? coarse : room_.template take<double>(m);
      tentative_               = room_.template take<double>(n);
      decompose(exec, room_, lists.pattern(), aggregates_, rows_, node_rows_, columns, from, tentative_, to);
      if (!on_host) copy_to_host(to, static_cast<std::size_t>(m), coarse);
    });
  }

  std::vector<Index> pattern(bool smoothed) override
  {
    smoothed_ = smoothed;
    run([&](const auto &exec) {
      near_ = smoothed ? aggregates_near(exec, room_, a_, aggregate_, nodes_, node_rows_, nonzeros_)
                       : own_aggregates(exec, room_, aggregate_, nodes_);
      made_ =
        columns_ == 1 && node_rows_ == 1 ? near_ : expanded(exec, room_, near_.pattern(), rows_, node_rows_, static_cast<Index>(columns_));
    });
    return on_host_of(made_.start, static_cast<std::size_t>(rows_) + 1);
  }

  void columns(Index *to) const override { copy_to_host(made_.number, static_cast<std::size_t>(made_.size), to); }

  void values(double omega, Scalar *val) const override
  {
    const Smoothing<S, Index> p{a_, val_, node_rows_, aggregate_, tentative_, columns_, near_.pattern(), made_.start};
    run([&](const auto &exec) {
      if (smoothed_) smooth(exec, rows_, p, omega, reinterpret_cast<S *>(val));
      else copy_tentative(exec, rows_, p, reinterpret_cast<S *>(val));
      exec.fence("petscspmv aggregation: the prolongator is there");
    });
  }

private:
  template <class Go> void run(const Go &go) const
  {
    memory_.taking([&] { memory_.run(go); });
  }

  template <class Exec> void aggregate_again(const Exec &exec)
  {
    const Lists<Index> graph = contracted(exec, room_, graph_, nodes_, aggregate_, aggregates_);
    const auto         start = on_host_of(graph.start, static_cast<std::size_t>(aggregates_) + 1);
    const auto [of, coarser] = aggregates_of_loop(start, on_host_of(graph.number, static_cast<std::size_t>(graph.size)));
    follow(exec, nodes_, brought(of.data(), aggregates_), aggregate_);
    aggregates_ = coarser;
    memory_.wait(); // for what is brought from here
  }

  /// An array of the host where the kernels are, which on a device is a copy.
  template <class T> const T *brought(const T *from, std::int64_t n)
  {
    if constexpr (on_host) return from;
    else {
      T *const to = room_.template take<T>(n);
      memory_.copy(kernels::borrowed_array<Kokkos::HostSpace>(from, static_cast<std::size_t>(n)),
                   kernels::borrowed_array<Memory>(to, static_cast<std::size_t>(n)));
      return to;
    }
  }

  template <class T> void copy_to_host(const T *from, std::size_t n, T *to) const
  {
    memory_.copy_to_host(from, n, to);
    memory_.wait();
  }

  template <class T> std::vector<T> on_host_of(const T *from, std::size_t n) const
  {
    std::vector<T> to(n);
    copy_to_host(from, n, to.data());
    return to;
  }

  Index                        rows_, node_rows_, nodes_;
  std::int64_t                 nonzeros_;
  kernels::KokkosMemory<Place> memory_;
  Room<Memory>                 room_; ///< of all arrays
  Pattern<Index>               a_, graph_;
  const S                     *val_;
  std::string                  problem_; ///< with the graph
  Coarsening                   how_ = Coarsening::neighbours;
  Owned<Index>                 owned_;
  Index                       *aggregate_  = nullptr; ///< [nodes]
  Index                        aggregates_ = 0;
  int                          columns_    = 1;
  double                      *tentative_  = nullptr; ///< [rows][columns]
  bool                         smoothed_   = false;
  Lists<Index>                 near_; ///< aggregates of each node's row of the prolongator
  Lists<Index>                 made_; ///< the prolongator's pattern
};

template <class Place, class Scalar, class Index>
std::unique_ptr<Aggregation<Scalar, Index>> made(const CsrView<Scalar, Index> &a, Index node_rows, const Edges &edges,
                                                 const Execution &execution, std::string *why_not)
{
  auto aggregation = std::make_unique<KokkosAggregation<Scalar, Index, Place>>(a, node_rows, edges, execution);
  *why_not         = aggregation->problem();
  if (!why_not->empty()) return nullptr;
  return aggregation;
}

} // namespace
} // namespace aggregation

template <class Scalar, class Index>
std::unique_ptr<Aggregation<Scalar, Index>> make_aggregation(const CsrView<Scalar, Index> &a, Index node_rows, const Edges &edges,
                                                             const Execution &execution, std::string *why_not)
{
  return kernels::made_at(execution.space,
                          [&]<class Place>(Place) { return aggregation::made<Place>(a, node_rows, edges, execution, why_not); });
}

#define INSTANTIATE(S, I) \
  template std::unique_ptr<Aggregation<S, I>> make_aggregation(const CsrView<S, I> &, I, const Edges &, const Execution &, std::string *);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
