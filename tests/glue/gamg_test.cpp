// PCGAMG with aggregates and prolongators of ours has PETSc's hierarchy, and where its settings are none that we know,
// it has PETSc's altogether.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "petscspmv.h"

namespace petscspmv::test {
namespace {

/// A matrix on a grid of n x n x n points with `unknowns` each.
struct Grid {
  std::string name;
  PetscInt    n         = 10;
  bool        corners   = false; ///< 27 points instead of 7
  PetscInt    unknowns  = 1;
  double      keeps     = 2;     ///< a share of the edges: points without any are in no aggregate
  bool        rotates   = false; ///< the near null space is that of elasticity
  bool        stretched = false; ///< points are coupled most along x and least along z, and by other values at each
  bool        flows     = false; ///< values are not symmetric
  bool        one_way   = false; ///< some entries have no counterpart
  bool        sparse    = false; ///< of two points only unknowns of a kind are coupled

  friend void PrintTo(const Grid &grid, std::ostream *out) { *out << grid.name; }
};

/// Whether there is an edge; the same in both directions.
bool HasEdge(const Grid &grid, PetscInt a, PetscInt b)
{
  const PetscInt low = std::min(a, b), high = std::max(a, b);
  return a == b || static_cast<double>((low * 7919 + high * 104729 + 31 * low * high) % 1000) < 1000 * grid.keeps;
}

/// What couples two points of a stretched grid, which are that far apart.
double Coupling(const Grid &grid, PetscInt a, PetscInt b, PetscInt j, PetscInt k)
{
  const PetscInt low = std::min(a, b), high = std::max(a, b);
  const double   along = k != 0 ? 0.02 : j != 0 ? 0.2 : 1, varies = 1 + static_cast<double>((low * 7919 + high * 31) % 97) / 97;
  return along * varies * (!grid.flows ? 1 : a < b ? 1.3 : 0.7);
}

Owned<Mat> Make(const Grid &grid, const std::string &type, double scale = 1)
{
  const PetscInt n = grid.n, b = grid.unknowns;
  const auto     set_row = [=](Mat A, PetscInt row) {
    const PetscInt point = row / b, x = point % n, y = point / n % n, z = point / n / n;
    PetscReal      sum = 0.05;
    for (const PetscInt k : {-1, 0, 1})
      for (const PetscInt j : {-1, 0, 1})
        for (const PetscInt i : {-1, 0, 1}) {
          if (!grid.corners && (k != 0) + (j != 0) + (i != 0) > 1) continue;
          if (std::min({x + i, y + j, z + k}) < 0 || std::max({x + i, y + j, z + k}) >= n) continue;
          const PetscInt other = point + i + n * (j + n * k);
          if (!HasEdge(grid, point, other) || (grid.one_way && other < point && (point * 31 + other) % 3 == 0)) continue;
          for (PetscInt u = 0; u < b; ++u) {
            const PetscInt    column   = other * b + u;
            const double      coupling = column == row ? 0 : other == point || column % b != row % b ? -0.125 : -1.;
            const PetscScalar value    = scale * coupling * (grid.stretched ? Coupling(grid, point, other, j, k) : 1);
            Ok(MatSetValue(A, row, column, value, INSERT_VALUES));
            sum += PetscAbsScalar(value);
          }
        }
    Ok(MatSetValue(A, row, row, grid.stretched ? sum : scale * 30 * (double)b, INSERT_VALUES));
  };
  Owned<Mat> A = MakeByRows(type, n * n * n * b, 27 * b, set_row, PETSC_COMM_SELF, b);
  if (!grid.rotates) return A;
  Owned<Vec>   points;
  PetscScalar *entries;
  MatNullSpace modes;
  Ok(VecCreateSeq(PETSC_COMM_SELF, n * n * n * b, points.out()));
  Ok(VecSetBlockSize(points, b));
  Ok(VecGetArray(points, &entries));
  PetscScalar *at = entries;
  for (PetscInt p = 0; p < n * n * n; ++p) { // in no symmetric place, so that no rotation is 0 at a node
    const PetscInt y = p / n % n, z = p / n / n;
    *at++ = (double)(p % n) + 0.1 * std::sin(p);
    *at++ = (double)y + 0.1 * std::cos(2. * p);
    *at++ = (double)z + 0.1 * std::sin(3. * p);
  }
  Ok(VecRestoreArray(points, &entries));
  Ok(MatNullSpaceCreateRigidBody(points, &modes));
  Ok(MatSetNearNullSpace(A, modes));
  Ok(MatNullSpaceDestroy(&modes));
  return A;
}

/// Options of a test, for its lifetime.
using Options = std::vector<std::pair<std::string, std::string>>;
class With {
public:
  explicit With(Options options) : options_(std::move(options))
  {
    for (const auto &[name, value] : options_) Ok(PetscOptionsSetValue(NULL, name.c_str(), value.c_str()));
  }
  ~With()
  {
    for (const auto &[name, value] : options_) (void)!PetscOptionsClearValue(NULL, name.c_str());
  }
  With(const With &)            = delete;
  With &operator=(const With &) = delete;

private:
  Options options_;
};

Owned<KSP> MakeGamg(Mat A)
{
  Owned<KSP> ksp = MakeSolver(A, PCGAMG, KSPCG);
  Ok(KSPSetFromOptions(ksp));
  Ok(KSPSetUp(ksp));
  return ksp;
}

PC PcOf(KSP ksp)
{
  PC pc;
  Ok(KSPGetPC(ksp, &pc));
  return pc;
}

PetscInt Levels(KSP ksp)
{
  PetscInt levels;
  Ok(PCMGGetLevels(PcOf(ksp), &levels));
  return levels;
}

Mat Prolongator(KSP ksp, PetscInt level)
{
  Mat P;
  Ok(PCMGGetInterpolation(PcOf(ksp), level, &P));
  return P;
}

/// How many levels we have made.
PetscInt OurLevels(KSP ksp)
{
  PetscInt    ours = 0;
  PetscObject made;
  for (PetscInt level = 1; level < Levels(ksp); ++level) {
    Ok(PetscObjectQuery((PetscObject)Prolongator(ksp, level), "petscspmv_made", &made));
    ours += made != nullptr;
  }
  return ours;
}

/// Prolongators with the same patterns, and with values that differ by rounding.
void ExpectSameHierarchy(KSP ksp, KSP reference, double tolerance)
{
  ASSERT_EQ(Levels(ksp), Levels(reference));
  for (PetscInt level = Levels(ksp) - 1; level > 0; --level) {
    Mat                P = Prolongator(ksp, level), Q = Prolongator(reference, level);
    PetscInt           rows, cols, rows_of_q, cols_of_q, own, others;
    const PetscInt    *columns, *columns_of_q;
    const PetscScalar *values, *values_of_q;
    Ok(MatGetSize(P, &rows, &cols));
    Ok(MatGetSize(Q, &rows_of_q, &cols_of_q));
    ASSERT_EQ(std::pair(rows, cols), std::pair(rows_of_q, cols_of_q)) << "level " << level;
    for (PetscInt row = 0; row < rows; ++row) {
      Ok(MatGetRow(P, row, &own, &columns, &values));
      Ok(MatGetRow(Q, row, &others, &columns_of_q, &values_of_q));
      ASSERT_EQ(std::vector<PetscInt>(columns, columns + own), std::vector<PetscInt>(columns_of_q, columns_of_q + others))
        << "level " << level << ", row " << row;
      for (PetscInt e = 0; e < own; ++e)
        ASSERT_LE(PetscAbsScalar(values[e] - values_of_q[e]), tolerance)
          << "level " << level << ", row " << row << ", column " << columns[e];
      Ok(MatRestoreRow(Q, row, &others, &columns_of_q, &values_of_q));
      Ok(MatRestoreRow(P, row, &own, &columns, &values));
    }
  }
}

PetscInt Iterations(KSP ksp, Mat A)
{
  Owned<Vec> x, b;
  PetscInt   iterations;
  Ok(MatCreateVecs(A, x.out(), b.out()));
  SetSmallIntegers(b, 5);
  Ok(KSPSolve(ksp, b, x));
  Ok(KSPGetIterationNumber(ksp, &iterations));
  return iterations;
}

// Coarse grids of a few rows, so that small matrices have several levels.
const Options kSmall{{"-pc_gamg_coarse_eq_limit", "8"}};
const Options kNeighbours{{"-pc_gamg_coarse_eq_limit", "8"}, {"-pc_gamg_aggressive_coarsening", "0"}};
const Options kTwice{{"-pc_gamg_coarse_eq_limit", "8"},
                     {"-pc_gamg_aggressive_square_graph", "0"}}; // before PETSc 3.21, that is its default

class GamgTest : public testing::TestWithParam<Grid> { };

// Of the grid of elasticity no aggregate has two nodes: their sixth column would be rounding alone.
INSTANTIATE_TEST_SUITE_P(Grids, GamgTest,
                         testing::Values(Grid{"Points7", 10}, Grid{"Points27", 10, true}, Grid{"HalfOfTheEdges", 10, false, 1, 0.5},
                                         Grid{"FewEdges", 10, true, 1, 0.1}, Grid{"TwoUnknowns", 6, false, 2},
                                         Grid{"ThreeUnknowns", 6, true, 3}, Grid{"Elasticity", 6, true, 3, 2, true}, Grid{"FewRows", 3},
                                         Grid{.name = "OneWay", .one_way = true}),
                         [](const auto &info) { return info.param.name; });

TEST_P(GamgTest, HasTheHierarchyOfPetsc)
{
  // Eigenvalues that are given are the same for both, and values differ by rounding alone.
  for (Options options : {kSmall, kNeighbours, kTwice})
    for (const char *smoothings : {"0", "1"}) {
      options.insert(options.end(), {{"-pc_gamg_eigenvalues", "0.1,1.9"}, {"-pc_gamg_agg_nsmooths", smoothings}});
      const With       with(options);
      const Owned<Mat> A = Make(GetParam(), "ccoo"), reference = Make(GetParam(), MATAIJ);
      const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
      ExpectSameHierarchy(ksp, of_petsc, 1e-10);
      EXPECT_EQ(OurLevels(ksp), Levels(ksp) - 1);
      EXPECT_EQ(OurLevels(of_petsc), 0);
    }
}

TEST_P(GamgTest, EstimatesEigenvaluesAndIteratesAsPetsc)
{
  // Ten steps find all eigenvalues of fewer rows, and rounding decides about more.
  if (GetParam().n < 5) GTEST_SKIP() << "a grid of too few rows";
  const Options enough{{"-pc_gamg_coarse_eq_limit", "60"}};
  for (const Options &options : {kSmall, kNeighbours}) {
    const With       with(options), with_enough(enough);
    const Owned<Mat> A = Make(GetParam(), "ccoo"), reference = Make(GetParam(), MATAIJ);
    const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
    ExpectSameHierarchy(ksp, of_petsc, 1e-5);
    EXPECT_EQ(Iterations(ksp, A), Iterations(of_petsc, reference));
  }
}

TEST_P(GamgTest, OtherSettingsArePetscs)
{
  const Options others[] = {{{"-pc_gamg_agg_nsmooths", "2"}},
                            {{"-mat_coarsen_type", "hem"}, {"-pc_gamg_mat_coarsen_type", "hem"}},
                            {{"-mat_spmv_setup", "none"}},
                            {{"-pc_gamg_asm_use_agg", "true"}},
                            {{"-pc_gamg_use_parallel_coarse_grid_solver", "true"}, {"-pc_gamg_agg_nsmooths", "2"}}};
  for (const Options &other : others) {
    SCOPED_TRACE(other[0].first);
    const With       with(kNeighbours), with_other(other), given(Options{{"-pc_gamg_eigenvalues", "0.1,1.9"}});
    const Owned<Mat> A = Make(GetParam(), "ccoo"), reference = Make(GetParam(), MATAIJ);
    const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
    ExpectSameHierarchy(ksp, of_petsc, 1e-5);
    EXPECT_EQ(OurLevels(ksp), 0);
  }
}

/// What is known of a matrix, and what PETSc is told.
struct GraphCase {
  std::string name;
  Options     options;
  bool        known = false; ///< the matrix is, to be symmetric

  friend void PrintTo(const GraphCase &of, std::ostream *out) { *out << of.name; }
};

class GamgGraphTest : public testing::TestWithParam<std::tuple<Grid, GraphCase>> { };

INSTANTIATE_TEST_SUITE_P(
  Thresholds, GamgGraphTest,
  testing::Combine(
    testing::Values(Grid{.name = "Stretched7", .stretched = true}, Grid{.name = "Stretched27", .n = 8, .corners = true, .stretched = true},
                    Grid{.name = "FewEdges", .corners = true, .keeps = 0.2, .stretched = true},
                    Grid{.name = "Flows", .stretched = true, .flows = true},
                    Grid{.name = "TwoUnknowns", .n = 7, .unknowns = 2, .stretched = true},
                    Grid{.name = "TwoFlow", .n = 7, .unknowns = 2, .stretched = true, .flows = true},
                    Grid{.name = "ThreeUnknowns", .n = 6, .corners = true, .unknowns = 3, .stretched = true},
                    Grid{.name = "Sparse", .n = 6, .unknowns = 3, .stretched = true, .flows = true, .sparse = true},
                    Grid{.name = "OneWay", .stretched = true, .one_way = true},
                    Grid{.name = "TwoOneWay", .n = 7, .unknowns = 2, .stretched = true, .flows = true, .one_way = true}),
    testing::Values(GraphCase{"0", {{"-pc_gamg_threshold", "0"}}}, GraphCase{"001", {{"-pc_gamg_threshold", "0.01"}}},
                    GraphCase{"008", {{"-pc_gamg_threshold", "0.08"}}}, GraphCase{"03", {{"-pc_gamg_threshold", "0.3"}}},
                    GraphCase{"EachLevel", {{"-pc_gamg_threshold", "0.1,0.02"}}},
                    GraphCase{"Scaled", {{"-pc_gamg_threshold", "0.1"}, {"-pc_gamg_threshold_scale", "0.3"}}},
                    GraphCase{"Known", {{"-pc_gamg_threshold", "0.08"}}, true},
                    GraphCase{"AsItIs", {{"-pc_gamg_threshold", "0.08"}, {"-pc_gamg_graph_symmetrize", "0"}}},
                    GraphCase{"AllAsTheyAre", {{"-pc_gamg_graph_symmetrize", "0"}}},
                    GraphCase{"LowMemory", {{"-pc_gamg_threshold", "0.08"}, {"-pc_gamg_low_memory_threshold_filter", "1"}}})),
  [](const auto &info) { return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name; });

TEST_P(GamgGraphTest, HasTheHierarchyOfPetsc)
{
  const Grid      &grid  = std::get<0>(GetParam());
  const GraphCase &graph = std::get<1>(GetParam());
  const auto       has   = [&](const char *name) {
    return std::any_of(graph.options.begin(), graph.options.end(), [&](const auto &option) { return option.first == name; });
  };
  const bool is_added = !graph.known && (!has("-pc_gamg_graph_symmetrize") || PETSC_VERSION_LT(3, 22, 0)); // the transpose
  const bool is_ours  = is_added || (!grid.one_way && (!grid.flows || !has("-pc_gamg_threshold")));
  for (Options options : {kSmall, kNeighbours}) {
    options.insert(options.end(), {{"-pc_gamg_eigenvalues", "0.1,1.9"}});
    const With       with(options), with_graph(graph.options);
    const Owned<Mat> A = Make(grid, "ccoo"), reference = Make(grid, MATAIJ);
    if (graph.known)
      for (Mat m : {(Mat)A, (Mat)reference}) Ok(MatSetOption(m, MAT_SYMMETRIC, PETSC_TRUE));
    const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
    ExpectSameHierarchy(ksp, of_petsc, 1e-9);
    if (is_ours) EXPECT_EQ(OurLevels(ksp), Levels(ksp) - 1);
    else EXPECT_LT(OurLevels(ksp), Levels(ksp) - 1);
  }
}

TEST(Gamg, RoundingAtTheThresholdIsPetscs)
{
  const With neighbours(Options{{"-pc_gamg_aggressive_coarsening", "0"}});
  for (const bool known : {false, true})
    for (PetscInt diagonal = 2; diagonal < 60; ++diagonal) {
      const auto set_row = [=](Mat A, PetscInt row) {
        for (PetscInt column = std::max(row - 1, PetscInt(0)); column < std::min(row + 2, PetscInt(60)); ++column)
          Ok(MatSetValue(A, row, column, column == row ? (PetscScalar)diagonal : -1, INSERT_VALUES));
      };
      char threshold[40];
      std::snprintf(threshold, sizeof threshold, "%.17g", 1. / (double)diagonal);
      const With       with(Options{{"-pc_gamg_threshold", threshold}, {"-pc_gamg_eigenvalues", "0.1,1.9"}}); // one coarse level
      const Owned<Mat> A         = MakeByRows("ccoo", 60, 3, set_row, PETSC_COMM_SELF),
                       reference = MakeByRows(MATAIJ, 60, 3, set_row, PETSC_COMM_SELF);
      if (known)
        for (Mat m : {(Mat)A, (Mat)reference}) Ok(MatSetOption(m, MAT_SYMMETRIC, PETSC_TRUE));
      const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
      SCOPED_TRACE(diagonal);
      ExpectSameHierarchy(ksp, of_petsc, 1e-5);
      EXPECT_EQ(OurLevels(ksp), Levels(ksp) - 1);
    }
}

TEST(Gamg, IsSetUpAnew)
{
  const Grid       grid{"", 8}, other{"", 8, true};
  const With       with(kNeighbours);
  const Owned<Mat> A = Make(grid, "ccoo"), reference = Make(grid, MATAIJ);
  const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
  for (const bool reuses : {true, false}) { // new values, with the same prolongators and without
    for (KSP k : {(KSP)ksp, (KSP)of_petsc}) Ok(PCGAMGSetReuseInterpolation(PcOf(k), reuses ? PETSC_TRUE : PETSC_FALSE));
    for (Mat m : {(Mat)A, (Mat)reference}) Ok(MatScale(m, 3));
    EXPECT_EQ(Iterations(ksp, A), Iterations(of_petsc, reference));
    ExpectSameHierarchy(ksp, of_petsc, 1e-6);
  }
  const Owned<Mat> B = Make(other, "ccoo"), reference_b = Make(other, MATAIJ); // another pattern
  Ok(KSPSetOperators(ksp, B, B));
  Ok(KSPSetOperators(of_petsc, reference_b, reference_b));
  EXPECT_EQ(Iterations(ksp, B), Iterations(of_petsc, reference_b));
  ExpectSameHierarchy(ksp, of_petsc, 1e-6);
  for (KSP k : {(KSP)ksp, (KSP)of_petsc}) {
    Ok(PCReset(PcOf(k)));
    Ok(PCGAMGSetType(PcOf(k), PCGAMGCLASSICAL));
    Ok(PCGAMGSetType(PcOf(k), PCGAMGAGG)); // which makes its functions anew
    Ok(PCSetType(PcOf(k), PCJACOBI));
    Ok(PCSetType(PcOf(k), PCGAMG));
    Ok(KSPSetOperators(k, k == (KSP)ksp ? B : reference_b, k == (KSP)ksp ? B : reference_b));
    Ok(KSPSetFromOptions(k));
  }
  EXPECT_EQ(Iterations(ksp, B), Iterations(of_petsc, reference_b));
  ExpectSameHierarchy(ksp, of_petsc, 1e-6);
  EXPECT_EQ(OurLevels(ksp), Levels(ksp) - 1);
}

TEST(Gamg, TheViewTellsOfOurLevels)
{
  const With       with(kNeighbours);
  const Owned<Mat> A = Make(Grid{"", 8}, "ccoo"), reference = Make(Grid{"", 8}, MATAIJ);
  const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
  const auto       viewed = [](PC pc) { return Viewed((PetscObject)pc, PETSC_VIEWER_DEFAULT); };
  const auto       all    = std::to_string(Levels(ksp) - 1);
  ExpectContains(viewed(PcOf(ksp)), "petscspmv: aggregates and prolongators are ours on " + all + " of " + all + " levels\n");
  EXPECT_EQ(viewed(PcOf(of_petsc)).find("petscspmv"), std::string::npos);
  const With none(Options{{"-mat_spmv_setup", "none"}});
  EXPECT_EQ(viewed(PcOf(MakeGamg(Make(Grid{"", 8}, "ccoo")))).find("petscspmv: aggregates"), std::string::npos);
}

TEST(Gamg, WithoutEdgesThereIsOneLevel)
{
  const auto set_row = [](Mat A, PetscInt row) { Ok(MatSetValue(A, row, row, 2, INSERT_VALUES)); };
  const With with(kNeighbours);
  const auto A = MakeByRows("ccoo", 60, 1, set_row, PETSC_COMM_SELF);
  EXPECT_EQ(Levels(MakeGamg(A)), 1);
}

TEST(Gamg, SeveralProcessesArePetscs)
{
  const With       with(kNeighbours);
  const Owned<Mat> A = Stencil("ccoo", 20), reference = Stencil(MATAIJ, 20);
  const Owned<KSP> ksp = MakeGamg(A), of_petsc = MakeGamg(reference);
  EXPECT_EQ(Levels(ksp), Levels(of_petsc));
  EXPECT_EQ(Iterations(ksp, A), Iterations(of_petsc, reference));
}

} // namespace
} // namespace petscspmv::test
