// Products with dense matrices on a device.

#include "glue/support/device.hpp"

namespace petscspmv::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Types, DeviceTest, EachType(), TypeName);

/// C = A B or A^T B on the host, by a product on the device if A and B are there.
Owned<Mat> HostProduct(Mat A, Mat B, bool transposed = false)
{
  Owned<Mat> C;
  Ok((transposed ? MatTransposeMatMult : MatMatMult)(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  Ok(MatConvert(C, MATSEQDENSE, MAT_INPLACE_MATRIX, C.inout()));
  return C;
}

// By a format beside the one for single vectors: built with the first such product, refreshed with the values. Nothing
// is copied between host and device but for that.
TEST_P(DeviceTest, DenseMatricesOnTheDeviceAreMultipliedThere)
{
  if (Ranks() > 1) GTEST_SKIP() << "the parallel product copies what ranks exchange";
  for (const Sample &sample : {kSquare, kHoley, kTall, kWide}) {
    const Owned<Mat> A = MakeSample(sample, root()), reference = MakeSample(sample, MATAIJ);
    MultiplyOnce(A);
    for (PetscInt columns : {1, 2, 5, 8, 9, 17}) {
      SCOPED_TRACE(std::to_string(sample.rows) + " x " + std::to_string(sample.cols) + ", columns: " + std::to_string(columns));
      Owned<Mat>       B       = MakeDense(A, false, columns, 1);
      const Owned<Mat> on_host = HostProduct(reference, B);
      Ok(MatConvert(B, MATSEQDENSECUDA, MAT_INPLACE_MATRIX, B.inout()));
      EXPECT_EQ(1, ProductsDuring([&] { ExpectEqualDense(HostProduct(A, B), on_host, "C"); }));
    }
    ExpectSameProducts(A, reference);
  }
}

TEST_P(DeviceTest, DenseMatricesFollowTheValues)
{
  if (Ranks() > 1) GTEST_SKIP() << "the parallel product copies what ranks exchange";
  const Owned<Mat> A = MakeSample(kSquare, root()), other = MakeSample(kSquare.with_seed(9), MATAIJ);
  Owned<Mat>       B        = MakeDense(A, false, 9, 1), C;
  const Owned<Mat> expected = HostProduct(other, B);
  Ok(MatConvert(B, MATSEQDENSECUDA, MAT_INPLACE_MATRIX, B.inout()));
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  const Counts built = CountsOf(A);
  // ccoo and auto go on by plain CSR, which is not counted; that for single vectors tells whether it pays.
  const bool by_itself = root() != "ccoo" && root() != "aijauto";
  EXPECT_EQ((Counts{1, 0}), built);
  SetSampleValues(A, kSquare.with_seed(9));
  Ok(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout()));
  EXPECT_EQ((Counts{0, by_itself ? 1 : 0}), CountsOf(A) - built);
  const PetscLogDouble before = Copies();
  for (int repeat = 0; repeat < 3; ++repeat) Ok(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout()));
  EXPECT_EQ(before, Copies());
  Ok(MatConvert(C, MATSEQDENSE, MAT_INPLACE_MATRIX, C.inout()));
  ExpectEqualDense(C, expected, "C");
}

// By the arrays of AIJ and an index, with the values that A has at the time.
TEST_P(DeviceTest, DenseMatricesAreMultipliedWithTheTranspose)
{
  if (Ranks() > 1) GTEST_SKIP() << "the parallel product copies what ranks exchange";
  for (const Sample &sample : {kSquare, kHoley, kTall, kWide}) {
    const Owned<Mat> A = MakeSample(sample, root());
    GoOnWithIndex(A);
    for (unsigned seed : {3, 9}) {
      const Owned<Mat> reference = MakeSample(sample.with_seed(seed), MATAIJ);
      SetSampleValues(A, sample.with_seed(seed));
      for (PetscInt columns : {1, 2, 8, 17}) {
        SCOPED_TRACE(std::to_string(sample.rows) + " x " + std::to_string(sample.cols) + ", columns: " + std::to_string(columns));
        Owned<Mat>       B       = MakeDense(A, true, columns, 1);
        const Owned<Mat> on_host = HostProduct(reference, B, true);
        Ok(MatConvert(B, MATSEQDENSECUDA, MAT_INPLACE_MATRIX, B.inout()));
        EXPECT_EQ(1, ProductsDuring([&] { ExpectEqualDense(HostProduct(A, B, true), on_host, "C"); }));
      }
    }
  }
}

// The program has made C, and A's products are on the host.
TEST_P(DeviceTest, ProductsOnTheHostWriteToDenseMatricesOfTheDevice)
{
  if (Ranks() > 1) GTEST_SKIP() << "a sequential product";
  const OptionGuard host("-mat_spmv_vec_type", "standard");
  const Owned<Mat>  A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ), B = MakeDense(A, false, 5, 1);
  for (bool transposed : {false, true}) {
    const Owned<Mat> expected = HostProduct(reference, B, transposed);
    Owned<Mat>       C        = MakeDense(A, transposed, 5, 2);
    Ok(MatConvert(C, MATSEQDENSECUDA, MAT_INPLACE_MATRIX, C.inout()));
    const auto multiply = [&] { Ok((transposed ? MatTransposeMatMult : MatMatMult)(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout())); };
    EXPECT_EQ(1, ProductsDuring(multiply)) << "transposed: " << transposed;
    Ok(MatConvert(C, MATSEQDENSE, MAT_INPLACE_MATRIX, C.inout()));
    ExpectEqualDense(C, expected, "C");
  }
}

} // namespace
} // namespace petscspmv::test
