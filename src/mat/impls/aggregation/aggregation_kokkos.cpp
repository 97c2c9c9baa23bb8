#include <type_traits>
#include <utility>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "impls/aggregation/aggregation.hpp"
#include "impls/aggregation/near_null_space.hpp"
#include "kernels/kokkos/format.hpp"

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

/// Writes the rows of (I - omega D^-1 A) P0. As PETSc, adds products in the order of A's row, divides, scales and adds P0.
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

/// Rows and columns for nodes and aggregates: each row of a node has all columns of each aggregate.
template <class Memory, class Exec, class Index>
Lists<Index, Memory> expanded(const Exec &exec, const Pattern<Index> &near, Index rows, Index node_rows, int columns)
{
  Lists<Index, Memory> made;
  made.start         = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows) + 1);
  Index *const start = made.start.data();
  const auto   n     = sum_before(
          exec, rows, start, KOKKOS_LAMBDA(const std::int64_t r) { return std::int64_t(near.size(r / node_rows)) * columns; });
  made.number         = kernels::new_array<Index, Memory>(static_cast<std::size_t>(n));
  Index *const column = made.number.data();
  each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      const Index *const from = near.col + near.row_ptr[r / node_rows];
      for (Index k = 0; k < start[r + 1] - start[r]; ++k) column[start[r] + k] = from[k / columns] * columns + k % columns;
    });
  return made;
}

/// The graph of nodes.
template <class Memory, class Exec, class Index>
Lists<Index, Memory> graph_of_nodes(const Exec &exec, const Pattern<Index> &a, Index nodes, Index node_rows, std::int64_t nonzeros)
{
  return distinct<Memory>(
    exec, a, nodes, node_rows, nonzeros, KOKKOS_LAMBDA(const Index column) { return column / node_rows; });
}

/// The aggregates that A's rows of each node reach.
template <class Memory, class Exec, class Index>
Lists<Index, Memory> aggregates_near(const Exec &exec, const Pattern<Index> &a, const Index *aggregate, Index nodes, Index node_rows,
                                     std::int64_t nonzeros)
{
  return distinct<Memory>(
    exec, a, nodes, node_rows, nonzeros, KOKKOS_LAMBDA(const Index column) { return aggregate[column / node_rows]; });
}

/// The aggregate of each node, if it is in one.
template <class Memory, class Exec, class Index> Lists<Index, Memory> own_aggregates(const Exec &exec, const Index *aggregate, Index nodes)
{
  Lists<Index, Memory> own;
  own.start          = kernels::new_array<Index, Memory>(static_cast<std::size_t>(nodes) + 1);
  Index *const start = own.start.data();
  const auto   n     = sum_before(
          exec, nodes, start, KOKKOS_LAMBDA(const std::int64_t v) { return aggregate[v] < 0 ? 0 : 1; });
  own.number          = kernels::new_array<Index, Memory>(static_cast<std::size_t>(n));
  Index *const number = own.number.data();
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      if (aggregate[v] >= 0) number[start[v]] = aggregate[v];
    });
  return own;
}

/// rank[order[k]] = k.
template <class Exec, class Index> void invert(const Exec &exec, Index n, const Index *order, Index *rank)
{
  each(
    exec, n, KOKKOS_LAMBDA(const std::int64_t k) { rank[order[k]] = static_cast<Index>(k); });
}

/// Numbers roots as they ascend, and gives nodes the number of theirs. Returns how many there are.
template <class Memory, class Exec, class Index> Index number_roots(const Exec &exec, Index nodes, const Index *root, Index *aggregate)
{
  const auto   numbers = kernels::new_array<Index, Memory>(static_cast<std::size_t>(nodes) + 1);
  Index *const number  = numbers.data();
  const auto   n       = sum_before(
            exec, nodes, number, KOKKOS_LAMBDA(const std::int64_t v) { return root[v] == v ? 1 : 0; });
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { aggregate[v] = root[v] < 0 ? Index(-1) : number[root[v]]; });
  exec.fence("petscspmv aggregation: roots are numbered");
  return static_cast<Index>(n);
}

/// Does what QR does for all aggregates. `fine`: [columns][rows]; `tentative`: [rows][columns]; `coarse`: see orthonormalise().
template <class Memory, class Exec, class Index>
void decompose(const Exec &exec, const Pattern<Index> &members, Index aggregates, Index rows, Index node_rows, int columns,
               const double *fine, double *tentative, double *coarse)
{
  const auto    scales = kernels::new_array<double, Memory>(static_cast<std::size_t>(aggregates) * columns);
  double *const tau    = scales.data();
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
  exec.fence("petscspmv aggregation: the near null space is orthonormal");
}

/// On the host or on a device, which is `Place`.
template <class Scalar, class Index, class Place> class KokkosAggregation final : public Aggregation<Scalar, Index> {
  using S                        = kernels::KokkosScalar<Scalar>;
  using Memory                   = typename Place::Memory;
  static constexpr bool on_host  = std::is_same_v<Memory, Kokkos::HostSpace>;
  template <class T> using Array = KokkosArray<T, Memory>;

public:
  KokkosAggregation(const CsrView<Scalar, Index> &a, Index node_rows, const Execution &execution)
    : rows_(a.rows), node_rows_(node_rows), nodes_(a.rows / node_rows), nonzeros_(a.nonzeros()), memory_{execution.threads},
      a_(on_host ? Pattern<Index>{a.row_ptr, a.col} : Pattern<Index>{a.device_row_ptr, a.device_col}),
      val_(reinterpret_cast<const S *>(a.val))
  {
    graph_ = a_;
    if (node_rows == 1) return;
    run([&](const auto &exec) { made_graph_ = graph_of_nodes<Memory>(exec, a_, nodes_, node_rows_, nonzeros_); });
    graph_ = made_graph_.pattern();
  }

  /// Why there are no aggregates of this graph; empty: there are.
  std::string problem() const
  {
    std::pair<std::int64_t, std::int64_t> found;
    run([&](const auto &exec) { found = faults(exec, graph_, nodes_); });
    if (found.first > 0) return std::to_string(found.first) + " nodes have no diagonal entry";
    return found.second > 0 ? std::to_string(found.second) + " entries have no counterpart in the other triangle" : "";
  }

  std::vector<Index> degrees() const override
  {
    std::vector<Index> degree = on_host_of(graph_.row_ptr, static_cast<std::size_t>(nodes_) + 1);
    for (std::size_t v = 0; v + 1 < degree.size(); ++v) degree[v] = degree[v + 1] - degree[v];
    degree.pop_back();
    return degree;
  }

  Index aggregate(Coarsening how, const std::vector<Index> &order) override
  {
    const auto n = static_cast<std::size_t>(nodes_);
    how_         = how;
    run([&](const auto &exec) {
      const auto places = brought(order.data(), n), ranks = kernels::new_array<Index, Memory>(n);
      invert(exec, nodes_, places.data(), ranks.data());
      owned_      = owners<Memory>(exec, graph_, nodes_, ranks.data(), places.data(), how == Coarsening::squared ? 2 : 1);
      aggregate_  = kernels::new_array<Index, Memory>(n);
      aggregates_ = number_roots<Memory>(exec, nodes_, owned_.root.data(), aggregate_.data());
    });
    return aggregates_;
  }

  std::vector<Index> aggregates() const override { return on_host_of(aggregate_.data(), static_cast<std::size_t>(nodes_)); }

  void orthonormalise(const double *fine, int columns, double *coarse) override
  {
    const auto n = static_cast<std::size_t>(rows_) * columns, m = static_cast<std::size_t>(aggregates_) * columns * columns;
    columns_ = columns;
    run([&](const auto &exec) {
      const auto lists =
        members<Memory>(exec, aggregate_.data(), owned_.entering.data(), nodes_, aggregates_, how_ == Coarsening::neighbours);
      const auto from = brought(fine, n), to = kernels::new_array<double, Memory>(m);
      tentative_ = kernels::new_array<double, Memory>(n);
      decompose<Memory>(exec, lists.pattern(), aggregates_, rows_, node_rows_, columns, from.data(), tentative_.data(), to.data());
      copy_to_host(to.data(), m, coarse);
    });
  }

  ProlongatorPattern<Index> pattern(bool smoothed) override
  {
    smoothed_ = smoothed;
    run([&](const auto &exec) {
      near_ = smoothed ? aggregates_near<Memory>(exec, a_, aggregate_.data(), nodes_, node_rows_, nonzeros_)
                       : own_aggregates<Memory>(exec, aggregate_.data(), nodes_);
      made_ = expanded<Memory>(exec, near_.pattern(), rows_, node_rows_, columns_);
    });
    return {on_host_of(made_.start.data(), made_.start.extent(0)), on_host_of(made_.number.data(), made_.number.extent(0))};
  }

  void values(double omega, Scalar *val) const override
  {
    const Smoothing<S, Index> p{a_, val_, node_rows_, aggregate_.data(), tentative_.data(), columns_, near_.pattern(), made_.start.data()};
    run([&](const auto &exec) {
      if (smoothed_) smooth(exec, rows_, p, omega, reinterpret_cast<S *>(val));
      else copy_tentative(exec, rows_, p, reinterpret_cast<S *>(val));
      exec.fence("petscspmv aggregation: the prolongator is there");
    });
  }

private:
  template <class Go> void run(const Go &go) const
  {
    memory_.taking([&] { Place::run(memory_.threads, go); });
  }

  template <class T> Array<T> brought(const T *from, std::size_t n) const
  {
    if constexpr (on_host) return kernels::borrowed_array<Memory>(from, n);
    else {
      const auto to = kernels::new_array<T, Memory>(n);
      memory_.copy(kernels::borrowed_array<Kokkos::HostSpace>(from, n), to);
      return to;
    }
  }

  template <class T> void copy_to_host(const T *from, std::size_t n, T *to) const
  {
    memory_.copy(kernels::borrowed_array<Memory>(from, n), kernels::borrowed_array<Kokkos::HostSpace>(to, n));
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
  Pattern<Index>               a_, graph_;
  const S                     *val_;
  Lists<Index, Memory>         made_graph_; ///< of nodes of several rows
  Coarsening                   how_ = Coarsening::neighbours;
  Owned<Index, Memory>         owned_;
  Array<Index>                 aggregate_; ///< [nodes]
  Index                        aggregates_ = 0;
  int                          columns_    = 1;
  Array<double>                tentative_; ///< [rows][columns]
  bool                         smoothed_ = false;
  Lists<Index, Memory>         near_; ///< aggregates of each node's row of the prolongator
  Lists<Index, Memory>         made_; ///< the prolongator's pattern
};

template <class Place, class Scalar, class Index>
std::unique_ptr<Aggregation<Scalar, Index>> made(const CsrView<Scalar, Index> &a, Index node_rows, const Execution &execution,
                                                 std::string *why_not)
{
  auto aggregation = std::make_unique<KokkosAggregation<Scalar, Index, Place>>(a, node_rows, execution);
  *why_not         = aggregation->problem();
  if (!why_not->empty()) return nullptr;
  return aggregation;
}

} // namespace
} // namespace aggregation

template <class Scalar, class Index>
std::unique_ptr<Aggregation<Scalar, Index>> make_aggregation(const CsrView<Scalar, Index> &a, Index node_rows, const Execution &execution,
                                                             std::string *why_not)
{
  kernels::need_kokkos();
  if (execution.space == MemorySpace::host) return aggregation::made<kernels::KokkosHost>(a, node_rows, execution, why_not);
  if (!runtime::has_device()) throw FormatError(runtime::device_problem());
  if constexpr (!kernels::is_host_space<Kokkos::DefaultExecutionSpace>)
    return aggregation::made<kernels::KokkosDevice>(a, node_rows, execution, why_not);
  throw FormatError(runtime::device_problem());
}

#define INSTANTIATE(S, I) \
  template std::unique_ptr<Aggregation<S, I>> make_aggregation(const CsrView<S, I> &, I, const Execution &, std::string *);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
