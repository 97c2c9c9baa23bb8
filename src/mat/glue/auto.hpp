#pragma once

/// \file auto.hpp
/// auto: AIJ multiplies until its products have paid for ccoo.

#include <string_view>

#include "glue/door/enter.hpp"
#include "glue/door/registry.hpp"

namespace petscspmv::shadow {

/// The type that goes on as `fast`: that type under another name, with auto's options. What is built is `fast` itself
/// (Shadow::type_at()).
FormatType<PetscScalar, PetscInt> AutoType(std::string_view name, const MatKind &fast);

/// When a product of a matrix of auto began that is timed, and who does it.
struct Timing {
  bool        on    = false;
  select::Way way   = select::Way::aij;
  double      begin = 0;
};

/// Before a plain product of a matrix of auto: says whether it is AIJ's, and else builds what it is by if need be.
/// Never an error: what cannot be built is passed over.
PetscErrorCode ChooseWay(const Entry &e, MemorySpace space, bool *by_aij, Timing *timing);

/// After that product, if it is timed.
void NoteTime(const Timing &timing, Shadow *shadow);

/// Whether A is of auto and AIJ still multiplies there.
PetscErrorCode IsLeftToAij(const Entry &e, MemorySpace space, bool *is);

/// For reports, of a matrix of auto.
Facts WayFacts(const Shadow &shadow);

} // namespace petscspmv::shadow
