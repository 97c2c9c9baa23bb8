#pragma once

/// \file place.hpp
/// Host or device: where matrices and vectors are.

#include <string>

#include "glue/registry.hpp"
#include "glue/shadow.hpp"

namespace petscspmv::shadow {

/// A vector of length n on the device: PETSc's device types, one of which `parent` is, assume that all vectors are there.
PetscErrorCode CreateForParent(MatType parent, PetscInt n, Vec *v);

/// Whether a vector is of a type that lives on a device, and not bound to the CPU.
PetscErrorCode IsOnDevice(Vec v, bool *on_device);

/// to = from, for vectors of any two types, and v = 0, without the events that VecCopy() and VecSet() log: all ranks of a
/// parallel vector wait for each other in these with -log_sync, and each rank decides by itself whose functions multiply.
PetscErrorCode CopyOnThisRank(Vec from, Vec to);
PetscErrorCode ZeroOnThisRank(Vec v);

/// Where A's parent has its arrays, and so where the format is wanted if nothing is known but the matrix: on the host
/// if A is bound to the CPU.
PetscErrorCode DefaultSpace(Mat A, MemorySpace *space);

/// Whether an aijcusparse matrix has its newest values on the host alone, so that PETSc copies them for who wants them
/// on the device.
PetscErrorCode IsOnHostAlone(Mat A, bool *is);

/// Whether the newest values are on a device alone, where PETSc has made them.
PetscErrorCode IsNewestOnDevice(Mat A, bool *is);

/// Makes PETSc bring the pattern of A to a device, too, when it brings the values: as long as the nonzero state is the same, it
/// brings values alone.
PetscErrorCode BringPatternAnew(Mat A);

/// At the end of an assembly: the same, if the pattern is another one than at the end of the last, with the same nonzero state.
PetscErrorCode SeeAssembledPattern(Mat A, Shadow *shadow);

/// Where the values are on the host alone, the diagonal is taken there: PETSc would bring the whole matrix to the device
/// for it, as for its Jacobi preconditioner.
PetscErrorCode MatGetDiagonal_SeqShadow(Mat A, Vec diagonal);

/// The type that a matrix of `kind` gets: a name of ours on the host, the parent's on a device. `mpi`: parallel.
PetscErrorCode TypeForKind(Mat A, const MatKind &kind, bool mpi, std::string *type);

PetscErrorCode MatBindToCPU_Shadow(Mat A, PetscBool bind);

} // namespace petscspmv::shadow
