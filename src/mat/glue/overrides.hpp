#pragma once

/// \file overrides.hpp
/// The operations of sequential matrices (seq.cpp) and of parallel ones (mpi.cpp) that are ours.

#include <span>

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// An operation that we put in the place of the parent's.
struct Override {
  enum When : unsigned char {
    always,
    unless_tiny, ///< a tiny matrix leaves it to its parent
    if_named,    ///< only in types with names of ours
    if_swept,    ///< only where sweeps may be ours
  };

  MatOperation operation;
  When         when;
  VoidFn       function;
};
std::span<const Override>        SeqOverrides();
std::span<const Override>        MPIOverrides();
inline std::span<const Override> Overrides(bool mpi)
{
  return mpi ? MPIOverrides() : SeqOverrides();
}

PetscErrorCode MatAssemblyEnd_Shadow(Mat A, MatAssemblyType mode);

} // namespace petscspmv::shadow
