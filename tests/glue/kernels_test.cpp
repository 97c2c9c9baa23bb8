/// Kernels that are asked for instead of those that are fastest: -mat_spmv_kernels kokkos.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

class KernelsOption : public TypeTest {
protected:
  /// Whether the type has such kernels; the type that is for tests alone has none.
  static bool is_portable() { return root() != "mirror"; }

  static bool multiplies_by_kokkos(Mat A) { return Viewed(A, PETSC_VIEWER_ASCII_INFO).find("kernels: Kokkos ") != std::string::npos; }
};

TEST_P(KernelsOption, KokkosGivesTheSameProducts)
{
  const OptionGuard all("-mat_spmv_tiny", "0"), kernels("-mat_spmv_kernels", "kokkos"), at_once("-mat_aijauto_when", "first");
  const Owned<Mat>  reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_WORLD);
  const Owned<Mat>  A         = MakeSample(kSquare, root(), PETSC_COMM_WORLD);
  ExpectSameProducts(A, reference);
  const Owned<Mat> X = MakeDense(A, false, 11, 1);
  Owned<Mat>       Y, expected;
  Ok(MatMatMult(A, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, Y.out()));
  Ok(MatMatMult(reference, X, MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected.out()));
  ExpectEqualDense(Y, expected, "several vectors");
  const Owned<Mat> B = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
  MultiplyOnce(B);
  EXPECT_EQ(multiplies_by_kokkos(B), is_portable());
}

TEST_P(KernelsOption, CanBeChangedBetweenProducts)
{
  const OptionGuard all("-mat_spmv_tiny", "0"), at_once("-mat_aijauto_when", "first");
  const Owned<Mat>  reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF), A = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
  for (const PetscInt kokkos : {0, 1, 0}) {
    Ok(MatSpMVSetOption(A, "kernels", kokkos));
    ExpectSameProducts(A, reference);
    const bool no_others = root() == "bccoo" && LivesOnDevice(root());
    EXPECT_EQ(multiplies_by_kokkos(A), kokkos == 1 || no_others) << "transposed products at least";
  }
}

INSTANTIATE_TEST_SUITE_P(Types, KernelsOption, EachType(), TypeName);

} // namespace
