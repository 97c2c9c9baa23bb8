#pragma once

/// \file factors.hpp
/// What factor.cpp, solve.cpp and filled.cpp share.

#include <petsc/private/matimpl.h> // the operations and the state of a factored matrix

#include <mutex>

#include "impls/sweeps/incomplete.hpp"

namespace petscspmv::shadow {

using Create = PetscErrorCode (*)(Mat, MatFactorType, Mat *);

inline constexpr char kFactorsKey[] = "petscspmv_factors";

/// What a factored matrix has that PETSc's function for the host has created. While the factors are ours it has no
/// arrays.
struct FactorsInstance {
  std::mutex                                                busy;
  std::unique_ptr<IncompleteFactors<PetscScalar, PetscInt>> factors; ///< null: PETSc's own
  std::string                                               failure; ///< why they are, on the host
  std::string                                               order;   ///< of the rows, where it is not the program's; or empty
  IS                                                        row = nullptr, col = nullptr; ///< the program's
  MemorySpace                                               space = MemorySpace::host;
  std::string                                               parent;                    ///< type of the matrix
  Create                                                    create  = nullptr;         ///< makes the factored matrix that PETSc has for it
  Create                                                    on_host = nullptr;         ///< the same on the host
  MatFactorType                                             type    = MAT_FACTOR_NONE; ///< ILU or ICC
  bool                                                      named   = false;           ///< the program has named our package
  bool                                                      numeric = false;           ///< factors have numbers, not only a pattern
  PetscReal                                                 fill    = 1;
  PetscReal                                                 given   = 0;       ///< entries of the matrix
  Mat                                                       filled  = nullptr; ///< the same factors as PETSc keeps them, if somebody asked
  PetscErrorCode (*view)(Mat, PetscViewer)                          = nullptr; ///< before it was ours

  FactorsInstance() = default;
  ~FactorsInstance() { (void)!(ISDestroy(&row) || ISDestroy(&col) || MatDestroy(&filled)); }
  FactorsInstance(const FactorsInstance &)            = delete;
  FactorsInstance &operator=(const FactorsInstance &) = delete;
};

/// Those of F, which must have some; with numbers.
PetscErrorCode FactorsOf(Mat F, FactorsInstance **own);
PetscErrorCode NumericFactorsOf(Mat F, FactorsInstance **own);

inline bool IsIcc(Mat F)
{
  return F->factortype == MAT_FACTOR_ICC;
}

/// The symbolic phase of PETSc, by the function that F has, which gets no functions of A's.
PetscErrorCode CallSymbolic(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info);

/// Makes F a matrix of our package's name without arrays, whose operations that read entries do so in PETSc's own copy
/// of our factors, which is made when the first of them is called; those that change entries say that they cannot.
PetscErrorCode ReadFilled(Mat F);

/// F, or the copy of its factors if they are ours.
PetscErrorCode Filled(Mat F, Mat *filled);

/// Makes our factors solve. PETSc makes its other functions of these.
void SetSolves(Mat F);

PetscErrorCode MatGetInfo_Factors(Mat F, MatInfoType, MatInfo *info);
PetscErrorCode MatView_Factors(Mat F, PetscViewer viewer);

} // namespace petscspmv::shadow
