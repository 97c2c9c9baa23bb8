/// A library for another PETSc is recognised, and says in one sentence what is
/// wrong.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "interface/build_check.hpp"

#include <petscsys.h>

using petscspmv::ForeignPetsc;
using petscspmv::Mismatch;
using petscspmv::PetscBuild;

namespace {

constexpr PetscBuild kBuild{3, 18, false, 4};

TEST(BuildCheck, TheSameBuildIsWelcome)
{
  EXPECT_EQ("", Mismatch(kBuild, kBuild));
}

TEST(BuildCheck, EachDifferenceIsToldWithTheRemedy)
{
  const struct {
    PetscBuild  met;
    const char *words;
  } cases[] = {
    {{4, 18, false, 4}, "into PETSc 4.18 with real scalars and 32-bit integers"},
    {{3, 19, false, 4}, "into PETSc 3.19 with real scalars and 32-bit integers"},
    {{3, 18, true, 4}, "into PETSc 3.18 with complex scalars and 32-bit integers"},
    {{3, 18, false, 8}, "into PETSc 3.18 with real scalars and 64-bit integers"},
  };
  for (const auto &c : cases) {
    const std::string sentence = Mismatch(kBuild, c.met);
    EXPECT_NE(std::string::npos, sentence.find(c.words)) << sentence;
    EXPECT_NE(std::string::npos, sentence.find("built for PETSc 3.18 with real scalars and 32-bit integers")) << sentence;
    EXPECT_NE(std::string::npos, sentence.find("PETSC_DIR")) << sentence;
    EXPECT_EQ('.', sentence.back());
  }
}

TEST(BuildCheck, OurPetscAndTheProgramItselfAreNotForeign)
{
  static const int somewhere_in_the_program = 0;
  EXPECT_EQ("", ForeignPetsc(reinterpret_cast<const void *>(dlsym(RTLD_DEFAULT, "PetscDLLibraryOpen"))));
  EXPECT_EQ("", ForeignPetsc(&somewhere_in_the_program));
  EXPECT_EQ("", ForeignPetsc(reinterpret_cast<const void *>(dlsym(RTLD_DEFAULT, "malloc")))); // a library, but no PETSc
  EXPECT_EQ("", ForeignPetsc(nullptr));
}

TEST(BuildCheck, ASecondPetscIsForeign)
{
  void *library = dlopen(PETSCSPMV_FAKE_PETSC, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nullptr, library) << dlerror();
  const auto inside = reinterpret_cast<const void *(*)()>(dlsym(library, "AnAddressInside"));
  ASSERT_NE(nullptr, inside);
  EXPECT_EQ(PETSCSPMV_FAKE_PETSC, ForeignPetsc(inside()));
  dlclose(library);
}

} // namespace
