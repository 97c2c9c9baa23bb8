# cmake -D BUILD=<build folder> -P no_cuda_header.cmake: no source of a build for the host has read a header of CUDA's, by what the compiler says that it
# has read. Machines of development have such headers where every compiler looks for them.
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE lists "${BUILD}/*.o.d")
list(LENGTH lists number)
if(number LESS 50)
  message(FATAL_ERROR "Only ${number} lists of headers were found in ${BUILD}")
endif()
foreach(list IN LISTS lists)
  file(STRINGS "${list}" lines REGEX "/(cuda|cusparse|cublas|cusolver|curand|nvml|nvtx)[a-zA-Z0-9_]*\\.h[ \\:]*$|/(cuda|thrust|cub)/")
  if(lines)
    message(SEND_ERROR "${list} names headers of CUDA: ${lines}")
  endif()
endforeach()
message(STATUS "${number} lists of headers, without CUDA's")
