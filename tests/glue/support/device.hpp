#pragma once

/// \file device.hpp
/// Tests of products on a device.

#include "core/runtime.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/types.hpp"

namespace petscspmv::test {

class DeviceTest : public TypeTest {
protected:
  void SetUp() override
  {
    TypeTest::SetUp();
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
    if (!RunsOnDevice(root())) GTEST_SKIP() << root() << " has no kernels for a device";
  }

  static std::string vec_type(Mat A)
  {
    VecType type;
    Ok(MatGetVecType(A, &type));
    return type;
  }
};

/// Copies of whole vectors and matrices between host and device since the start, by PETSc's count.
inline PetscLogDouble Copies()
{
  return petsc_ctog_ct + petsc_gtoc_ct;
}

/// Asks for transposed products until they are ours: the first ones are the parent's.
inline void GoOnWithIndex(Mat A)
{
  const ProductKind &transpose = ProductKinds()[2];
  const Owned<Vec>   x = InputOf(A, transpose), y = OutputOf(A, transpose);
  Ok(VecSet(x, 1));
  for (int repeat = 0; repeat < 20; ++repeat) Ok(transpose.apply(A, x, y));
}

} // namespace petscspmv::test
