# The device build: CUDA as a language, and how sources that hold device code or include Kokkos are compiled.

set(PETSCSPMV_CUDA_ARCH 90 CACHE STRING "Compute capabilities to build device code for, 90 for 9.0 (the kernels need at least that)")

set(CMAKE_CUDA_ARCHITECTURES "${PETSCSPMV_CUDA_ARCH}")
if(NOT CMAKE_CUDA_HOST_COMPILER)
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
endif()
enable_language(CUDA)
# CMake 3.25.1, Debian 12's, fails without this library, which CUDA 13 does not have any more and we do not use.
if(CMAKE_VERSION VERSION_LESS 3.26)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
find_package(CUDAToolkit REQUIRED)
if(CUDAToolkit_VERSION VERSION_LESS 12.3)
  message(FATAL_ERROR "The CUDA toolkit in ${CUDAToolkit_BIN_DIR} is ${CUDAToolkit_VERSION}; petscspmv needs 12.3 or newer. "
                      "Set CMAKE_CUDA_COMPILER to a newer nvcc, or build without CUDA.")
endif()
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
# PETSc links the shared runtime, and a process should hold one of them.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)

# CMake 3.25 knows no flag for C++20 with nvcc 13.
set(CMAKE_CUDA_STANDARD 20)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()

# Kernels call the constexpr functions of the formats, so that what host and device have to agree on is written once.
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/cuda13_compat.hpp>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra>")
# What is loaded before the first solve is to be small.
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>")
endif()
add_compile_definitions(PETSCSPMV_CUDA=1)
