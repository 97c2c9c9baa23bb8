#include "glue/support/petsc_on_device.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/runtime.hpp"
#include "glue/support/petsc.hpp"

namespace petscspmv::test {
namespace {

struct Difference {
  const char *tests, *reason;
};

constexpr Difference differences[] = {
  // The host's arrays change, and the copy on the device is not told.
  {"*Values.EliminatedZeros/*", "MatEliminateZeros() writes the host's arrays alone"},
  {"*Values.LoadFromAFile/*", "MatLoad() into a matrix that is in use writes the host's arrays alone"},
  {"*Values.ArraysOfTheUser/*", "an assembly without new values does not tell the copy on the device"},
  {"*_TransposeReusing", "MatTranspose() into a matrix that is there writes the host's arrays alone"},
  {"*.SubMatricesAreOurs/*", "MatCreateSubMatrices() into matrices that are there writes the host's arrays alone"},
  {"*Convert.FromTheOtherType/*_sbaij", "a conversion from sbaij into a matrix that is there writes the host's arrays alone"},
  // Others.
  {"*Convert.FromTheOtherType/*_is", "a conversion from is into a matrix that is there wants the COO structure of the host"},
  {"*Convert.ToTheOtherTypeAsAijDoes/*_is", "of four ranks, is divides entries among them, and sums of parts round otherwise"},
  {"*Convert.ToTheOtherTypeReusingAMatrix/*_is", "of four ranks, is divides entries among them, and sums of parts round otherwise"},
  {"*Convert.ToTheOtherTypeReusingAMatrix/*_aij*",
   "conversions from aij to its other subtypes keep old values, those from aijcusparse do not"},
  {"*Values.RetrieveAfterConversionToAij/*", "a conversion to aij forgets that there are to be no new locations"},
  {"*MatProducts.TheTableIsThatOfAij/*", "aijcusparse multiplies by other matrices than aij does"},
  {"*Inodes.AreFoundAsInAij/*", "aijcusparse has no inodes"},
  {"*Inodes.PreconditionersAreThoseOfAij/*", "factorisations on a device round otherwise"},
  {"*Modify.IsSeenByTheNextProduct/*_AxpySubset", "MatAXPY() takes the row pointer of the rows that are not empty for that of all"},
  {"*Products.InfoAndNormsAreThoseOfAij/*", "MatNorm() of a parallel matrix adds to a vector on the device that nobody has set"},
  {"*SeqAIJType.YieldsToTheTypeThatTheMatrixAsksFor/*", "-mat_seqaij_type seqaijsell and -mat_type aijcusparse give a matrix both data"},
  {"*SeqAIJType.DoesNotDisturbConversionsToAij/*",
   "a matrix of the other subtypes keeps their data where -mat_seqaij_type has put that of a device"},
  {"*SeqAIJType.Factors/*", "factorisations on a device round otherwise"},
  {"*SeqAIJType.FactorsInPlace/*", "with -mat_seqaij_type of a device, data of a factor's type are destroyed as triangular factors"},
  {"*FloatingPoint.TrapsAreThoseOfAij/*", "MatMultHermitianTransposeAdd() of real matrices is refused by the cuSPARSE of CUDA 13"},
  {"*FactorLeaks.NoneOfFactorsThatAreAskedOrLeftToPetsc/*", "MatGetDiagonal() takes the data of cuSPARSE's factors for those of a matrix"},
  // What README's limits say of methods that are named by type.
  {"*MatProductResults.FollowNewValues/*", "a product of matrices is plain aijcusparse"},
  {"*.MatricesMadeOfSequentialOnes/*", "a matrix made of blocks is plain aijcusparse"},
};

} // namespace

void LeaveOutWhatPetscDoesOnADevice()
{
  if (!runtime::has_device()) return;
  std::string filter = GTEST_FLAG_GET(filter);
  if (filter.find('-') == std::string::npos) filter += "-";
  for (const Difference &difference : differences) {
    filter += std::string(":") + difference.tests;
    if (Rank() == 0) std::printf("left out: %s: %s\n", difference.tests, difference.reason);
  }
  GTEST_FLAG_SET(filter, filter);
}

} // namespace petscspmv::test
