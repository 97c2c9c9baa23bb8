#pragma once

/// \file factors.hpp
/// What factor.cpp and solve.cpp share.

#include <petsc/private/matimpl.h> // the operations and the state of a factored matrix

#include <mutex>

#include "impls/sweeps/incomplete.hpp"

namespace petscspmv::shadow {

using Create = PetscErrorCode (*)(Mat, MatFactorType, Mat *);

inline constexpr char kFactorsKey[] = "petscspmv_factors";

/// What a factored matrix has that PETSc's function for the host has created, and that we may fill.
struct FactorsInstance {
  std::mutex                                                busy;
  std::unique_ptr<IncompleteFactors<PetscScalar, PetscInt>> factors; ///< null: PETSc's own
  std::string                                               failure; ///< why they are, on the host
  std::string                                               order;   ///< of the rows, where it is not the program's; or empty
  IS                                                        row = nullptr, col = nullptr; ///< the program's
  MemorySpace                                               space = MemorySpace::host;
  std::string                                               parent;           ///< type of the matrix
  Create                                                    create = nullptr; ///< makes the factored matrix that PETSc has for it
  bool                                                      named  = false;   ///< the program has named our package
  PetscReal                                                 fill   = 1;
  PetscReal                                                 given  = 0; ///< entries of the matrix
  _MatOps                                                   petscs;     ///< operations before they are ours

  FactorsInstance() = default;
  ~FactorsInstance() { (void)!(ISDestroy(&row) || ISDestroy(&col)); }
  FactorsInstance(const FactorsInstance &)            = delete;
  FactorsInstance &operator=(const FactorsInstance &) = delete;
};

/// Those of F, which must have some.
PetscErrorCode FactorsOf(Mat F, FactorsInstance **own);

inline bool IsIcc(Mat F)
{
  return F->factortype == MAT_FACTOR_ICC;
}

/// Makes our factors solve. PETSc makes its other functions of these.
void SetSolves(Mat F);

PetscErrorCode MatGetInfo_Factors(Mat F, MatInfoType, MatInfo *info);
PetscErrorCode MatView_Factors(Mat F, PetscViewer viewer);

} // namespace petscspmv::shadow
