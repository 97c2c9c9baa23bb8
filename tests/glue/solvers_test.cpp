/// Krylov methods and preconditioners: ours needs as many iterations as AIJ, and the true residual is small.

#include <tuple>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

/// The 7-point stencil on a cube of `kWidth`^3 points, with upwind convection along x if asked for.
constexpr PetscInt kWidth = 6;

Owned<Mat> Stencil(bool convection, const std::string &type)
{
  constexpr PetscInt n = kWidth * kWidth * kWidth, steps[] = {1, kWidth, kWidth * kWidth};
  const auto         set_row = [&](Mat A, PetscInt row) {
    Ok(MatSetValue(A, row, row, convection ? 8.5 : 6, INSERT_VALUES));
    for (PetscInt step : steps) {
      const PetscInt place = row / step % kWidth;
      const bool     along = convection && step == 1;
      if (place > 0) Ok(MatSetValue(A, row, row - step, along ? -3.5 : -1, INSERT_VALUES));
      if (place < kWidth - 1) Ok(MatSetValue(A, row, row + step, -1, INSERT_VALUES));
    }
  };
  Owned<Mat> A = MakeByRows(type, n, 7, set_row);
  if (!convection) Ok(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  return A;
}

bool Fits(const std::string &method, const std::string &preconditioner, bool convection)
{
  const bool transposable = preconditioner == PCNONE || preconditioner == PCJACOBI || preconditioner == PCBJACOBI || preconditioner == PCLU;
  if (method == KSPCG) return !convection && preconditioner != PCASM; // restricted ASM is not symmetric
  if (method == KSPLSQR) return preconditioner == PCNONE || preconditioner == PCJACOBI;
  return method != KSPBICG || transposable;
}

class Solvers : public testing::TestWithParam<std::tuple<std::string, const char *, const char *>> { };
INSTANTIATE_TEST_SUITE_P(Types, Solvers,
                         testing::Combine(EachType(), testing::Values(KSPBCGS, KSPCG, KSPGMRES, KSPLSQR, KSPBICG),
                                          testing::Values(PCNONE, PCJACOBI, PCBJACOBI, PCSOR, PCASM, PCGAMG, PCLU)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param) + "_" + std::get<2>(info.param);
                         });

TEST_P(Solvers, NeedAsManyIterationsAsAij)
{
  const auto &[root, method, preconditioner] = GetParam();
  for (bool convection : {false, true}) {
    if (!Fits(method, preconditioner, convection)) continue;
    SCOPED_TRACE(convection ? "convection and diffusion" : "Poisson");
    const Solution theirs = Solve(Stencil(convection, MATAIJ), preconditioner, method);
    Solution       ours;
    const Counts   counts = CountsDuring([&, root = root, method = method, preconditioner = preconditioner] {
      ours = Solve(Stencil(convection, root), preconditioner, method);
    });
    ASSERT_EQ(theirs.failure.code, ours.failure.code) << ours.failure.message;
    if (theirs.failure.code != PETSC_SUCCESS) { // no parallel LU in this PETSc
      EXPECT_TRUE(Ranks() > 1 && preconditioner == std::string(PCLU)) << theirs.failure.message;
      continue;
    }
    EXPECT_NEAR(theirs.iterations, ours.iterations, 2);
    EXPECT_LT(ours.residual, 1e-5);
    EXPECT_GE(counts.builds, 1) << "the solver did not multiply with ours";
  }
}

} // namespace
