#include "glue/shadow.hpp"

namespace petscspmv::shadow {

namespace {

/// For matrices of which types an option is: "aijspec", or all of ours; nothing if it is none of our options. Options
/// may have a prefix.
std::string TypesWithOption(std::string_view option)
{
  const auto  mentions = [option](const std::string &text) { return option.find(text) != std::string_view::npos; };
  std::string all;

  for (const MatKind *kind : KnownKinds()) {
    if (mentions("mat_" + kind->root + "_")) return kind->root;
    all += (all.empty() ? "" : ", ") + kind->root;
  }
  return mentions("mat_spmv_") ? all : "";
}

/// Whether the option asks for a type of ours: then no matrix has heard of it.
bool AsksForType(std::string_view option, const char value[])
{
  return (option.ends_with("mat_type") || option.ends_with("mat_seqaij_type")) && FindKind(value);
}

bool will_tell = false; ///< at the end of this PETSc; it can be started again

PetscErrorCode TellUnusedOptions()
{
  PetscBool wanted = PETSC_TRUE;
  PetscInt  n;
  char    **names, **values;

  PetscFunctionBegin;
  will_tell = false;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-options_left", &wanted, NULL));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n; ++i) {
    const std::string types = TypesWithOption(names[i]);
    if (AsksForType(names[i], values[i]))
      PetscCall(PetscFPrintf(
        PETSC_COMM_WORLD, stderr,
        "petscspmv: option -%s %s was given, but this program never asked for the type of a matrix. -mat_spmv %s reaches all of its "
        "AIJ matrices; -options_left no silences this.\n",
        names[i], values[i], FindKind(values[i])->root.c_str()));
    if (types.empty()) continue;
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr,
                           "petscspmv: option -%s %s was given, but no matrix has read it. It is for matrices of type %s: ask for one with "
                           "-mat_type, or see -help if the name of the option may be wrong; -options_left no silences this.\n",
                           names[i], values[i] ? values[i] : "", types.c_str()));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/// Once: PETSc since 3.20 calls a function as often as it was registered, has room for 256 and does not look, or
/// refuses a second time if built with checks.
PetscErrorCode TellUnusedOptionsAtTheEnd()
{
  PetscFunctionBegin;
  if (will_tell) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRegisterFinalize(TellUnusedOptions));
  will_tell = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
