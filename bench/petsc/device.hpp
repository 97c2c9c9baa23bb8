#pragma once

/// \file device.hpp
/// PETSc on a device.

#include <string>

#include <petscvec.h>

namespace petscspmv::bench {

/// Why this PETSc cannot be measured on a device, as a sentence; empty if it can.
std::string petsc_device_problem();

/// The stream of PETSc's current device context, a cudaStream_t. Null where there is none.
void *petsc_stream();

/// Brings the entries of a vector from the host to the device, where the next product expects them.
void to_device(Vec v);

/// Waits for PETSc's stream.
void wait_for_device();

/// The same. Throws std::runtime_error if `result` is not on the device: then its product ran on the
/// host.
void wait_for_device(Vec result);

} // namespace petscspmv::bench
