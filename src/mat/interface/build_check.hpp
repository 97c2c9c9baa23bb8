#pragma once

/// \file build_check.hpp
/// A library built for one PETSc must not run in another: the numbers of matrix operations and the sizes of integers
/// and scalars differ, and nothing else would notice.

#include <string>

namespace petscspmv {

/// What must agree between the PETSc that the library was built for and the one that it meets.
struct PetscBuild {
  int  major;
  int  minor;
  bool complex_scalars;
  int  integer_bytes;

  bool operator==(const PetscBuild &) const = default;
};

/// One sentence on what was expected, what was met, and what to do; empty if they agree.
std::string Mismatch(const PetscBuild &built_for, const PetscBuild &met);

/// The file of a second PETSc that has called us through `return_address`; empty if it is the PETSc that we are linked
/// to, or no PETSc at all.
std::string ForeignPetsc(const void *return_address);

} // namespace petscspmv
