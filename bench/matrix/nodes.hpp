#pragma once

/// \file nodes.hpp
/// Rows with equal columns, as formats are shown them.

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// Rows side by side with equal columns, as PETSc finds them: at most 5 a node, and no nodes at all unless they save a
/// fifth.
std::vector<Index> find_nodes(const CsrMatrix &a);

} // namespace petscspmv::bench
