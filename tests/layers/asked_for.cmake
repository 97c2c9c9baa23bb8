# What only asks for memory early has to be inlined always: GCC takes such a function for one without effects, and leaves its calls out.
#
#   cmake -D SOURCE_ROOT=<src/mat> -P asked_for.cmake

file(GLOB_RECURSE sources "${SOURCE_ROOT}/*.hpp" "${SOURCE_ROOT}/*.cpp")
list(FILTER sources EXCLUDE REGEX "/device/") # rows are asked for there, which is work
set(seen 0)
foreach(source IN LISTS sources)
  file(STRINGS "${source}" functions REGEX "void (ask|prefetch)[a-z_]*\\(")
  foreach(function IN LISTS functions)
    math(EXPR seen "${seen} + 1")
    if(NOT function MATCHES "gnu::always_inline")
      message(SEND_ERROR "${source}: '${function}' is not [[gnu::always_inline]]")
    endif()
  endforeach()
endforeach()
if(seen EQUAL 0)
  message(SEND_ERROR "No function in ${SOURCE_ROOT} asks for memory")
endif()
message(STATUS "${seen} functions ask for memory")
