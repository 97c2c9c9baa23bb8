#pragma once

/// \file types.hpp
/// The tests of the glue run once for each matrix type: those in interface/type_list.hpp, and the tests' own Mirror.

#include <gtest/gtest.h>

#include "glue/support/mirror_format.hpp"
#include "glue/support/petsc.hpp"
#include "petscspmv.h"

namespace petscspmv::test {

using TestMirror = Mirror<PetscScalar, PetscInt>;

/// "aijspec", ..., "mirror"
std::vector<std::string> TypeNames();

/// Whether products of the type of that name can run on a device, in a build for one.
bool RunsOnDevice(const std::string &root);

/// Whether matrices with a name of that type live on a device, that is, whether they are their parent's type there.
bool LivesOnDevice(const std::string &root);

/// The type of PETSc's that tests attach a method to: what PARENT in the environment names, for instance aijkokkos, or
/// else aij, and aijcusparse for a type that lives on a device.
std::string ParentOf(const std::string &root);

/// Makes all of them known to PETSc; after each PetscInitialize.
PetscErrorCode RegisterTypes();

/// A test that runs for each type.
class TypeTest : public testing::TestWithParam<std::string> {
public:
  static std::string root() { return GetParam(); }
  static std::string seq() { return "seq" + suffix(); }
  static std::string mpi() { return "mpi" + suffix(); }
  /// The type's name on PETSC_COMM_WORLD.
  static std::string world() { return Ranks() > 1 ? mpi() : seq(); }
  /// The types that matrices with these names get: on a device, the parent's.
  static std::string seq_type() { return LivesOnDevice(root()) ? MATSEQAIJCUSPARSE : seq(); }
  static std::string mpi_type() { return LivesOnDevice(root()) ? MATMPIAIJCUSPARSE : mpi(); }
  static std::string world_type() { return Ranks() > 1 ? mpi_type() : seq_type(); }
  /// "-mat_aijspec_"
  static std::string option_prefix() { return "-mat_" + root() + "_"; }

protected:
  void SetUp() override;
  void TearDown() override;

private:
  static std::string suffix() { return root().starts_with("aij") ? root() : "aij" + root(); }
  int                mirrors_before_ = 0;
};

inline auto EachType()
{
  return testing::ValuesIn(TypeNames());
}
inline std::string TypeName(const testing::TestParamInfo<std::string> &info)
{
  return info.param;
}

} // namespace petscspmv::test
