# Helpers for tests. CTest is the runner: `ctest --output-on-failure -j2`, `ctest -L formats`, `ctest -N`.

find_package(GTest REQUIRED)

# What every test runs with.
# - Open MPI refuses to run as root, and more ranks than cores, unless told otherwise; other MPIs ignore these variables.
# - OpenMP's idle threads should sleep: several tests run side by side.
set(petscspmv_test_environment
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMP_WAIT_POLICY=passive
  OMP_PROC_BIND=false)
if(PETSCSPMV_SANITIZE MATCHES "address")
  list(APPEND petscspmv_test_environment
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/sanitizers/lsan.supp,print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1,halt_on_error=1")
endif()

# petscspmv_add_test(<name> [LABELS <label>...] [PROCESSORS <n>] [TIMEOUT <seconds>] [ENVIRONMENT <var=value>...] COMMAND <command>...)
function(petscspmv_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROCESSORS;TIMEOUT" "LABELS;ENVIRONMENT;COMMAND")
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    PROCESSORS ${arg_PROCESSORS}
    TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT "${petscspmv_test_environment};${arg_ENVIRONMENT}")
endfunction()

# petscspmv_add_mpi_test(<name> <ranks> <command>... [LABELS ...] [TIMEOUT ...] [ENVIRONMENT ...]): <command> on <ranks> ranks.
# PROCESSORS is what CTest counts with when it runs tests side by side.
function(petscspmv_add_mpi_test name ranks)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;ENVIRONMENT")
  petscspmv_add_test(${name}
    LABELS ${arg_LABELS}
    TIMEOUT ${arg_TIMEOUT}
    ENVIRONMENT ${arg_ENVIRONMENT}
    PROCESSORS ${ranks}
    COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${arg_UNPARSED_ARGUMENTS})
endfunction()

# petscspmv_add_gtest_program(<target> <folder>'s <source>... LINK <library>...): a GoogleTest program. It has the main() in the folder's
# main.cpp if there is one, else GoogleTest's. tests/ is on the include path: "support/...".
function(petscspmv_add_gtest_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  set(main "${CMAKE_CURRENT_SOURCE_DIR}/main.cpp")
  if(EXISTS "${main}")
    set(framework GTest::gtest)
  else()
    set(main "")
    set(framework GTest::gtest_main)
  endif()
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS} ${main})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${arg_LINK} ${framework})
endfunction()
