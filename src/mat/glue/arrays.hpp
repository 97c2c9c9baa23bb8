#pragma once

/// \file arrays.hpp
/// The arrays of vectors, for work in one memory.

#include "core/execution.hpp"
#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// Calls work(x's entries, y's entries), all in that memory, which returns how many floating-point operations it has
/// done and does not throw. On a device it only queues: nothing is copied, and nothing waits. `reads`: y's entries,
/// too, which are else undefined.
template <class Work> PetscErrorCode WithArrays(MemorySpace space, Vec x, Vec y, bool reads, const Work &work)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscMemType       where;

  PetscFunctionBegin;
  if (space == MemorySpace::host) {
    PetscCall(VecGetArrayRead(x, &from));
    const Finally restore_x([&] { return VecRestoreArrayRead(x, &from); });
    PetscCall(reads ? VecGetArray(y, &to) : VecGetArrayWrite(y, &to));
    const Finally                         restore_y([&] { return reads ? VecRestoreArray(y, &to) : VecRestoreArrayWrite(y, &to); });
    [[maybe_unused]] const PetscLogDouble flops = work(from, to);
    PetscCall(PetscLogFlops(flops));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayReadAndMemType(x, &from, &where));
  const Finally restore_x([&] { return VecRestoreArrayReadAndMemType(x, &from); });
  PetscCall(reads ? VecGetArrayAndMemType(y, &to, &where) : VecGetArrayWriteAndMemType(y, &to, &where));
  const Finally restore_y([&] { return reads ? VecRestoreArrayAndMemType(y, &to) : VecRestoreArrayWriteAndMemType(y, &to); });
  PetscCall(PetscLogGpuTimeBegin());
  [[maybe_unused]] const PetscLogDouble flops = work(from, to);
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogGpuFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
