#pragma once

/// \file factored.hpp
/// Factored matrices of ours (-mat_spmv_sweeps exact) beside those of AIJ.

#include <string>

#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

namespace petscspmv::test {

/// Incomplete factors of a sequential matrix, analysed; `type` is ILU or ICC.
struct Factored {
  Owned<Mat>    mat;
  Owned<IS>     row, col;
  MatFactorInfo info;
  MatFactorType type;

  Factored(Mat A, MatFactorType type_, const char *order = MATORDERINGNATURAL, PetscReal levels = 0, bool diagonal_fill = false,
           MatSolverType package = NULL)
    : type(type_)
  {
    Ok(MatFactorInfoInitialize(&info));
    info.levels        = levels;
    info.fill          = 1;
    info.diagonal_fill = diagonal_fill;
    Ok(MatGetFactor(A, package, type, mat.out()));
    Ok(MatGetOrdering(A, order, row.out(), col.out()));
    if (type == MAT_FACTOR_ICC) Ok(MatICCFactorSymbolic(mat, A, row, &info));
    else Ok(MatILUFactorSymbolic(mat, A, row, col, &info));
  }
  void shift_pivots(MatFactorShiftType how)
  {
    info.shifttype   = (PetscReal)how;
    info.shiftamount = 1e-3;
    info.zeropivot   = 1e-10;
  }
  PetscErrorCode factor(Mat A)
  {
    return type == MAT_FACTOR_ICC ? MatCholeskyFactorNumeric(mat, A, &info) : MatLUFactorNumeric(mat, A, &info);
  }
};

class FactoredTest : public TypeTest {
protected:
  using Solver = PetscErrorCode (*)(Mat, Vec, Vec);

  static Owned<Vec> solved(Factored &f, Mat A, Solver solve)
  {
    Owned<Vec> b, x;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    SetSmallIntegers(b, 3);
    Ok(solve(f.mat, b, x));
    return x;
  }

  /// In the second row of the factors.
  static Owned<Mat> with_zero_pivot(const std::string &type)
  {
    return MakeByRows(
      type, 10, 2,
      [](Mat mat, PetscInt row) {
        Ok(MatSetValue(mat, row, row, 1, INSERT_VALUES));
        Ok(MatSetValue(mat, row, row % 2 ? row - 1 : row + 1, row < 2 ? 1 : 0.5, INSERT_VALUES));
      },
      PETSC_COMM_SELF);
  }

  static Owned<Mat> stencil(const std::string &type) { return Stencil(type, 12, PETSC_COMM_SELF); }

  static bool is_ours(Mat F)
  {
    const std::string text = Viewed(F, PETSC_VIEWER_ASCII_INFO);
    return text.find("petscspmv: factors are ours") != std::string::npos && text.find("levels of solves: ") != std::string::npos;
  }

  const OptionGuard exact_{"-mat_spmv_sweeps", "exact"};
};

} // namespace petscspmv::test
