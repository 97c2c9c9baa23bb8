#pragma once

/// \file look_up.hpp
/// Functions of libraries that are found while the program runs.

#include <dlfcn.h>

namespace petscspmv::bench {

/// Null if the library has none of this name; RTLD_DEFAULT are those that the program was linked with.
template <class Function> void look_up(void *library, const char *name, Function *&function)
{
  function = reinterpret_cast<Function *>(dlsym(library, name));
}

} // namespace petscspmv::bench
