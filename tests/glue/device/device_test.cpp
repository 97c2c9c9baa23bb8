// Products with vectors on a device. What all types do with any vectors is in the other files, whose vectors are those
// of MatCreateVecs and so on the device, too, where there is one.

#include <algorithm>

#include <cuda_runtime.h>
#include <petsc/private/matimpl.h> // where the values are

#include "glue/door/parent.hpp"
#include "glue/support/device.hpp"
#include "glue/support/head_starts.hpp"

namespace petscspmv::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Types, DeviceTest, EachType(), TypeName);

PetscLogDouble OwnedBytes(Mat A)
{
  PetscLogDouble owned;
  Ok(MatSpMVGetFootprint(A, &owned, NULL));
  return owned;
}

/// Takes all the memory that the device has left, for its lifetime.
class Hog {
public:
  Hog()
  {
    for (std::size_t size = std::size_t(1) << 36; size >= (1 << 20); size /= 2)
      for (void *p; cudaMalloc(&p, size) == cudaSuccess;) taken_.push_back(p);
    (void)cudaGetLastError();
  }
  ~Hog()
  {
    for (void *p : taken_) (void)cudaFree(p);
  }
  Hog(const Hog &)            = delete;
  Hog &operator=(const Hog &) = delete;

private:
  std::vector<void *> taken_;
};

TEST_P(DeviceTest, VectorsAreOnTheDeviceUnlessToldOtherwise)
{
  Owned<Mat> A = MakeSample(kSquare, root());
  EXPECT_EQ(VECCUDA, vec_type(A));
  Ok(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, A.inout()));
  EXPECT_EQ(VECSTANDARD, vec_type(A)) << "plain AIJ again";
  const OptionGuard standard("-mat_spmv_vec_type", "standard");
  Owned<Mat>        B = MakeSample(kSquare, root());
  EXPECT_EQ(VECSTANDARD, vec_type(B)) << "before the options are read";
  Ok(MatSetFromOptions(B));
  EXPECT_EQ(VECSTANDARD, vec_type(B));
}

TEST_P(DeviceTest, VectorsThatTheUserHasNamedStay)
{
  const OptionGuard named("-mat_vec_type", "standard");
  const Owned<Mat>  A = CreateSample(kSquare, root());
  Ok(MatSetFromOptions(A));
  SetSampleValues(A, kSquare);
  EXPECT_EQ(VECSTANDARD, vec_type(A));
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
  EXPECT_EQ(VECSTANDARD, vec_type(A));
}

TEST_P(DeviceTest, ProductsEqualThoseOfAijAndCopyNothing)
{
  for (const Sample &sample : {kSquare, kHoley, kTall, kWide}) {
    const Owned<Mat> A = MakeSample(sample, root()), reference = MakeSample(sample, MATAIJ);
    ASSERT_EQ(VECCUDA, vec_type(A));
    ExpectSameProducts(A, reference);
    if (Ranks() > 1) continue; // ghost values go through the host where MPI knows nothing of devices
    for (const ProductKind &kind : ProductKinds()) {
      if (IsRefused(A, kind)) continue;
      const Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind);
      Ok(VecSet(x, 1));
      Ok(VecSet(y, 1));
      // Past the first transposed products, which are the parent's: then the row pointer comes there, for the index.
      for (int repeat = 0; repeat < 20; ++repeat) Ok(kind.apply(A, x, y));
      const PetscLogDouble before = Copies();
      for (int repeat = 0; repeat < 10; ++repeat) Ok(kind.apply(A, x, y));
      EXPECT_EQ(before, Copies()) << kind.name;
    }
  }
}

TEST_P(DeviceTest, HostVectorsAndMixedOnesAreMultipliedToo)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  Owned<Vec>       x, y, expected, on_device;
  Ok(MatCreateVecs(reference, x.out(), y.out()));
  Ok(MatCreateVecs(A, NULL, on_device.out()));
  SetSmallIntegers(x, 3);
  Ok(VecDuplicate(y, expected.out()));
  Ok(MatMult(reference, x, expected));
  Ok(MatMult(A, x, y));
  ExpectSameVectors(y, expected, "host to host");
  Ok(MatMult(A, x, on_device));
  ExpectSameVectors(on_device, expected, "host to device");
}

// The parent takes all vectors for vectors on the device: what is left to it, and what it does because a format could
// not be built, goes by copies.
TEST_P(DeviceTest, HostVectorsAreMultipliedByTheParentToo)
{
  for (const Sample &sample : {kSquare, kTall, kWide}) {
    const Owned<Mat> A = MakeSample(sample, root()), reference = MakeSample(sample, MATAIJ);
    shadow::Entry    e;
    Owned<Vec>       x, y, expected;
    Ok(MatCreateVecs(reference, x.out(), y.out()));
    Ok(VecDuplicate(y, expected.out()));
    SetSmallIntegers(x, 3);
    Ok(MatMult(reference, x, expected));
    shadow::head_starts = true;
    for (int k = 0; k < 3; ++k) {
      Ok(VecSet(y, 77));
      Ok(MatMult(A, x, y));
      ExpectSameVectors(y, expected, "from the first product on");
    }
    shadow::head_starts = false;
    if (Ranks() > 1) continue;
    Ok(shadow::Find(A, &e));
    for (const PetscScalar beta : {0.0, 1.0}) {
      Ok(VecSet(y, 2));
      Ok(shadow::MultiplyAsParent(e, MemorySpace::host, Operation::none, x, beta, y));
      Ok(VecShift(y, -2 * beta));
      ExpectSameVectors(y, expected, "by the parent");
    }
  }
}

// A Krylov method stays on the device: as many copies in few iterations as in many.
TEST_P(DeviceTest, SolversCopyNothingFromIterationToIteration)
{
  if (Ranks() > 1) GTEST_SKIP() << "ghost values go through the host where MPI knows nothing of devices";
  const Owned<Mat> A = Stencil(root(), 40);
  ASSERT_EQ(VECCUDA, vec_type(A)) << "between host vectors nothing is ever copied";
  for (const char *method : {KSPBCGS, KSPCG}) {
    PetscLogDouble few, many;
    SolveThere(A, PCJACOBI, method, 2); // builds the format
    EXPECT_EQ(4, SolveThere(A, PCJACOBI, method, 4, &few));
    EXPECT_EQ(24, SolveThere(A, PCJACOBI, method, 24, &many));
    EXPECT_EQ(few, many) << method;
  }
}

// A format that keeps a copy is planned on the host and brought to the device once: PETSc's own arrays stay where they
// are.
TEST_P(DeviceTest, BuildingACopyBringsNothingElse)
{
  if (Ranks() > 1 || root() == "aijspec" || root() == "aijlight") GTEST_SKIP() << "arrays of PETSc's are in use";
  const Owned<Mat> A = MakeSample(kSquare, root());
  Owned<Vec>       x, y;
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(VecSet(x, 1));
  const PetscLogDouble up = petsc_ctog_ct, down = petsc_gtoc_ct;
  Ok(MatMult(A, x, y));
  EXPECT_EQ(up + 1, petsc_ctog_ct);
  EXPECT_EQ(down, petsc_gtoc_ct);
}

TEST_P(DeviceTest, TheDiagonalIsTakenWhereTheValuesAre)
{
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = MakeSample(kSquare, MATAIJCUSPARSE), reference = MakeSample(kSquare, MATAIJ);
  const auto        diagonal_of = [](Mat mat) {
    Owned<Vec> diagonal;
    Ok(MatCreateVecs(mat, NULL, diagonal.out()));
    Ok(MatGetDiagonal(mat, diagonal));
    return diagonal;
  };
  const PetscLogDouble before   = Copies();
  const Owned<Vec>     diagonal = diagonal_of(A), expected = diagonal_of(reference);
  EXPECT_EQ(before, Copies()) << "on the host";
  ExpectSameVectors(diagonal, expected, "on the host");
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    MultiplyOnce(mat);
    Ok(MatScale(mat, 3)); // of a matrix that has products on the device, there
  }
  ExpectSameVectors(diagonal_of(A), diagonal_of(reference), "on the device");
  SetSampleValues(A, kSquare);
  ExpectSameVectors(diagonal_of(A), expected, "on the host again");
}

/// Matrices of auto on a device, which chooses as it does by default.
class AutoOnDeviceTest : public testing::Test {
protected:
  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
    if (Ranks() > 1) GTEST_SKIP() << "blocks choose as a matrix does, and several processes have PETSc's multigrid";
  }

private:
  HeadStarts  as_they_are_;
  OptionGuard method_{"-mat_spmv", "auto"}, threads_{"-mat_spmv_threads", "16"};
};

// What the first product by PETSc would copy takes longer to copy than ccoo takes to be built.
TEST_F(AutoOnDeviceTest, BeginsWithACopyWhereTheArraysAreOnTheHost)
{
  const Owned<Mat> A         = Stencil(MATSEQAIJCUSPARSE, 400, PETSC_COMM_SELF);
  const Owned<Mat> reference = Stencil(MATSEQAIJ, 400, PETSC_COMM_SELF);
  const auto       is_ccoo   = [&A] { return Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL).find("multiplies as: ccoo") != std::string::npos; };
  Owned<Vec>       x, y;
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(VecSet(x, 1));
  const PetscLogDouble before = petsc_ctog_ct;
  Ok(MatMult(A, x, y));
  EXPECT_TRUE(is_ccoo());
  EXPECT_EQ(before + 1, petsc_ctog_ct) << "ccoo alone";
  ExpectSameProducts(A, reference);
  for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 2));
  const Counts counts = CountsOf(A);
  ExpectSameProducts(A, reference);
  EXPECT_EQ((Counts{0, 1}), CountsOf(A) - counts) << "new values are taken";
  for (int k = 0; k < 300; ++k) MultiplyOnce(A);
  ExpectSameProducts(A, reference);
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    Ok(MatSetValue(mat, 0, 0, 7, INSERT_VALUES));
    Assemble(mat);
  }
  ExpectSameProducts(A, reference);
}

// What multigrid reads of it, too.
TEST_F(AutoOnDeviceTest, NeverTakesTheArraysOfPetscThere)
{
  const Owned<Mat> A = Stencil(MATSEQAIJCUSPARSE, 400, PETSC_COMM_SELF);
  EXPECT_EQ(SolveThere(Stencil(MATSEQAIJ, 400, PETSC_COMM_SELF), PCGAMG, KSPCG), SolveThere(A, PCGAMG, KSPCG));
  EXPECT_EQ(PETSC_OFFLOAD_CPU, static_cast<Mat>(A)->offloadmask);
}

TEST_P(DeviceTest, NewValuesAreRefreshedOnTheDevice)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare.with_seed(9), MATAIJ);
  MultiplyOnce(A);
  const Counts before = CountsOf(A);
  SetSampleValues(A, kSquare.with_seed(9));
  ExpectSameProducts(A, reference);
  EXPECT_EQ((Counts{0, BlocksOf(A)}), CountsOf(A) - before);
}

// Rows that other ranks have given, too, and entries given more than once. Values do not pass through the host, and no
// format is built anew for them.
TEST_P(DeviceTest, ValuesAreAssembledOnTheDevice)
{
  const Owned<Mat>         reference = MakeSample(kSquare, MATAIJ);
  std::vector<PetscInt>    rows, columns;
  std::vector<PetscScalar> values;
  for (PetscInt row = Rank(); row < kSquare.rows; row += Ranks())
    for (PetscInt col : SampleColumns(kSquare, row))
      for (const PetscScalar share : {3, -2}) {
        rows.push_back(row);
        columns.push_back(col);
        values.push_back(share * SampleValue(kSquare, row, col));
      }
  const std::size_t bytes = values.size() * sizeof(PetscScalar);
  PetscScalar      *there = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&there, bytes + 1));
  ASSERT_EQ(cudaSuccess, cudaMemcpy(there, values.data(), bytes, cudaMemcpyHostToDevice));
  const OptionGuard guard("-mat_spmv", root());
  {
    Owned<Mat> A;
    Ok(MatCreate(PETSC_COMM_WORLD, A.out()));
    Ok(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, kSquare.rows, kSquare.cols));
    Ok(MatSetType(A, MATAIJCUSPARSE));
    Ok(MatSetPreallocationCOO(A, (PetscCount)rows.size(), rows.data(), columns.data()));
    for (int k = 0; k < 3; ++k) {
      Counts before{};
      if (k > 0) before = CountsOf(A);
      Ok(MatSetValuesCOO(A, there, k == 0 ? INSERT_VALUES : ADD_VALUES));
      ExpectSameProducts(A, reference);
      if (k > 0) { EXPECT_EQ((Counts{0, BlocksOf(A)}), CountsOf(A) - before); }
      Ok(MatScale(reference, (k + 2.0) / (k + 1)));
    }
    EXPECT_EQ(Ranks() > 1 ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE, TypeOf(A));
  }
  ASSERT_EQ(cudaSuccess, cudaFree(there));
}

TEST_P(DeviceTest, WhatChangesValuesIsFollowed)
{
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = MakeSample(kSquare, MATAIJCUSPARSE), reference = MakeSample(kSquare, MATAIJ);
  Owned<Vec>        left, right;
  const auto        follow = [&](const char *what, const auto &change) {
    SCOPED_TRACE(what);
    for (Mat mat : {(Mat)A, (Mat)reference}) Ok(change(mat));
    ExpectSameProducts(A, reference);
  };
  Ok(MatCreateVecs(reference, right.out(), left.out()));
  SetSmallIntegers(left, 2);
  SetSmallIntegers(right, 3);
  const auto like = [](Mat mat, Vec from, bool to_right) {
    Owned<Vec> v;
    Ok(MatCreateVecs(mat, to_right ? v.out() : NULL, to_right ? NULL : v.out()));
    Ok(VecCopy(from, v));
    return v;
  };
  ExpectSameProducts(A, reference);
  follow("scale", [](Mat mat) { return MatScale(mat, 2); });
  follow("diagonal scale", [&](Mat mat) { return MatDiagonalScale(mat, like(mat, left, false), like(mat, right, true)); });
  follow("shift", [](Mat mat) { return MatShift(mat, 4); });
  follow("axpy", [](Mat mat) { return MatAXPY(mat, 2, mat, SAME_NONZERO_PATTERN); });
  follow("zero rows", [](Mat mat) {
    const PetscInt row = 0;
    return MatZeroRows(mat, Rank() == 0, &row, 3, NULL, NULL);
  });
  follow("bound to the CPU", [](Mat mat) { return MatBindToCPU(mat, PETSC_TRUE); });
  follow("and back", [](Mat mat) { return MatBindToCPU(mat, PETSC_FALSE); });
  follow("zero", [](Mat mat) { return MatZeroEntries(mat); });
}

TEST_P(DeviceTest, BindingToTheCpuWins)
{
  for (const char *frees : {"no", "yes"}) {
    const OptionGuard bind_frees("-mat_spmv_bind_frees", frees);
    const Owned<Mat>  A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
    Ok(MatSetFromOptions(A));
    MultiplyOnce(A);
    const PetscLogDouble built = OwnedBytes(A);
    Ok(MatBindToCPU(A, PETSC_TRUE));
    if (frees == std::string("yes")) EXPECT_LT(OwnedBytes(A), built);
    else EXPECT_EQ(built, OwnedBytes(A));
    const Counts before = CountsOf(A);
    ExpectSameProducts(A, reference);
    EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsOf(A) - before) << "the format on the host";
    Ok(MatBindToCPU(A, PETSC_FALSE));
    ExpectSameProducts(A, reference);
  }
}

/// Symmetric as before, but with whole numbers that hardly repeat: no format keeps them in little memory, and sums are
/// exact.
void MakeIncompressible(const Mat &A)
{
  Owned<Vec>   factors;
  PetscScalar *f;
  PetscInt     n;
  Ok(MatCreateVecs(A, factors.out(), NULL));
  Ok(VecGetLocalSize(factors, &n));
  Ok(VecGetArrayWrite(factors, &f));
  for (PetscInt i = 0; i < n; ++i) f[i] = 1 + i * 7919 % 4093;
  Ok(VecRestoreArrayWrite(factors, &f));
  Ok(MatDiagonalScale(A, factors, factors));
}

TEST_P(DeviceTest, TransposedProductsFollowTheValues)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  GoOnWithIndex(A);
  for (unsigned seed : {9, 10}) {
    const Owned<Mat> reference = MakeSample(kSquare.with_seed(seed), MATAIJ);
    SetSampleValues(A, kSquare.with_seed(seed));
    const auto refused =
      std::count_if(ProductKinds().begin(), ProductKinds().end(), [&A](const ProductKind &k) { return IsRefused(A, k); });
    const int products = ProductsDuring([&] { ExpectSameProducts(A, reference); });
    if (Ranks() == 1) { EXPECT_EQ(std::ssize(ProductKinds()) - refused, products); }
  }
}

// PETSc's own products, whose arrays are there already, take the place of ours.
TEST_P(DeviceTest, WithoutRoomProductsAreTheParents)
{
  if (Ranks() > 1) GTEST_SKIP() << "the others would wait for the one that has no room";
  const Owned<Mat>  A         = Stencil(seq(), 700, PETSC_COMM_SELF);
  const ProductKind transpose = ProductKinds()[2];
  Owned<Vec>        x, y, expected;
  MakeIncompressible(A);
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(VecDuplicate(y, expected.out()));
  Ok(VecSet(x, 1));
  Ok(VecSet(y, 1));
  Ok(MatSpMVSetMethod(A, "none"));
  Ok(MatMult(A, x, expected));
  for (int k = 0; k < 20; ++k) Ok(transpose.apply(A, x, y));
  Ok(MatSpMVSetMethod(A, root().c_str()));
  {
    const Hog hog;
    Ok(MatMult(A, x, y));
    ExpectSameVectors(y, expected, "by the parent, or by a format that needs no room");
  }
  Ok(MatScale(A, 2)); // another state, and so another chance
  Ok(VecScale(expected, 2));
  Ok(MatMult(A, x, y));
  ExpectSameVectors(y, expected, "by the format");
  for (int k = 0; k < 16; ++k) Ok(transpose.apply(A, x, y)); // the parent's before there is an index
  {
    const Hog hog;
    Ok(transpose.apply(A, x, y));
    ExpectSameVectors(y, expected, "the matrix is symmetric");
    Ok(MatMult(A, x, y));
    ExpectSameVectors(y, expected, "the plain product goes on");
  }
}

} // namespace
} // namespace petscspmv::test
