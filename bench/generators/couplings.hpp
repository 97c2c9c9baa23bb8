#pragma once

/// \file couplings.hpp
/// Values for matrices that come from a mesh: symmetric, with a diagonal that outweighs its row (so that cg converges).

#include <algorithm>

#include "generators/generator.hpp"
#include "matrix/builder.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

/// How the couplings of unknowns are chosen.
enum class CouplingKind {
  constant, ///< -1
  diagonal, ///< -1, with a diagonal that changes from row to row
  random,   ///< -(0.5 .. 1.5)
  table,    ///< one of 200 values
};

/// The coupling of unknowns i and j: symmetric, and a function of the seed and the two alone.
class Couplings {
public:
  Couplings(CouplingKind kind, std::uint64_t seed) : kind_(kind), seed_(seed) { }

  double between(std::int64_t i, std::int64_t j) const
  {
    if (kind_ == CouplingKind::constant || kind_ == CouplingKind::diagonal) return -1.0;
    const std::uint64_t bits = hash64(hash64(seed_, std::uint64_t(std::min(i, j))), std::uint64_t(std::max(i, j)));
    if (kind_ == CouplingKind::table) return -double(1 + bits % 200) / 128.0;
    return -(0.5 + unit_interval(bits));
  }

  /// The diagonal value of row i, whose couplings add up to -sum. `full_row` is the greatest number of couplings of a
  /// row; constant and table values have one diagonal value for all rows.
  double diagonal(std::int64_t i, double sum, std::int64_t full_row) const
  {
    switch (kind_) {
    case CouplingKind::constant:
      return double(full_row);
    case CouplingKind::diagonal:
      return double(full_row) + unit_interval(hash64(seed_, std::uint64_t(i)));
    case CouplingKind::table:
      return 200.0 / 128.0 * double(full_row);
    case CouplingKind::random:
      return sum * 1.001 + 1e-3;
    }
    __builtin_unreachable();
  }

private:
  CouplingKind  kind_;
  std::uint64_t seed_;
};

/// Adds the b rows of a node to the builder: b x b values for each node in `neighbours` (which holds the node itself,
/// too).
void add_node_rows(RowBuilder &builder, const Couplings &couplings, std::int64_t node, const std::vector<std::int64_t> &neighbours,
                   std::int64_t b, std::int64_t most_neighbours);

} // namespace petscspmv::bench
