#pragma once

/// \file enter.hpp
/// The door. Each operation of PETSc's that is ours enters once: what a matrix has is found, mended and read there, and
/// what follows takes the Entry and asks nobody again.

#include "glue/shadow.hpp"

namespace petscspmv::shadow {

/// A matrix, and what was settled about it at the door.
struct Entry {
  Mat         A    = nullptr;
  Shadow     *own  = nullptr;           ///< null after Find() if A is not attached
  MemorySpace home = MemorySpace::host; ///< where the parent has its arrays: on the host, too, if A is bound to the CPU
};

/// Only looks.
PetscErrorCode Find(Mat A, Entry *e);

/// A must be attached, and its options are read, if nobody has read them. MatHeaderMerge can leave a matrix of a type
/// of ours without a shadow: then it is made.
PetscErrorCode Enter(Mat A, Entry *e);

/// The same for any matrix: afterwards, too, `own` is null if it is not attached.
PetscErrorCode EnterIfAttached(Mat A, Entry *e);

/// Enter() for what may come before options are to be read: whatever is no use of the format.
PetscErrorCode EnterUnread(Mat A, Entry *e);

/// Whether an aijcusparse matrix has its newest values on the host alone, so that PETSc copies them for who wants them
/// on the device.
bool IsOnHostAlone(const Entry &e);

/// Whether the newest values are on a device alone, where PETSc has made them.
bool IsNewestOnDevice(Mat A);

/// The values on the host are the newest: PETSc brings them to a device for who wants them there.
void TakeFromHost(const Entry &e);

/// Makes PETSc bring the pattern of A to a device, too, when it brings the values: as long as the nonzero state is the
/// same, it brings values alone.
PetscErrorCode BringPatternAnew(const Entry &e);

} // namespace petscspmv::shadow
