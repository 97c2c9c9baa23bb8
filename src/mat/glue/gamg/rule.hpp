#pragma once

/// \file gamg_rule.hpp
/// What PCGAMG would do with a graph. Its settings are its own, and so PETSc is asked to coarsen a small graph, on
/// which its rules end in different aggregates.

#include <vector>

#include <petscmatcoarsen.h>

#include "glue/compat.hpp"
#include "impls/aggregation/aggregation.hpp"

namespace petscspmv::shadow {

/// How PETSc makes aggregates, as far as ours can be the same.
struct CoarseningRule {
  Coarsening how;
  bool       by_degree; ///< nodes of few neighbours come first
};

/// Rows of the small graph.
inline constexpr PetscInt kProbeNodes = 64;

/// A matrix that has the small graph, of nodes of so many rows, and is known to be symmetric if A is, although it is
/// not. Sequential AIJ, on the host, and without a method.
PetscErrorCode CreateProbe(Mat A, PetscInt node_rows, Mat *probe);

/// Whether PETSc has added the transpose to its graph of that matrix, as it then does for A.
PetscErrorCode IsSymmetrised(Mat graph, bool *symmetrised);

/// The rule that ends in these aggregates of the small graph. False if we know none.
PetscErrorCode FindRule(PetscCoarsenData *lists, CoarseningRule *rule, bool *found);

/// The order in which PETSc's loop goes through nodes of these degrees, [nodes], from that of greedy_order().
PetscErrorCode SortByDegree(const std::vector<PetscInt> &degrees, std::vector<PetscInt> *order);

} // namespace petscspmv::shadow
