# Finds Kokkos: target Kokkos::kokkos.
#
# A process must hold one Kokkos only. Two cases:
# - PETSc was built with Kokkos. Then that one is used, whatever else is installed.
# - PETSc was not. Then any Kokkos will do (Kokkos_ROOT, CMAKE_PREFIX_PATH, the system's, else .deps/kokkos, which
#   scripts/install-dependencies builds). One that CMake finds by itself is tried first, and passed over if it does not
#   work: only Kokkos_ROOT and Kokkos_DIR are a user's word. But it has to be invisible: other libraries in the process
#   can bring a Kokkos of another version. Debian's PETSc does, through Trilinos (3.4.1), and would bind our calls to
#   it. So ours is static, compiled with hidden symbols, and petscspmv exports nothing of it; tests/layers looks at the
#   result.

set(PETSCSPMV_KOKKOS_OLDEST 4.6)
set(_kokkos_own "${PROJECT_SOURCE_DIR}/.deps/kokkos")
if(PETSCSPMV_CUDA)
  set(_kokkos_own "${PROJECT_SOURCE_DIR}/.deps/kokkos-cuda-${PETSCSPMV_CUDA_ARCH}")
endif()
set(PETSCSPMV_KOKKOS_OWN "${_kokkos_own}" CACHE PATH "The Kokkos that scripts/install-dependencies builds")
mark_as_advanced(PETSCSPMV_KOKKOS_OWN)

# Sets Kokkos_DIR to the first that CMake would find and a program can be built with, or _kokkos_search so that none of
# them is looked at.
function(_kokkos_choose_one_that_works)
  find_package(Kokkos 999 CONFIG QUIET) # reads nothing but the versions of all that there are
  unset(Kokkos_DIR CACHE)
  set(refused)
  set(seen)
  foreach(config version IN ZIP_LISTS Kokkos_CONSIDERED_CONFIGS Kokkos_CONSIDERED_VERSIONS)
    file(REAL_PATH "${config}" config) # /lib is /usr/lib
    if(config IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${config}")
    cmake_path(GET config PARENT_PATH folder)
    if(version VERSION_LESS PETSCSPMV_KOKKOS_OLDEST)
      list(APPEND refused "${version} in ${folder}")
      continue()
    endif()
    set(probe "${PROJECT_BINARY_DIR}/kokkos_probe")
    file(REMOVE_RECURSE "${probe}")
    # A process of its own: where a package's files stop CMake with an error, that must not be ours.
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -S "${PROJECT_SOURCE_DIR}/cmake/kokkos_probe" -B "${probe}" -G "${CMAKE_GENERATOR}" "-DKokkos_DIR=${folder}"
        "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
      OUTPUT_VARIABLE words ERROR_VARIABLE words RESULT_VARIABLE status)
    if(status EQUAL 0)
      execute_process(COMMAND "${CMAKE_COMMAND}" --build "${probe}" OUTPUT_VARIABLE words ERROR_VARIABLE words RESULT_VARIABLE status)
    endif()
    if(status EQUAL 0)
      set(Kokkos_DIR "${folder}" CACHE PATH "Folder of KokkosConfig.cmake" FORCE)
      return()
    endif()
    file(WRITE "${PROJECT_BINARY_DIR}/kokkos_probe.log" "${words}")
    message(STATUS "Kokkos ${version} in ${folder} cannot be used and is passed over: a program with it does not build (${PROJECT_BINARY_DIR}/kokkos_probe.log)")
    list(APPEND refused "${version} in ${folder}")
  endforeach()
  set(_kokkos_refused "${refused}" PARENT_SCOPE)
  set(_kokkos_search NO_DEFAULT_PATH PARENT_SCOPE)
endfunction()

# What decides is compared with the last configuration's, so that changing it has an effect.
set(_kokkos_choice "${Kokkos_ROOT};$ENV{Kokkos_ROOT};${PETSc_PREFIX};${PETSc_HAS_KOKKOS}")
if(DEFINED CACHE{PETSCSPMV_KOKKOS_CHOICE} AND NOT PETSCSPMV_KOKKOS_CHOICE STREQUAL _kokkos_choice)
  unset(Kokkos_DIR CACHE)
endif()
set(PETSCSPMV_KOKKOS_CHOICE "${_kokkos_choice}" CACHE INTERNAL "What Kokkos was chosen by")

if(PETSc_HAS_KOKKOS)
  # PETSc's makefile variables hold the folder of a Kokkos that lies outside PETSc's own prefix.
  set(_kokkos_places "${PETSc_PREFIX}")
  find_file(_petsc_variables petscvariables PATHS "${PETSc_PREFIX}/lib/petsc/conf" NO_DEFAULT_PATH NO_CACHE)
  if(_petsc_variables)
    file(STRINGS "${_petsc_variables}" _kokkos_lines REGEX "^KOKKOS_(DIR|INCLUDE|LIB) *=")
    string(REGEX MATCHALL "/[^ ;\"]+" _kokkos_paths "${_kokkos_lines}")
    foreach(_kokkos_path IN LISTS _kokkos_paths)
      string(REGEX REPLACE "/(include|lib|lib64)$" "" _kokkos_path "${_kokkos_path}")
      list(APPEND _kokkos_places "${_kokkos_path}")
    endforeach()
  endif()
  message(STATUS "PETSc was built with Kokkos; petscspmv uses that one and no other")
  set(Kokkos_LAUNCH_COMPILER OFF) # of Kokkos with CUDA: would give all C++ to nvcc
  find_package(Kokkos ${PETSCSPMV_KOKKOS_OLDEST} CONFIG QUIET PATHS ${_kokkos_places} NO_DEFAULT_PATH)
  if(NOT Kokkos_FOUND)
    message(FATAL_ERROR
      "PETSc in ${PETSc_PREFIX} was built with Kokkos, and petscspmv must use the same one, but no Kokkos ${PETSCSPMV_KOKKOS_OLDEST} or newer "
      "was found with it (looked in: ${_kokkos_places}; other versions there: ${Kokkos_CONSIDERED_VERSIONS}). Say where its "
      "KokkosConfig.cmake is with -DKokkos_DIR=..., or use another PETSc (PETSC_DIR).")
  endif()
else()
  if("${Kokkos_ROOT}$ENV{Kokkos_ROOT}" STREQUAL "" AND NOT Kokkos_DIR AND NOT PETSCSPMV_CUDA)
    _kokkos_choose_one_that_works()
  endif()
  find_package(Kokkos ${PETSCSPMV_KOKKOS_OLDEST} CONFIG QUIET PATHS "${PETSCSPMV_KOKKOS_OWN}" ${_kokkos_search})
  if(NOT Kokkos_FOUND)
    message(FATAL_ERROR
      "There is no Kokkos ${PETSCSPMV_KOKKOS_OLDEST} or newer (Kokkos_ROOT: '${Kokkos_ROOT}$ENV{Kokkos_ROOT}'; versions found and refused: "
      "'${_kokkos_refused}${Kokkos_CONSIDERED_VERSIONS}'). Set Kokkos_ROOT to an installed one, or run scripts/install-dependencies, which builds it.")
  endif()
  get_target_property(_kokkos_kind Kokkos::kokkoscore TYPE)
  if(_kokkos_kind STREQUAL "SHARED_LIBRARY" AND PETSCSPMV_BUILD_PLUGIN)
    message(WARNING
      "The Kokkos in ${Kokkos_DIR} is a shared library. If anything else in the process brings another Kokkos (Debian's PETSc does), "
      "the two will mix and break. Prefer a static one, or let scripts/install-dependencies build it (unset Kokkos_ROOT).")
  endif()
endif()
if(PETSCSPMV_CUDA)
  if(NOT "CUDA" IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR
      "PETSCSPMV_CUDA is on, but the Kokkos in ${Kokkos_DIR} was built without CUDA (it has ${Kokkos_DEVICES}). Set Kokkos_ROOT to one with "
      "CUDA, let make CUDA=1 build it (unset Kokkos_ROOT), or build petscspmv without CUDA.")
  endif()
  if(PETSc_HAS_KOKKOS)
    # PETSc builds Kokkos for nvcc_wrapper as the C++ compiler. What nvcc has to see here is CUDA's for CMake.
    set_target_properties(Kokkos::kokkoscore PROPERTIES INTERFACE_COMPILE_DEFINITIONS "" INTERFACE_LINK_OPTIONS ""
      INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CUDA>:-extended-lambda>")
  elseif(TARGET Kokkos::CUDA)
    # Kokkos links libcuda.so.1, which only machines with a driver have. kernels/device/runtime.cu stands in for it.
    set_target_properties(Kokkos::CUDA PROPERTIES INTERFACE_LINK_LIBRARIES CUDA::cudart)
  endif()
elseif("CUDA" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR
    "The Kokkos in ${Kokkos_DIR} was built with CUDA. Set PETSCSPMV_CUDA=ON (make CUDA=1) to use it, or Kokkos_ROOT to one without.")
endif()
if(NOT "SERIAL" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR
    "The Kokkos in ${Kokkos_DIR} was built without its backend Serial (it has ${Kokkos_DEVICES}), by which one thread multiplies. Set "
    "Kokkos_ROOT to one that was configured with -DKokkos_ENABLE_SERIAL=ON (Spack: kokkos+serial).")
endif()
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) in ${Kokkos_DIR}")
