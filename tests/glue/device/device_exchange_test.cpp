// Ghost values from device to device. Ranks that share a device take part, too, if they are asked to.

#include <cuda_runtime.h>

#include "glue/support/device.hpp"

namespace petscspmv::test {
namespace {

class DeviceExchangeTest : public DeviceTest { };
INSTANTIATE_TEST_SUITE_P(Types, DeviceExchangeTest, EachType(), TypeName);

constexpr char kFromDevice[] = "ghost values come from device to device", kByMpi[] = "ghost values come by MPI: ";

Owned<Mat> WithExchange(Owned<Mat> A, PetscInt exchange)
{
  Ok(MatSpMVSetOption(A, "exchange", exchange));
  return A;
}

/// From device to device, whatever devices the ranks have.
Owned<Mat> Exchanging(const Sample &sample, const std::string &type)
{
  return WithExchange(MakeSample(sample, type), 2);
}

/// Products with x after x, so that halves of windows are used again and again.
void ExpectManySameProducts(Mat A, Mat reference, unsigned times)
{
  Owned<Vec> x, y, x_of_reference, expected;
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(MatCreateVecs(reference, x_of_reference.out(), expected.out()));
  for (unsigned seed = 0; seed < times; ++seed) {
    SetSmallIntegers(x, seed);
    SetSmallIntegers(x_of_reference, seed);
    Ok(MatMult(A, x, y));
    Ok(MatMult(reference, x_of_reference, expected));
    ExpectSameVectors(y, expected, "product " + std::to_string(seed));
  }
}

TEST_P(DeviceExchangeTest, ProductsEqualThoseOfAij)
{
  Sample first_rank_empty = kSquare, without_ghosts = kSquare;
  first_rank_empty.layout = Layout::first_rank_empty;
  without_ghosts.local    = true;
  for (const Sample &sample : {kSquare, kHoley, kTall, kWide, first_rank_empty, without_ghosts}) {
    const Owned<Mat> A = Exchanging(sample, root()), reference = MakeSample(sample, MATAIJ);
    ExpectSameProducts(A, reference);
    ExpectManySameProducts(A, reference, 7);
    const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO);
    if (Rank() == 0) { // which alone prints
      EXPECT_EQ(Ranks() > 1 && LivesOnDevice(root()), text.find(kFromDevice) != text.npos) << text;
    }
  }
}

TEST_P(DeviceExchangeTest, LargeMessagesArriveWhole)
{
  const Owned<Mat> A = WithExchange(Stencil(root(), 300), 2), reference = Stencil(MATAIJ, 300);
  ExpectManySameProducts(A, reference, 20);
}

TEST_P(DeviceExchangeTest, DuplicatesShareIt)
{
  Owned<Mat>       A         = Exchanging(kSquare, root());
  const Owned<Mat> reference = MakeSample(kSquare, MATAIJ);
  Owned<Mat>       B;
  ExpectManySameProducts(A, reference, 1);
  Ok(MatDuplicate(A, MAT_COPY_VALUES, B.out()));
  for (int k = 0; k < 3; ++k) {
    ExpectManySameProducts(B, reference, 1);
    ExpectManySameProducts(A, reference, 2);
  }
  A = {};
  ExpectManySameProducts(B, reference, 3);
}

TEST_P(DeviceExchangeTest, MatricesComeAndGo)
{
  const Owned<Mat> reference = MakeSample(kSquare, MATAIJ);
  for (int k = 0; k < 20; ++k) ExpectManySameProducts(Exchanging(kSquare, root()), reference, 1);
}

TEST_P(DeviceExchangeTest, MpiCanBeAskedForAgain)
{
  const Owned<Mat> A = Exchanging(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  ExpectManySameProducts(A, reference, 2);
  Ok(MatSpMVSetOption(A, "exchange", 0));
  ExpectManySameProducts(A, reference, 2);
  EXPECT_EQ(Viewed(A, PETSC_VIEWER_ASCII_INFO).find(kFromDevice), std::string::npos);
}

TEST_P(DeviceExchangeTest, RanksThatShareADeviceAskMpi)
{
  if (Ranks() == 1 || !LivesOnDevice(root())) GTEST_SKIP() << "there are no ghost values on a device";
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  ExpectManySameProducts(A, reference, 2);
  const std::string text    = Viewed(A, PETSC_VIEWER_ASCII_INFO);
  int               devices = 0;
  ASSERT_EQ(cudaSuccess, cudaGetDeviceCount(&devices));
  if (Rank() == 0) ExpectContains(text, devices < Ranks() ? std::string(kByMpi) + "ranks share a device" : kFromDevice);
}

} // namespace
} // namespace petscspmv::test
