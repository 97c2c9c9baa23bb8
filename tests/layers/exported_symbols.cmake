# cmake -D NM=<nm> -D LIBRARY=<libpetscspmv.so> -D HEADER=<petscspmv.h> -D KOKKOS_IS_SHARED=<0|1> -P exported_symbols.cmake
#
# The library exports the functions that the header declares and the one that PETSc calls after loading, nothing else; and it
# takes no Kokkos from elsewhere in the process, unless PETSc has the one that both share. Nor does it ask PETSc for what that remembers of
# a matrix's values.

cmake_minimum_required(VERSION 3.25)

function(symbols which result)
  execute_process(COMMAND "${NM}" -D ${which} "${LIBRARY}" OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[^\n]* [A-Za-z] ([^\n@]+)(@[^\n]*)?\n" "\\1;" names "${lines}")
  list(FILTER names EXCLUDE REGEX "^$")
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

file(READ "${HEADER}" header)
string(REGEX MATCHALL "PETSC_EXTERN[^;(]*[ *]([A-Za-z]+)\\(" declarations "${header}")
list(TRANSFORM declarations REPLACE ".*[ *]([A-Za-z]+)\\($" "\\1")
list(APPEND declarations PetscDLLibraryRegister_petscspmv)

symbols(--defined-only exported)
# The sanitizers and the coverage counters leave marks of their own.
list(FILTER exported EXCLUDE REGEX "^(__asan_|__odr_asan|__ubsan_|__gcov_|__llvm_)")
foreach(name IN LISTS declarations)
  if(NOT name IN_LIST exported)
    message(SEND_ERROR "${name} is declared in ${HEADER}, but ${LIBRARY} does not export it.")
  endif()
endforeach()
foreach(name IN LISTS exported)
  if(NOT name IN_LIST declarations)
    message(SEND_ERROR "${LIBRARY} exports ${name}, which ${HEADER} does not declare.")
  endif()
endforeach()

symbols(--undefined-only imported)
list(LENGTH imported number)
if(number LESS 10)
  message(FATAL_ERROR "Only ${number} undefined symbols were found in ${LIBRARY}; this test has misread them.")
endif()
# What PETSc remembers of a matrix may be older than its values: it forgets in MatAssemblyEnd() alone.
set(remembered "${imported}")
list(FILTER remembered INCLUDE REGEX "^Mat(Is(Symmetric|Hermitian|StructurallySymmetric|SPD)(Known)?|MissingDiagonal|GetOption|Norm)$")
if(remembered)
  message(SEND_ERROR "${LIBRARY} asks PETSc for what a change of values may have made wrong: ${remembered}")
endif()
if(NOT KOKKOS_IS_SHARED)
  list(FILTER imported INCLUDE REGEX "[Kk]okkos|desul")
  if(imported)
    message(SEND_ERROR "${LIBRARY} takes these Kokkos symbols from whatever library of the process has them: ${imported}")
  endif()
endif()
