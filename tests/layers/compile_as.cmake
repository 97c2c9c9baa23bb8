# Compiles something as if it were a source in a folder of src/mat, where only some folders of src/mat exist.
#
#   cmake -D COMMAND=<how a source there is compiled> | -D LIKE=<folder> -D DATABASE=<compile_commands.json>
#         -D SOURCE_ROOT=<src/mat> -D FOLDERS=<folders of it that exist> -D WORK=<scratch folder> [-D STOP_AFTER=-E|-fsyntax-only]
#         -D INCLUDES=<names to include, each in a source of its own> [-D REFUSED_FOR=<regex>] [-D NO_CUDA=1] -P compile_as.cmake
#
# With REFUSED_FOR, each must be refused with words that match; without, each must pass. NO_CUDA: CUDA's headers are an
# error, even where the compiler would find them.

cmake_minimum_required(VERSION 3.25)

if(LIKE)
  file(READ "${DATABASE}" database)
  string(JSON entries LENGTH "${database}")
  math(EXPR last "${entries} - 1")
  foreach(i RANGE ${last})
    string(JSON source GET "${database}" ${i} file)
    cmake_path(IS_PREFIX LIKE "${source}" NORMALIZE found)
    if(found)
      string(JSON COMMAND GET "${database}" ${i} command)
      break()
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "No source in ${LIKE} is compiled, so its rules cannot be tested.")
  endif()
endif()

# Copies, not links: an #include "../other/x.hpp" must not get out.
file(REMOVE_RECURSE "${WORK}")
foreach(folder IN LISTS FOLDERS)
  cmake_path(GET folder PARENT_PATH parent)
  file(COPY "${SOURCE_ROOT}/${folder}" DESTINATION "${WORK}/${parent}")
endforeach()

# The same command for another source, writing nothing.
separate_arguments(arguments UNIX_COMMAND "${COMMAND}")
set(probe "${WORK}/layer_probe.cpp")
set(command)
foreach(argument IN LISTS arguments)
  if(argument STREQUAL "-I${SOURCE_ROOT}")
    set(argument "-I${WORK}")
  elseif(argument STREQUAL source)
    set(argument "${probe}")
  elseif(argument MATCHES "\\.o$")
    set(argument /dev/null)
  endif()
  list(APPEND command "${argument}")
endforeach()
if(NOT "-I${WORK}" IN_LIST command OR NOT probe IN_LIST command)
  message(FATAL_ERROR "The command for ${source} was not understood: ${COMMAND}")
endif()
if(NOT STOP_AFTER)
  set(STOP_AFTER -E)
endif()

if(NO_CUDA)
  foreach(header IN ITEMS cuda cuda_runtime cuda_runtime_api cuda_fp16 cuda_pipeline_primitives cuda_awbarrier_primitives cusparse cublas_v2)
    file(WRITE "${WORK}/no_cuda/${header}.h" "#error \"<${header}.h> belongs into device sources: *.cu, *.cuh\"\n")
  endforeach()
  list(FIND command "-I${WORK}" first)
  list(INSERT command ${first} "-I${WORK}/no_cuda")
endif()

list(LENGTH INCLUDES number)
if(number EQUAL 0)
  message(FATAL_ERROR "There is nothing to include: this test tests nothing.")
endif()
foreach(include IN LISTS INCLUDES)
  file(WRITE "${probe}" "#include <${include}>\nint layer_probe;\n")
  execute_process(COMMAND ${command} ${STOP_AFTER} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE words)
  if(NOT REFUSED_FOR)
    if(NOT status EQUAL 0)
      message(SEND_ERROR "${include} does not compile where only these folders of src/mat exist: ${FOLDERS}\n${words}")
    endif()
  elseif(status EQUAL 0)
    message(SEND_ERROR "#include <${include}> compiles here, and should not: ${command}")
  elseif(NOT words MATCHES "${REFUSED_FOR}")
    message(SEND_ERROR "#include <${include}> is refused, but not because of '${REFUSED_FOR}':\n${words}")
  else()
    message(STATUS "refused, as it should be: <${include}>")
  endif()
endforeach()
