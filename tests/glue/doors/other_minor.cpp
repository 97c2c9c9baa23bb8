/// \file other_minor.cpp
/// The part of the library that knows which PETSc it was built for, told a
/// minor version that does not exist. For the test of what such a library says
/// when it is loaded.

#include "glue/auto.hpp"
#include "glue/door/registry.hpp"
#include "glue/ordering.hpp"
#include "interface/build_check.hpp"
#include "interface/type_list.hpp"
#include "petscspmv.h"

#undef PETSC_VERSION_MINOR
#define PETSC_VERSION_MINOR 99

#include "interface/package.cpp" // NOLINT(bugprone-suspicious-include): the code itself, with another version
