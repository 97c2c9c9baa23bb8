#include "interface/build_check.hpp"

#include <dlfcn.h>
#include <petscsys.h>

namespace petscspmv {

static std::string Describe(const PetscBuild &b)
{
  return "PETSc " + std::to_string(b.major) + "." + std::to_string(b.minor) + " with " + (b.complex_scalars ? "complex" : "real") +
         " scalars and " + std::to_string(8 * b.integer_bytes) + "-bit integers";
}

std::string Mismatch(const PetscBuild &built_for, const PetscBuild &met)
{
  if (built_for == met) return "";
  return "This libpetscspmv was built for " + Describe(built_for) + " but is loaded into " + Describe(met) +
         "; build it again with PETSC_DIR (and PETSC_ARCH) set to the PETSc that your program uses.";
}

std::string ForeignPetsc(const void *return_address)
{
  constexpr const char *marker = "PetscDLLibraryOpen";
  Dl_info               caller;

  if (!dladdr(return_address, &caller) || !caller.dli_fname) return "";
  void *handle = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return ""; // the executable itself, for instance
  void *theirs = dlsym(handle, marker);
  dlclose(handle);
  return theirs && theirs != reinterpret_cast<void *>(&PetscDLLibraryOpen) ? caller.dli_fname : "";
}

} // namespace petscspmv
