#pragma once

/// \file types.hpp
/// The tests of the glue run once for each matrix type: those in interface/type_list.hpp, and the tests' own Mirror.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

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

/// The names of the type with the short name `Test::root()`.
template <class Test> struct NamesOf {
  static std::string seq() { return "seq" + suffix(); }
  static std::string mpi() { return "mpi" + suffix(); }
  /// The type's name on PETSC_COMM_WORLD.
  static std::string world() { return Ranks() > 1 ? mpi() : seq(); }
  /// The types that matrices with these names get: on a device, the parent's.
  static std::string seq_type() { return LivesOnDevice(Test::root()) ? MATSEQAIJCUSPARSE : seq(); }
  static std::string mpi_type() { return LivesOnDevice(Test::root()) ? MATMPIAIJCUSPARSE : mpi(); }
  static std::string world_type() { return Ranks() > 1 ? mpi_type() : seq_type(); }
  /// "-mat_aijspec_"
  static std::string option_prefix() { return "-mat_" + Test::root() + "_"; }

private:
  static std::string suffix() { return Test::root().starts_with("aij") ? Test::root() : "aij" + Test::root(); }
};

/// A test after which no mirror is left, and none was asked to break a rule.
class JournalTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

private:
  int mirrors_before_ = 0;
};

/// A test that runs for each type.
class TypeTest : public JournalTest, public testing::WithParamInterface<std::string>, public NamesOf<TypeTest> {
public:
  static std::string root() { return GetParam(); }
};

inline auto EachType()
{
  return testing::ValuesIn(TypeNames());
}
inline std::string TypeName(const testing::TestParamInfo<std::string> &info)
{
  return info.param;
}

/// A case of a table that tests go through; its name is part of theirs.
struct NamedCase {
  const char *name;

  friend void PrintTo(const NamedCase &c, std::ostream *out) { *out << c.name; }
};

/// A test that runs for each type with each of such cases.
template <class Case>
class TypeTestWith : public JournalTest,
                     public testing::WithParamInterface<std::tuple<std::string, Case>>,
                     public NamesOf<TypeTestWith<Case>> {
  using Parameter = testing::WithParamInterface<std::tuple<std::string, Case>>;

public:
  static std::string root() { return std::get<0>(Parameter::GetParam()); }
  static const Case &at_hand() { return std::get<1>(Parameter::GetParam()); }
};
template <class Cases> auto EachTypeWith(const Cases &cases)
{
  return testing::Combine(EachType(), testing::ValuesIn(cases));
}
inline constexpr auto TypeAndCase = [](const auto &info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param).name; };

} // namespace petscspmv::test
