/// Rows with equal columns: PETSc goes on to find and use them, and formats are shown them.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

constexpr PetscInt kUnknowns = 3; ///< of a node

/// `kUnknowns` rows a node with the same columns, diagonally dominant.
Owned<Mat> Blocked(const std::string &type, MPI_Comm comm)
{
  const Sample nodes{8, 8, true, 21};
  const auto   set_row = [&](Mat A, PetscInt row) {
    for (PetscInt node : SampleColumns(nodes, row / kUnknowns))
      for (PetscInt col = kUnknowns * node; col < kUnknowns * (node + 1); ++col)
        Ok(MatSetValue(A, row, col, SampleValue(nodes, row, col) + PetscScalar(row == col ? 200 : 0), INSERT_VALUES));
  };
  return MakeByRows(type, 8 * kUnknowns, 8 * kUnknowns, set_row, comm, kUnknowns);
}

PetscInt Nodes(Mat A)
{
  PetscInt nodes, *sizes, limit;
  Ok(MatInodeGetInodeSizes(A, &nodes, &sizes, &limit));
  return nodes;
}

class Inodes : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, Inodes, EachType(), TypeName);

TEST_P(Inodes, AreFoundAsInAij)
{
  const Owned<Mat> A = Blocked(root(), PETSC_COMM_SELF), reference = Blocked(MATAIJ, PETSC_COMM_SELF);
  EXPECT_EQ(8, Nodes(reference)) << "the test must have nodes to find";
  EXPECT_EQ(8, Nodes(A));
  ExpectSameProducts(A, reference);
  EXPECT_EQ(8, Nodes(A));
}

TEST_P(Inodes, AreShownToTheFormat)
{
  if (root() != TestMirror::name) return; // it keeps a journal; what is shown is the same for all types
  const Owned<Mat> A = Blocked(root(), PETSC_COMM_SELF), plain = MakeSample(kSquare, root(), PETSC_COMM_SELF);
  MultiplyOnce(A);
  ASSERT_EQ("bm", Journal().letters());
  EXPECT_EQ(8U, Journal().entries[0].nodes);
  Ok(MatScale(A, 2));
  MultiplyOnce(A);
  ASSERT_EQ("bmrm", Journal().letters());
  EXPECT_EQ(8U, Journal().entries[2].nodes);
  Ok(MatSetOption(plain, MAT_USE_INODES, PETSC_FALSE));
  Journal().entries.clear();
  MultiplyOnce(plain);
  EXPECT_EQ((std::size_t)Nodes(plain), Journal().entries[0].nodes);
}

/// Nodes are those of a pattern: a format must not go on with those of an older one.
TEST_P(Inodes, AreNotThoseOfAnOlderPattern)
{
  const std::pair<const char *, void (*)(Mat)> changes[] = {
    {"a row loses its entries",
     [](Mat A) {
       const PetscInt row = 1;
       Ok(MatZeroRows(A, Rank() == 0, &row, 3, NULL, NULL));
     }},
    {"a row of a node gets an entry of its own",
     [](Mat A) {
       Ok(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
       Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
       for (PetscInt col = 0; col < 8 * kUnknowns && Rank() == 0; ++col) Ok(MatSetValue(A, 2, col, PetscReal(col - 5), INSERT_VALUES));
       Assemble(A);
     }},
    {"another matrix in the header", [](Mat A) { Ok(MatTranspose(A, MAT_INPLACE_MATRIX, &A)); }},
  };
  for (const auto &[name, change] : changes) {
    SCOPED_TRACE(name);
    const Owned<Mat> A = Blocked(root(), PETSC_COMM_WORLD), reference = Blocked(MATAIJ, PETSC_COMM_WORLD);
    ExpectSameProducts(A, reference);
    change(A);
    change(reference);
    ExpectSameProducts(A, reference);
  }
}

TEST_P(Inodes, RelaxationIsThatOfAij)
{
  const OptionGuard by_petsc("-mat_spmv_sweeps", "none"); // ours, on a device, sum in another order
  const Owned<Mat>  A = Blocked(root(), PETSC_COMM_WORLD), reference = Blocked(MATAIJ, PETSC_COMM_WORLD);
  const Owned<Vec>  b = OutputOf(A, ProductKinds()[0]), x = InputOf(A, ProductKinds()[0]), expected = InputOf(A, ProductKinds()[0]);
  MultiplyOnce(A);
  SetSmallIntegers(b, 2);
  // From the second sweep on, parallel relaxation multiplies with the off-diagonal block, which rounds in another
  // order.
  const bool     parallel = Ranks() > 1;
  const PetscInt its      = parallel ? 1 : 2;
  for (int local : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP}) {
    const int sweep = parallel ? local | SOR_ZERO_INITIAL_GUESS : local;
    Ok(VecSet(x, 1));
    Ok(VecSet(expected, 1));
    Ok(MatSOR(A, b, 1.25, (MatSORType)sweep, 0, its, 2, x));
    Ok(MatSOR(reference, b, 1.25, (MatSORType)sweep, 0, its, 2, expected));
    ExpectSameVectors(x, expected, "sweep " + std::to_string(sweep));
  }
}

TEST_P(Inodes, PreconditionersAreThoseOfAij)
{
  for (PCType type : {PCILU, PCLU, PCSOR, PCBJACOBI, PCPBJACOBI, PCASM}) {
    if (Ranks() > 1 && (type == std::string(PCILU) || type == std::string(PCLU))) continue;
    Owned<Vec> solutions[2];
    for (int i = 0; i < 2; ++i) {
      const Owned<Mat> A = Blocked(i == 0 ? root() : std::string(MATAIJ), PETSC_COMM_WORLD);
      const Owned<Vec> b = OutputOf(A, ProductKinds()[0]);
      solutions[i]       = InputOf(A, ProductKinds()[0]);
      SetSmallIntegers(b, 2);
      Ok(KSPSolve(MakeSolver(A, type, KSPPREONLY), b, solutions[i]));
    }
    ExpectSameVectors(solutions[0], solutions[1], type);
  }
}

} // namespace
