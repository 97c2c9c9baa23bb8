#include "petscspmv.h"

#include <utility>

#include "interface/build_check.hpp"
#include "interface/type_list.hpp"
#include "glue/ordering.hpp"
#include "glue/auto.hpp"
#include "glue/door/registry.hpp"
#include "select/automatic.hpp"

using namespace petscspmv;

static PetscErrorCode MeetPetsc(PetscBuild *met)
{
  PetscInt      major, minor;
  PetscDataType type;
  PetscBool     found;
  size_t        bytes;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, NULL, NULL));
  met->major = (int)major;
  met->minor = (int)minor;
  PetscCall(PetscDataTypeFromString("scalar", &type, &found));
  met->complex_scalars = type == PETSC_COMPLEX;
  PetscCall(PetscDataTypeFromString("int", &type, &found));
  PetscCall(PetscDataTypeGetSize(type, &bytes));
  met->integer_bytes = (int)bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBuild()
{
  constexpr PetscBuild built_for{PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PetscDefined(USE_COMPLEX) != 0, (int)sizeof(PetscInt)};
  PetscBuild           met;

  PetscFunctionBegin;
  PetscCall(MeetPetsc(&met));
  const std::string sentence = Mismatch(built_for, met);
  PetscCheck(sentence.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", sentence.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... n> static PetscErrorCode RegisterAll(std::index_sequence<n...>)
{
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  static_cast<void>(((ierr = shadow::RegisterFormat([] { return all_types<PetscScalar, PetscInt>[n]; })) || ...));
  PetscCall(ierr);
  const auto type_of_auto = [] { return shadow::AutoType(select::automatic::name, *shadow::FindKind("ccoo")); };
  PetscCall(shadow::RegisterFormat(type_of_auto, shadow::FindKind("ccoo")));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscSpMVInitializePackage(void)
{
  PetscFunctionBegin;
  PetscCall(CheckBuild());
  PetscCall(RegisterAll(std::make_index_sequence<all_types<PetscScalar, PetscInt>.size()>()));
  PetscCall(shadow::RegisterBlockOrdering(MATORDERINGSPMVBLOCKS));
  PetscCall(shadow::RegisterFactorPackage(MATSOLVERSPMV));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscSpMVGetVersion(const char *version[])
{
  PetscFunctionBegin;
  *version = PETSCSPMV_VERSION;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What -dll_append calls once it has loaded the library.
extern "C" PETSC_VISIBILITY_PUBLIC PetscErrorCode PetscDLLibraryRegister_petscspmv(void)
{
  PetscFunctionBegin;
  const std::string foreign = ForeignPetsc(__builtin_return_address(0));
  PetscCheck(foreign.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "This libpetscspmv is linked to another PETSc than %s, which loads it; build it again with PETSC_DIR (and PETSC_ARCH) set to "
             "the PETSc that your program uses.",
             foreign.c_str());
  PetscCall(PetscSpMVInitializePackage());
  PetscCall(PetscInfo(NULL, "petscspmv %s, built for PETSc %d.%d.%d\n", PETSCSPMV_VERSION, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                      PETSC_VERSION_SUBMINOR));
  PetscFunctionReturn(PETSC_SUCCESS);
}
