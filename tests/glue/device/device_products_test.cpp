// Products of matrices on a device end, whatever the memory held that PETSc takes for values.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "glue/support/device.hpp"

namespace petscspmv::test {
namespace {

/// New memory of PETSc's is full of NaNs of all ones, for its lifetime: what a freed array of the index -1 leaves.
class FullOfNaN {
public:
  FullOfNaN() { Ok(PetscMallocSet(Take, Free, Again)); }
  ~FullOfNaN() { (void)!PetscMallocClear(); }
  FullOfNaN(const FullOfNaN &)            = delete;
  FullOfNaN &operator=(const FullOfNaN &) = delete;

private:
  static PetscErrorCode Take(size_t bytes, PetscBool clear, int, const char[], const char[], void **p)
  {
    *p = nullptr;
    if (bytes > 0 && posix_memalign(p, 64, bytes)) return PETSC_ERR_MEM;
    if (bytes > 0) std::memset(*p, clear ? 0 : 0xff, bytes);
    return PETSC_SUCCESS;
  }
  static PetscErrorCode Free(void *p, int, const char[], const char[])
  {
    std::free(p);
    return PETSC_SUCCESS;
  }
  static PetscErrorCode Again(size_t bytes, int, const char[], const char[], void **p)
  {
    *p = std::realloc(*p, bytes);
    return *p || bytes == 0 ? PETSC_SUCCESS : PETSC_ERR_MEM;
  }
};

/// Each third row has its column to itself, and the rows around share it.
Owned<Mat> Prolongator(const std::string &type, PetscInt n)
{
  Owned<Mat> P = Sized(type, n, n / 3, PETSC_COMM_SELF);
  Ok(MatSeqAIJSetPreallocation(P, 1, NULL));
  for (PetscInt row = 0; row < n; ++row) Ok(MatSetValue(P, row, std::min(row / 3, n / 3 - 1), PetscReal(1 + row % 3), INSERT_VALUES));
  Assemble(P);
  return P;
}

using DeviceProducts = DeviceTest;
INSTANTIATE_TEST_SUITE_P(Types, DeviceProducts, EachType(), TypeName);

// Without a guard, cuSPARSE's product of P^T and A P waits for ever. Conversions set PETSc's operations anew.
TEST_P(DeviceProducts, OfThreeMatricesEndAndAreThoseOfTheHost)
{
  constexpr PetscInt n       = 60;
  const Owned<Mat>   on_host = Stencil(MATAIJ, n, PETSC_COMM_SELF);
  const Owned<Mat>   p_host  = Prolongator(MATAIJ, n * n);
  Owned<Mat>         expected;
  Ok(MatPtAP(on_host, p_host, MAT_INITIAL_MATRIX, 1, expected.out()));
  for (const char *products : {"auto", "none", "of PETSc's matrices"})
    for (const MatType type : {MATAIJCUSPARSE, MATAIJ}) {
      const bool        attached = products != std::string("of PETSc's matrices");
      const OptionGuard method("-mat_spmv", attached ? root() : "none"), whose("-mat_spmv_products", attached ? products : "auto");
      const FullOfNaN   full;
      Owned<Mat>        A = Stencil(type, n, PETSC_COMM_SELF), P = Prolongator(type, n * n), C;
      for (Owned<Mat> *factor : {&A, &P}) Ok(MatConvert(*factor, MATAIJCUSPARSE, MAT_INPLACE_MATRIX, factor->inout()));
      Ok(MatScale(P, 1)); // on the device, so that its values on the host are old: PETSc computes both products anew
      Ok(MatPtAP(A, P, MAT_INITIAL_MATRIX, 1, C.out()));
      ExpectSameEntries(C, expected);
      Ok(MatPtAP(A, P, MAT_REUSE_MATRIX, 1, C.inout()));
      ExpectSameEntries(C, expected);
    }
}

// PETSc multiplies then, on the host.
TEST_P(DeviceProducts, FollowFactorsThatAreBoundToTheCpu)
{
  constexpr PetscInt n = 60;
  const OptionGuard  method("-mat_spmv", root());
  const Owned<Mat>   A = Stencil(MATAIJCUSPARSE, n, PETSC_COMM_SELF), reference = Stencil(MATAIJ, n, PETSC_COMM_SELF);
  const Owned<Mat>   P = Prolongator(MATAIJCUSPARSE, n * n), p_reference = Prolongator(MATAIJ, n * n);
  Owned<Mat>         C, expected;
  Ok(MatPtAP(A, P, MAT_INITIAL_MATRIX, 1, C.out()));
  Ok(MatPtAP(reference, p_reference, MAT_INITIAL_MATRIX, 1, expected.out()));
  for (const PetscBool bound : {PETSC_TRUE, PETSC_FALSE}) {
    for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 2));
    for (Mat factor : {(Mat)A, (Mat)P}) Ok(MatBindToCPU(factor, bound));
    Ok(MatPtAP(A, P, MAT_REUSE_MATRIX, 1, C.inout()));
    Ok(MatPtAP(reference, p_reference, MAT_REUSE_MATRIX, 1, expected.inout()));
    ExpectSameEntries(C, expected);
  }
}

TEST_P(DeviceProducts, OfMultigridEnd)
{
  const OptionGuard method("-mat_spmv", root());
  const FullOfNaN   full;
  for (const char *parent : {MATAIJCUSPARSE, MATAIJ}) {
    const Owned<Mat> A = Stencil(parent, 60);
    EXPECT_LT(SolveThere(A, PCGAMG, KSPCG), 40);
  }
}

} // namespace
} // namespace petscspmv::test
