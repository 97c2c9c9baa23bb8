#pragma once

/// \file aggregation.hpp
/// Smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) with the aggregates that a greedy loop through the
/// nodes of a matrix finds one by one, here found by all of them at the same time.
///
/// A node becomes a root when no root is near it that comes earlier in the order of the loop. Whether it does is known
/// as soon as all earlier nodes near it are decided, and so a few rounds, in each of which those become roots that are
/// first among the undecided near them, give the set of the loop itself (Blelloch, Fineman, Shun, SPAA 2012).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"

namespace petscspmv {

/// What the loop takes for near, and in which order an aggregate has its nodes: as long as the near null space has
/// several columns, that decides about signs.
enum class Coarsening {
  squared,            ///< roots are three edges apart; the root, those that it took, those that it stole as their neighbour
  neighbours,         ///< two edges; all nodes ascending
  neighbours_of_root, ///< two edges; the root, then the others
  twice,              ///< as neighbours, and then aggregates of these, in ascending order of the loop
};

/// Which nodes are adjacent. The weight of an edge is the modulus of its entry, or of nodes of several rows the sum of
/// the moduli of all real parts, divided by the square roots of the weights that both nodes' own entries have.
struct Edges {
  bool   symmetrised = false; ///< those of the transpose are edges, too, and weights are added
  double threshold   = -1;    ///< edges have a weight above that; below 0: all entries are edges
};

/// The random numbers in [0, 1) of PETSc's `rander48` with its default seed: drand48() of POSIX.
class Rander48 {
public:
  double operator()();

private:
  std::uint64_t state_ = 0x12345678330e;
};

/// The order in which PETSc's loop goes through n nodes: [n], each node once. A random place of those that have not
/// been chosen before gives its node in exchange, place by place.
template <class Index> std::vector<Index> greedy_order(Index n);

/// Aggregates of a square matrix and what multigrid makes of them. The arrays of the matrix must stay. The same input
/// gives the same bits, whatever the number of threads. Functions throw std::bad_alloc or FormatError: the device has
/// no room, or Index cannot number the entries of the prolongator.
template <class Scalar, class Index> class Aggregation {
public:
  virtual ~Aggregation() = default;

  /// Entries of each node's row in the graph, itself included: [nodes].
  virtual std::vector<Index> degrees() const = 0;

  /// Finds the aggregates, with the nodes in this order, [nodes], and returns how many there are. Their numbers ascend
  /// with their roots. Nodes without neighbours are in none.
  virtual Index aggregate(Coarsening how, const std::vector<Index> &order) = 0;

  /// The aggregate of each node, or -1: [nodes].
  virtual std::vector<Index> aggregates() const = 0;

  /// The tentative prolongator P0: for each aggregate the Q of a QR decomposition of its rows of the near null space,
  /// and R for the coarse matrix, with the signs of LAPACK's Householder reflections.
  /// `fine`: [columns][rows]; `coarse`: [columns][aggregates * columns], its rows in the order of the aggregates.
  virtual void orthonormalise(const double *fine, int columns, double *coarse) = 0;

  /// Makes the pattern of P0, or of (I - omega D^-1 A) P0, and returns its row pointer: [rows + 1].
  virtual std::vector<Index> pattern(bool smoothed) = 0;

  /// Its columns, ascending in each row, to host memory: [row_ptr[rows]].
  virtual void columns(Index *to) const = 0;

  /// The values for the last pattern(), in the memory of the matrix; omega counts if that is smoothed.
  virtual void values(double omega, Scalar *val) const = 0;
};

/// The graph of nodes of `node_rows` consecutive rows each, where they are adjacent that an entry of any of their rows
/// connects, and is an edge. `a` is in the memory of the execution, with its pattern there; if that is a device, the
/// pattern is in host memory, too. Null, and `why_not` says why, unless the graph is symmetric and each node is
/// adjacent to itself.
template <class Scalar, class Index>
std::unique_ptr<Aggregation<Scalar, Index>> make_aggregation(const CsrView<Scalar, Index> &a, Index node_rows, const Edges &edges,
                                                             const Execution &execution, std::string *why_not);

} // namespace petscspmv
