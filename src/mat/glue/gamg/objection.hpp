#pragma once

/// \file objection.hpp
/// Settings of PCGAMG and matrices with which PETSc sets it up.

#include <string>

#include <petsc/private/pcgamgimpl.h> // its settings and its table of functions

#include "glue/gamg/level.hpp"

namespace petscspmv::shadow {

inline PC_GAMG *GamgOf(PC pc)
{
  return static_cast<PC_GAMG *>(static_cast<PC_MG *>(pc->data)->innerctx);
}

/// Says why PETSc makes all levels of this PC, or that of A, whose space is known; `why_not` stays empty: it does not.
PetscErrorCode FindObjection(PC pc, Mat A, const Gamg &own, std::string *why_not);

} // namespace petscspmv::shadow
