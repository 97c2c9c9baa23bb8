#pragma once

/// \file petsc_on_device.hpp
/// What PETSc's own matrices on a device do otherwise than AIJ, or wrong, so that tests that compare with AIJ do not
/// hold there. Each was looked up in the sources of PETSc 3.26.1.

namespace petscspmv::test {

/// On a machine with a device, leaves the tests of these things out and says why; before RUN_ALL_TESTS().
void LeaveOutWhatPetscDoesOnADevice();

} // namespace petscspmv::test
