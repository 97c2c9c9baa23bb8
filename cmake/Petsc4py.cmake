# petscspmv_find_petsc4py(<python> <path>): a Python that has the petsc4py of this PETSc, and the PYTHONPATH that it takes; <python> is
# empty if there is none. $PYTHON goes first, then the python3 of the PATH and the system's, which is the one that Debian's petsc4py is for.
function(petscspmv_find_petsc4py python path)
  set(${python} "" PARENT_SCOPE)
  set(folders "${PETSc_PREFIX}/lib/python3/dist-packages:${PETSc_PREFIX}/lib:$ENV{PYTHONPATH}") # Debian's place, PETSc's own
  foreach(candidate IN ITEMS $ENV{PYTHON} python3 /usr/bin/python3)
    find_program(interpreter ${candidate} NO_CACHE)
    if(interpreter)
      execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${folders}" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "${interpreter}" -c
          "from petsc4py import PETSc
print('%d.%d.%d' % PETSc.Sys.getVersion(), 'complex' if PETSc.ScalarType().dtype.kind == 'c' else 'real', 'scalars, %d-bit indices' % (8 * PETSc.IntType().itemsize))"
        OUTPUT_VARIABLE build ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(build STREQUAL "${PETSc_VERSION} ${PETSc_FLAVOUR}")
        set(${python} "${interpreter}" PARENT_SCOPE)
        set(${path} "${folders}" PARENT_SCOPE)
        return()
      endif()
    endif()
    unset(interpreter)
  endforeach()
endfunction()

set(petscspmv_no_python "no Python here has a petsc4py for this PETSc (${PETSc_FLAVOUR}). Debian's are packages named python3-petsc4py-*, for Debian's python3; the variable PYTHON names another Python.")
