# How every source of ours is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Only what include/petscspmv.h declares leaves the library; cmake/KokkosDependency.cmake says why that matters.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# A PETSc or MPI outside the system's folders is found by the library wherever it is installed.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

add_compile_options($<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Wall> $<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Wextra>)

# Unique symbols ignore visibility and keep a library from ever being unloaded cleanly. Clang has no such symbols.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
endif()

# "..." + std::string is warned of by mistake when inlined (GCC's bug 105651, in 12 and 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(PETSCSPMV_SANITIZE)
  add_compile_options(-fsanitize=${PETSCSPMV_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PETSCSPMV_SANITIZE})
  if(PETSCSPMV_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

if(PETSCSPMV_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
