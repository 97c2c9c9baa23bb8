# For builds by pip (scikit-build-core sets SKBUILD): what `make` has from scripts/install-dependencies, without installing anything.
#
# PETSc is the one of the petsc4py that the package will be used with, unless PETSC_DIR names one. pip builds in an environment that
# hides what is installed, by PYTHONPATH; without that variable the same Python sees it again. Where nothing is found there,
# FindPETSc.cmake asks pkg-config.
if(NOT PETSC_DIR AND "$ENV{PETSC_DIR}" STREQUAL "")
  find_package(Python COMPONENTS Interpreter)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=PYTHONPATH --unset=PYTHONNOUSERSITE "${Python_EXECUTABLE}" -c
      "import petsc4py; config = petsc4py.get_config(); print(config['PETSC_DIR'], config.get('PETSC_ARCH', ''), sep=';')"
    OUTPUT_VARIABLE petsc4py_config ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(petsc4py_config)
    list(GET petsc4py_config 0 petsc4py_dir)
    list(GET petsc4py_config 1 petsc4py_arch)
    message(STATUS "PETSc is that of the petsc4py of ${Python_EXECUTABLE}")
    set(PETSC_DIR "${petsc4py_dir}" CACHE PATH "PETSc to build for")
    set(PETSC_ARCH "${petsc4py_arch}" CACHE STRING "Name of the PETSc build inside PETSC_DIR; empty for an installed PETSc")
    set(ENV{PETSC_DIR} "${petsc4py_dir}")
    set(ENV{PETSC_ARCH} "${petsc4py_arch}")
  endif()
endif()

# Kokkos, which PyPI has no package of.
if(NOT Kokkos_ROOT AND NOT Kokkos_DIR)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/scripts/provide-kokkos" COMMAND_ERROR_IS_FATAL ANY)
endif()
