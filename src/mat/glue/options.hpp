#pragma once

/// \file options.hpp
/// The options of a matrix (options.cpp), and which of those that were given nobody has read (unused.cpp).

#include <initializer_list>
#include <string_view>

#include "glue/door/enter.hpp"

namespace petscspmv::shadow {

const OptionValues &CommonOptions();                       ///< the defaults of -mat_spmv_<key>
bool                IsForAllTypes(const OptionSpec &spec); ///< one of some types whose name is that of all, -mat_spmv_<key>
PetscErrorCode      MatSetFromOptions_Shadow(Mat A, OptionItems items);
PetscErrorCode      ReadOptionsOnce(const Entry &e); ///< for a matrix whose program never calls MatSetFromOptions: Enter() does
PetscErrorCode      ShadowSetOption(Mat A, const char key[], PetscInt value); ///< `key` as in -mat_<type>_<key> or -mat_spmv_<key>
PetscErrorCode      ShadowGetOption(Mat A, const char key[], PetscInt *value);
PetscErrorCode      ShadowThreads(const Shadow &shadow, MemorySpace space, int *threads); ///< starts the runtime if need be

/// PetscFinalize() will say which options of ours were given in vain, and what they are for. PETSc itself only names
/// them, and before 3.20 only in a build with checks or with -options_left.
PetscErrorCode TellUnusedOptionsAtTheEnd();

/// A matrix has found `option`, "-mat_ccoo_tile", with this prefix, in a database of its own or, if `own` is null, in
/// the program's, of which alone PetscFinalize() tells.
void RememberRead(PetscOptions own, const char prefix[], std::string_view option);

/// PetscOptionsGetString() for A, remembered.
PetscErrorCode ReadString(Mat A, const char prefix[], const char option[], char value[], size_t size, PetscBool *given);

/// Whether one of PETSc's options is given to an object with this prefix.
PetscErrorCode HasAnyOption(PetscObject object, const char prefix[], std::initializer_list<const char *> options, bool *has);

/// A matrix gets the type of `kind`: the options that have just asked PETSc for it are read.
PetscErrorCode RememberType(const MatKind &kind);

} // namespace petscspmv::shadow
