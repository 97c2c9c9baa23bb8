#pragma once

/// \file tune.hpp
/// A search for the best options.

#include "glue/enter.hpp"

namespace petscspmv::shadow {

/// Searches the best options for A, which is sequential and assembled, and takes them over. A search that cannot be
/// made is no error. `products`: what it may take, in products with the present options; 0 for no search.
PetscErrorCode ShadowTune(const Entry &e, PetscInt products);

/// The same before the first product, if an option asks for it.
PetscErrorCode TuneIfAsked(const Entry &e, MemorySpace space);

} // namespace petscspmv::shadow
