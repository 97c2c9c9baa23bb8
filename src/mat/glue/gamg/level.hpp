#pragma once

/// \file gamg_level.hpp
/// A level of PCGAMG between PETSc's functions that make it, and its prolongator.

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "glue/compat.hpp"
#include "impls/aggregation/aggregation.hpp"

namespace petscspmv::shadow {

/// What a PC of type gamg has under this name.
inline constexpr char kGamgKey[] = "petscspmv_gamg";

/// Of PetscMalloc().
struct PetscFreed {
  void operator()(PetscReal *data) const { static_cast<void>(PetscFree(data)); }
};

/// A level between PETSc's functions that make it.
struct Level {
  bool                                                asked = false;        ///< PETSc's functions are given the small matrix
  std::unique_ptr<Aggregation<PetscScalar, PetscInt>> aggregation;          ///< null: PETSc makes it
  bool                                                has_edges = false;    ///< perhaps
  std::future<std::vector<PetscInt>>                  shuffled;             ///< greedy_order(), which takes its time
  Mat                                                 A          = nullptr; ///< for as long as the level
  bool                                                is_ours    = false;   ///< PETSc has been asked, and there are aggregates by its rule
  PetscInt                                            aggregates = 0;
  MemorySpace                                         space      = MemorySpace::host;
  std::optional<PetscReal>                            omega;        ///< how far PETSc smooths; 0: not at all; none: not asked yet
  std::string                                         why_no_omega; ///< that is of use here

  /// The near null space of this level, when pc_gamg->data is already that of the next, and what PETSc knows of it.
  std::unique_ptr<PetscReal, PetscFreed> fine;
  PetscInt                               fine_rows = 0, fine_size = 0;
};

/// What a PC of type gamg has.
struct Gamg {
  bool  wanted  = false; ///< on the finest level
  int   threads = 1;     ///< likewise
  Level level;
};

/// A column for PETSc to smooth in place of a prolongator: 1 in the first row, and zeros. Dense, and thus cheap.
PetscErrorCode CreateCorner(Mat A, MemorySpace space, Mat *corner);

/// What has become of the 1.
PetscErrorCode FirstOfCorner(Mat corner, PetscScalar *value);

/// The prolongator of a level, whose omega is known, with so many columns of the near null space, P0 if omega is 0.
/// `failure` says why there is none, perhaps after something has been made of P.
PetscErrorCode MakeProlongator(const Level &level, int threads, PetscInt columns, Mat *P, std::string *failure);

} // namespace petscspmv::shadow
