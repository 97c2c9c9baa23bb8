# cmake -D CASE=broken|too_old|named -D SOURCE=<checkout> -D GENERATOR=... -D COMPILERS=<options> -D GOOD_KOKKOS=<folder of KokkosConfig.cmake>
#       -D WORK=<scratch folder> -P kokkos.cmake
#
# Puts into a prefix a Kokkos whose files name an archive that is not there, as a distribution's package once did, and
# configures with it.

cmake_minimum_required(VERSION 3.25)

set(version 5.2.2)
if(CASE STREQUAL "too_old")
  set(version 3.4.1)
endif()
file(REMOVE_RECURSE "${WORK}")
set(folder "${WORK}/prefix/lib/cmake/Kokkos")
file(WRITE "${folder}/KokkosConfigVersion.cmake" "
set(PACKAGE_VERSION ${version})
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()")
file(WRITE "${folder}/KokkosConfig.cmake" "
message(FATAL_ERROR \"The imported target Kokkos::kokkosalgorithms references the file libkokkosalgorithms.a, but this file does not exist.\")")

if(CASE STREQUAL "named")
  set(choice "-DKokkos_ROOT=${WORK}/prefix")
else()
  set(choice "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
endif()
cmake_path(GET GOOD_KOKKOS PARENT_PATH good) # <prefix>/lib/cmake/Kokkos
cmake_path(GET good PARENT_PATH good)
cmake_path(GET good PARENT_PATH good)
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env --unset=Kokkos_ROOT --unset=CMAKE_PREFIX_PATH
    "${CMAKE_COMMAND}" -G "${GENERATOR}" ${COMPILERS} -S "${SOURCE}" -B "${WORK}/build" "${choice}" "-DPETSCSPMV_KOKKOS_OWN=${good}"
    -DPETSCSPMV_BUILD_PLUGIN=OFF -DPETSCSPMV_BUILD_TESTS=OFF
  RESULT_VARIABLE status OUTPUT_VARIABLE words ERROR_VARIABLE words)

if(CASE STREQUAL "named")
  if(status EQUAL 0 OR NOT words MATCHES "libkokkosalgorithms.a")
    message(FATAL_ERROR "A Kokkos that the user has named and that does not work was to be an error that says why:\n${words}")
  endif()
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "Configuration was to go on without the Kokkos in ${folder}:\n${words}")
elseif(NOT words MATCHES "Kokkos [0-9.]+ \\([A-Z;]+\\) in ${GOOD_KOKKOS}")
  message(FATAL_ERROR "The Kokkos in ${GOOD_KOKKOS} was to be taken:\n${words}")
elseif(CASE STREQUAL "broken" AND NOT words MATCHES "Kokkos ${version} in ${folder} cannot be used and is passed over")
  message(FATAL_ERROR "Nothing is said of the Kokkos that is passed over:\n${words}")
endif()
