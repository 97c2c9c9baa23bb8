// MatSOR on a device, where nothing is copied. That it is right there is asked in sor_test.cpp, too.

#include "glue/support/device.hpp"

namespace petscspmv::test {
namespace {

class DeviceSorTest : public DeviceTest { };
INSTANTIATE_TEST_SUITE_P(Types, DeviceSorTest, EachType(), TypeName);

TEST_P(DeviceSorTest, SolversCopyNothingFromIterationToIteration)
{
  if (Ranks() > 1) GTEST_SKIP() << "ghost values go through the host where MPI knows nothing of devices";
  ExpectNothingCopied(PCSOR, root());
}

TEST_P(DeviceSorTest, SolversNeedAsManyIterationsAsOnTheHost)
{
  ExpectIterationsOfTheHost(PCSOR, KSPCG, root());
}

TEST_P(DeviceSorTest, AreOnTheDeviceWhereTheyAreFasterThere)
{
  if (Ranks() > 1) GTEST_SKIP() << "blocks of a parallel matrix decide alone";
  for (const bool chain : {false, true}) {
    const Owned<Mat> A = RowsInAChain(root(), chain);
    Owned<Vec>       x, b;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    Ok(VecSet(b, 1));
    Ok(MatSOR(A, b, 1, (MatSORType)(SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x));
    const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO);
    EXPECT_EQ(chain, text.find("sweeps are PETSc's own, on the host: With ") != text.npos) << text;
  }
}

TEST_P(DeviceSorTest, HostVectorsAreSweptToo)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  Owned<Vec>       x, b, expected;
  Ok(MatCreateVecs(reference, x.out(), b.out()));
  Ok(VecDuplicate(x, expected.out()));
  SetSmallIntegers(b, 3);
  const auto flag = (MatSORType)(SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
  Ok(MatSOR(A, b, 1.5, flag, 9, 1, 1, x));
  Ok(MatSOR(reference, b, 1.5, flag, 9, 1, 1, expected));
  ExpectSameVectors(x, expected, "by PETSc's own");
}

} // namespace
} // namespace petscspmv::test
