// What solvers with our factors and our ordering leave allocated, by PETSc's own count: nothing, and after errors that
// a program catches no more than AIJ's.

#include <cstdlib>
#include <functional>

#include "glue/support/compare.hpp"
#include "glue/support/factored.hpp"
#include "petscspmv.h"

namespace petscspmv::test {
namespace {

/// PETSc counts if it is told so before it starts, besides what it is told already.
[[maybe_unused]] const bool counted = [] {
  const char *const told = std::getenv("PETSC_OPTIONS");
  return setenv("PETSC_OPTIONS", (std::string(told ? told : "") + " -malloc_debug").c_str(), 1) == 0;
}();

PetscLogDouble Allocated()
{
  PetscLogDouble bytes;
  Ok(PetscMallocGetCurrentUsage(&bytes));
  return bytes;
}

class FactorLeaks : public FactoredTest {
protected:
  /// What else is made once has been made when it counts.
  static PetscLogDouble Growth(const std::function<void()> &work)
  {
    for (int warm = 0; warm < 2; ++warm) work();
    const PetscLogDouble before = Allocated();
    EXPECT_GT(before, 0);
    work();
    return Allocated() - before;
  }

  /// The last row has no diagonal entry, or the matrix has no factors without a shift.
  static Owned<Mat> without_pivot(const std::string &type, bool missing)
  {
    return MakeByRows(
      type, 10, 3,
      [missing](Mat A, PetscInt row) {
        if (row < 9 || !missing) Ok(MatSetValue(A, row, row, row > 0 ? 2 : 0, INSERT_VALUES));
        Ok(MatSetValue(A, row, (row + 1) % 10, 1, INSERT_VALUES));
      },
      PETSC_COMM_SELF);
  }
};
INSTANTIATE_TEST_SUITE_P(Types, FactorLeaks, EachType(), TypeName);

TEST_P(FactorLeaks, NoneOfSolvers)
{
  for (const char *order : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGSPMVBLOCKS})
    for (PCType preconditioner : {PCILU, PCICC})
      for (const std::string &type : {root(), std::string(MATAIJ)}) {
        SCOPED_TRACE(std::string(order) + " " + preconditioner + " " + type);
        const OptionGuard ordering("-pc_factor_mat_ordering_type", order);
        EXPECT_EQ(0, Growth([&] {
                    const Owned<KSP> solver = MakeSolver(stencil(type), preconditioner);
                    Ok(KSPSetFromOptions(solver));
                    Ok(KSPSetUp(solver));
                  }));
      }
}

TEST_P(FactorLeaks, NoneOfFactorsThatAreAskedOrLeftToPetsc)
{
  for (const MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    for (const bool diagonal_fill : {false, true})
      for (MatSolverType package : {(const char *)NULL, MATSOLVERSPMV})
        for (const bool fails : {false, true})
          EXPECT_EQ(0, Growth([&] {
                      const Owned<Mat> A = fails ? without_pivot(root(), false) : stencil(root());
                      Factored         f(A, type, MATORDERINGNATURAL, 0, diagonal_fill, package);
                      Owned<Vec>       diagonal;
                      Ok(MatCreateVecs(A, diagonal.out(), NULL));
                      f.shift_pivots(MAT_SHIFT_NONZERO);
                      for (int again = 0; again < 2; ++again) {
                        Ok(f.factor(A));
                        Ok(MatGetDiagonal(f.mat, diagonal));
                      }
                    }));
}

// PETSc's PCICC loses an order of the rows.
TEST_P(FactorLeaks, NoneOfOursAfterAnErrorThatIsCaught)
{
  const LeakForgiver of_petsc(true);
  for (PCType preconditioner : {PCILU, PCICC}) {
    const auto growth = [preconditioner](const std::string &type) {
      return Growth([&] { EXPECT_EQ(PETSC_ERR_ARG_WRONGSTATE, Solve(without_pivot(type, true), preconditioner).failure.code); });
    };
    EXPECT_GE(growth(MATAIJ), growth(root())) << preconditioner;
  }
}

} // namespace
} // namespace petscspmv::test
