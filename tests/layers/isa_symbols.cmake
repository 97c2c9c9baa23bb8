# cmake -D NM=... -D LIBRARY=... [-D EXCEPT=<regex of names>] -P isa_symbols.cmake: no function is compiled for two instruction sets under one name.
#
# The linker keeps one copy of a weak symbol, and the processor at hand need not have the instructions of that one
# (kernels/lanes/isa.hpp).
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${NM}" --defined-only "${LIBRARY}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" lines "${text}")
set(sets)
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.o:$") # a member of the library
    set(isa plain)
    if("${CMAKE_MATCH_1}" MATCHES "_(avx2|avx512)\\.cpp$")
      set(isa ${CMAKE_MATCH_1})
    endif()
    list(APPEND sets ${isa})
  elseif(line MATCHES " W (.+)$")
    set(symbol ${CMAKE_MATCH_1})
    if(EXCEPT AND symbol MATCHES "${EXCEPT}")
      continue()
    endif()
    if(DEFINED "isa_of_${symbol}" AND NOT "${isa_of_${symbol}}" STREQUAL "${isa}")
      message(SEND_ERROR "${symbol} is compiled for ${isa} and for ${isa_of_${symbol}}: inline it always, or make it a template over the lanes.")
    endif()
    set("isa_of_${symbol}" ${isa})
  endif()
endforeach()
if(NOT "plain" IN_LIST sets)
  message(FATAL_ERROR "nm has named no members of ${LIBRARY}")
endif()
