# Finds PETSc and its MPI by pkg-config. Defines
#
#   PETSc::PETSc          include folders and libraries of PETSc, and MPI for C
#   PETSc_VERSION         3.18.5
#   PETSc_PREFIX          where PETSc is installed
#   PETSc_PKGCONFIG_NAME  PETSc or petsc
#   PETSc_PKGCONFIG_DIR   the folder of the .pc file
#   PETSc_HAS_KOKKOS      whether PETSc itself was built with Kokkos
#   PETSc_FLAVOUR         for people: "real scalars, 32-bit indices"
#   PETSc_SHORT_FLAVOUR   the same in short: real32
#   MPIEXEC_EXECUTABLE    the mpiexec that belongs to PETSc's MPI
#
# PETSC_DIR and PETSC_ARCH (cache variables; at the first configuration taken from the environment) choose one. Without them
# it is the PETSc that pkg-config knows. The choice is looked up anew in every configuration, so it can be changed at will.

set(PETSC_DIR "$ENV{PETSC_DIR}" CACHE PATH "PETSc to build for; empty: the one that pkg-config finds")
set(PETSC_ARCH "$ENV{PETSC_ARCH}" CACHE STRING "Name of the PETSc build inside PETSC_DIR; empty for an installed PETSc")

set(_petsc_oldest 3.18)
set(_petsc_newest 3.26)
string(CONCAT _petsc_remedy
  "Supported are PETSc ${_petsc_oldest} to ${_petsc_newest} with double precision and shared libraries, real or complex, with 32-bit or 64-bit indices. "
  "To use another PETSc, set PETSC_DIR (and PETSC_ARCH, if it is not an installed one) or PKG_CONFIG_PATH and configure again. "
  "Debian's is in the package petsc-dev.")

macro(_petsc_give_up)
  string(CONCAT _petsc_reason ${ARGN} " ${_petsc_remedy}")
  if(PETSc_FIND_REQUIRED)
    message(FATAL_ERROR "${_petsc_reason}")
  elseif(NOT PETSc_FIND_QUIETLY)
    message(STATUS "${_petsc_reason}")
  endif()
  set(PETSc_FOUND FALSE)
  set(PETSc_NOT_FOUND_MESSAGE "${_petsc_reason}")
  return()
endmacro()

find_package(PkgConfig REQUIRED QUIET)

# pkg-config's answers are cached; forget those of an earlier choice.
get_cmake_property(_petsc_cached CACHE_VARIABLES)
foreach(_petsc_variable IN LISTS _petsc_cached)
  if(_petsc_variable MATCHES "^(pkgcfg_lib_PETSC_PC_|PETSC_PC_|__pkg_config.*_PETSC_PC$)")
    unset(${_petsc_variable} CACHE)
  endif()
endforeach()

set(_petsc_saved_path "$ENV{PKG_CONFIG_PATH}")
if(PETSC_DIR)
  cmake_path(APPEND PETSC_DIR "${PETSC_ARCH}" lib pkgconfig OUTPUT_VARIABLE _petsc_pc_folder)
  if(NOT EXISTS "${_petsc_pc_folder}/PETSc.pc" AND NOT EXISTS "${_petsc_pc_folder}/petsc.pc")
    _petsc_give_up(
      "PETSC_DIR is '${PETSC_DIR}' and PETSC_ARCH is '${PETSC_ARCH}', but there is neither PETSc.pc nor petsc.pc in ${_petsc_pc_folder}. "
      "Is that PETSc configured and built, and is PETSC_ARCH the name of its build (empty for an installed PETSc)?")
  endif()
  set(ENV{PKG_CONFIG_PATH} "${_petsc_pc_folder}:${_petsc_saved_path}")
endif()

pkg_search_module(PETSC_PC QUIET IMPORTED_TARGET PETSc petsc)
if(NOT PETSC_PC_FOUND)
  _petsc_give_up("There is no PETSc: pkg-config knows neither 'PETSc' nor 'petsc'.")
endif()
set(PETSc_VERSION "${PETSC_PC_VERSION}")
set(PETSc_PKGCONFIG_NAME "${PETSC_PC_MODULE_NAME}")
pkg_get_variable(PETSc_PREFIX ${PETSc_PKGCONFIG_NAME} prefix)
pkg_get_variable(PETSc_PKGCONFIG_DIR ${PETSc_PKGCONFIG_NAME} pcfiledir)
# The file itself, not a link that may lead to another PETSc tomorrow (Debian's alternatives).
file(REAL_PATH "${PETSc_PKGCONFIG_DIR}/${PETSc_PKGCONFIG_NAME}.pc" _petsc_pc_file)
cmake_path(GET _petsc_pc_file PARENT_PATH PETSc_PKGCONFIG_DIR)
pkg_get_variable(_petsc_cc ${PETSc_PKGCONFIG_NAME} ccompiler)
set(ENV{PKG_CONFIG_PATH} "${_petsc_saved_path}")

# What kind of PETSc it is, from its own record of its configuration.
find_file(_petsc_conf petscconf.h PATHS ${PETSC_PC_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CACHE)
if(NOT _petsc_conf)
  _petsc_give_up("PETSc ${PETSc_VERSION} in ${PETSc_PREFIX} has no petscconf.h in its include folders (${PETSC_PC_INCLUDE_DIRS}): "
                      "its installation is not complete.")
endif()
file(READ "${_petsc_conf}" _petsc_conf_text)
function(_petsc_has macro result)
  if(_petsc_conf_text MATCHES "#[ \t]*define[ \t]+${macro}[ \t\n]")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
_petsc_has(PETSC_USE_REAL_DOUBLE _petsc_double)
_petsc_has(PETSC_USE_COMPLEX _petsc_complex)
_petsc_has(PETSC_USE_64BIT_INDICES _petsc_64)
_petsc_has(PETSC_HAVE_KOKKOS PETSc_HAS_KOKKOS)
_petsc_has(PETSC_USE_SHARED_LIBRARIES _petsc_shared)
set(_petsc_scalars real)
if(_petsc_complex)
  set(_petsc_scalars complex)
endif()
set(_petsc_bits 32)
if(_petsc_64)
  set(_petsc_bits 64)
endif()
set(PETSc_FLAVOUR "${_petsc_scalars} scalars, ${_petsc_bits}-bit indices")
set(PETSc_SHORT_FLAVOUR "${_petsc_scalars}${_petsc_bits}")

string(REGEX MATCH "^[0-9]+\\.[0-9]+" _petsc_minor "${PETSc_VERSION}")
if(_petsc_minor VERSION_LESS _petsc_oldest OR _petsc_minor VERSION_GREATER _petsc_newest)
  _petsc_give_up("PETSc ${PETSc_VERSION} in ${PETSc_PREFIX} is not supported.")
endif()
if(NOT _petsc_double)
  _petsc_give_up("PETSc ${PETSc_VERSION} in ${PETSc_PREFIX} was not built with double precision.")
endif()
if(NOT _petsc_shared)
  _petsc_give_up("PETSc ${PETSc_VERSION} in ${PETSc_PREFIX} was built without shared libraries; a plugin would bring a second PETSc "
                      "into the process.")
endif()

# The MPI that PETSc was built with, unless the user says otherwise.
if(_petsc_cc AND NOT MPI_C_COMPILER)
  find_program(MPI_C_COMPILER "${_petsc_cc}")
endif()
if(MPI_C_COMPILER AND NOT MPIEXEC_EXECUTABLE)
  cmake_path(GET MPI_C_COMPILER PARENT_PATH _petsc_mpi_bin)
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec HINTS "${_petsc_mpi_bin}")
endif()
find_package(MPI REQUIRED QUIET COMPONENTS C)

if(NOT TARGET PETSc::PETSc)
  add_library(PETSc::PETSc INTERFACE IMPORTED)
  target_link_libraries(PETSc::PETSc INTERFACE PkgConfig::PETSC_PC MPI::MPI_C)
  # MPI's C++ bindings are gone from the standard, and C++ sources must not depend on their library.
  target_compile_definitions(PETSc::PETSc INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endif()
set(PETSc_FOUND TRUE)
message(STATUS "PETSc ${PETSc_VERSION} (${PETSc_FLAVOUR}) in ${PETSc_PREFIX}")
