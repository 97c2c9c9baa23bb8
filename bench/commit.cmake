# Writes the commit of the sources into a header, if it has changed.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=10
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
set(content "#define PETSCSPMV_BENCH_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" old)
endif()
if(NOT old STREQUAL content)
  file(WRITE "${HEADER}" "${content}")
endif()
