# cmake -D NM=<nm> -D OBJECTS=<files> -P static_destructors.cmake: no object of the library's is destroyed at the end of the process.
#
# Programs destroy matrices and finalise PETSc in destructors of static objects and functions of atexit(), which may run after ours. Sources that
# see Kokkos are left out: its headers have such objects.
cmake_minimum_required(VERSION 3.25)

set(looked_at 0)
foreach(object IN LISTS OBJECTS)
  if(object MATCHES "(/kernels/(host/(parallel|runtime)|kokkos/[a-z_]+)|_kokkos)\\.cpp\\." OR NOT object MATCHES "\\.o$")
    continue()
  endif()
  execute_process(COMMAND "${NM}" --undefined-only "${object}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(symbols MATCHES "__cxa_atexit|__cxa_thread_atexit")
    message(SEND_ERROR "${object} has a static object with a destructor: make it with new, and keep a reference.")
  endif()
  math(EXPR looked_at "${looked_at} + 1")
endforeach()
if(looked_at LESS 20)
  message(FATAL_ERROR "Only ${looked_at} objects were looked at; this test has misread its list.")
endif()
