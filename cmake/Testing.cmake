# Helpers for tests. CTest is the runner: `ctest --output-on-failure -j2`, `ctest -L formats`, `ctest -N`.

find_package(GTest REQUIRED)
if(PETSCSPMV_BUILD_PLUGIN)
  include(Petsc4py)
  petscspmv_find_petsc4py(petscspmv_python petscspmv_python_path)
endif()

# What every test runs with: what scripts/lib/mpi tells MPI, and
# - OpenMP's idle threads should sleep: several tests run side by side.
set(petscspmv_test_environment)
if(MPIEXEC_EXECUTABLE)
  execute_process(COMMAND bash -c ". scripts/lib/mpi && mpi_environment \"$0\"" "${MPIEXEC_EXECUTABLE}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE petscspmv_test_environment OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" petscspmv_test_environment "${petscspmv_test_environment}")
endif()
list(APPEND petscspmv_test_environment
  OMP_WAIT_POLICY=passive
  OMP_PROC_BIND=false
  "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-cache") # results of searches must not go to whoever runs the tests
if(PETSCSPMV_SANITIZE MATCHES "address")
  # tests/sanitizers/keep_libraries.c says what it is good for. Something is thus loaded before the sanitizer, which objects by default.
  set(petscspmv_preload $<TARGET_FILE:sanitizers_keep_libraries>)
  list(APPEND petscspmv_test_environment
    "LD_PRELOAD=${petscspmv_preload}"
    "ASAN_OPTIONS=verify_asan_link_order=0"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/sanitizers/lsan.supp,print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1,halt_on_error=1")
  # A program that was built without the sanitizer has to load it first; what such a program leaks is its own affair.
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libasan.so OUTPUT_VARIABLE petscspmv_asan OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(petscspmv_foreign_environment "LD_PRELOAD=${petscspmv_asan}:${petscspmv_preload}" "ASAN_OPTIONS=detect_leaks=0")
endif()

if(PETSCSPMV_SANITIZE MATCHES "thread")
  # OpenMP's own runtime is not instrumented.
  list(APPEND petscspmv_test_environment
    "TSAN_OPTIONS=ignore_noninstrumented_modules=1,suppressions=${PROJECT_SOURCE_DIR}/tests/sanitizers/tsan.supp,print_suppressions=0")
endif()

# Limits are there to end what hangs. A busy machine must not meet them: the longest test takes a minute or two on a quiet one.
set(petscspmv_time_limit 1500)
if(PETSCSPMV_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  math(EXPR petscspmv_time_limit "5 * ${petscspmv_time_limit}")
endif()

# petscspmv_add_test(<name> [LABELS <label>...] [PROCESSORS <n>] [ENVIRONMENT <var=value>...] [PETSC4PY] COMMAND <command>...)
# PETSC4PY: the command runs $PYTHON, which has the petsc4py of this PETSc; if there is none, the test is skipped. Python was not
# built here and has no sanitizer inside.
function(petscspmv_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PETSC4PY" "PROCESSORS" "LABELS;ENVIRONMENT;COMMAND")
  if(arg_PETSC4PY)
    list(PREPEND arg_ENVIRONMENT ${petscspmv_foreign_environment} "PYTHON=${petscspmv_python}" "PYTHONPATH=${petscspmv_python_path}")
    if(NOT petscspmv_python)
      set(arg_COMMAND "${CMAKE_COMMAND}" -E echo "SKIPPED: ${petscspmv_no_python}")
    endif()
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    PROCESSORS ${arg_PROCESSORS}
    TIMEOUT ${petscspmv_time_limit}
    ENVIRONMENT "${petscspmv_test_environment};${arg_ENVIRONMENT}")
  if(arg_PETSC4PY)
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED: ")
  endif()
endfunction()

# petscspmv_add_mpi_test(<name> <ranks> <command>... [LABELS ...] [ENVIRONMENT ...]): <command> on <ranks> ranks.
# PROCESSORS is what CTest counts with when it runs tests side by side.
function(petscspmv_add_mpi_test name ranks)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LABELS;ENVIRONMENT")
  petscspmv_add_test(${name}
    LABELS ${arg_LABELS}
    ENVIRONMENT ${arg_ENVIRONMENT}
    PROCESSORS ${ranks}
    COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${arg_UNPARSED_ARGUMENTS})
endfunction()

# petscspmv_add_gtest_program(<target> <folder>'s <source>... LINK <library>...): a GoogleTest program. It has the main() in the folder's
# main.cpp if there is one, compiled once, else GoogleTest's. tests/ is on the include path: "support/...".
function(petscspmv_add_gtest_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  set(main GTest::gtest_main)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/main.cpp")
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
    set(main ${folder}_main)
    if(NOT TARGET ${main})
      add_library(${main} OBJECT main.cpp)
      target_link_libraries(${main} PUBLIC ${arg_LINK} GTest::gtest)
    endif()
  endif()
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(${target} PRIVATE ${arg_LINK} ${main})
endfunction()
