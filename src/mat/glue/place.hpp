#pragma once

/// \file place.hpp
/// Host or device: where matrices and vectors are.

#include <string>

#include "glue/door/registry.hpp"
#include "glue/door/enter.hpp"

namespace petscspmv::shadow {

/// A vector of length n on the device: PETSc's device types, one of which `parent` is, assume that all vectors are
/// there.
PetscErrorCode CreateForParent(MatType parent, PetscInt n, Vec *v);

/// Whether a vector is of a type that lives on a device, and not bound to the CPU.
PetscErrorCode IsOnDevice(Vec v, bool *on_device);

/// to = from, for vectors of any two types, and v = 0, without the events that VecCopy() and VecSet() log: all ranks of
/// a parallel vector wait for each other in these with -log_sync, and each rank decides by itself whose functions
/// multiply.
PetscErrorCode CopyOnThisRank(Vec from, Vec to);
PetscErrorCode ZeroOnThisRank(Vec v);

/// The type that a matrix of `kind` gets: a name of ours on the host, the parent's on a device. `mpi`: parallel.
PetscErrorCode TypeForKind(Mat A, const MatKind &kind, bool mpi, std::string *type);

} // namespace petscspmv::shadow
