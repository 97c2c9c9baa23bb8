#include "petsc/device.hpp"

#include <stdexcept>

#include <petscdevice.h>

#include "petsc/check.hpp"

namespace petscspmv::bench {

// PETSc 3.18 and 3.19 do not tell their stream; and their functions are macros where they have no device.
#if PetscDefined(HAVE_CUDA) && PETSC_VERSION_GE(3, 20, 0)

std::string petsc_device_problem()
{
  return "";
}

void *petsc_stream()
{
  PetscDeviceContext context;
  PetscDeviceType    type;
  void              *handle = nullptr;
  check_petsc(PetscDeviceContextGetCurrentContext(&context));
  check_petsc(PetscDeviceContextGetDeviceType(context, &type));
  if (type == PETSC_DEVICE_CUDA) check_petsc(PetscDeviceContextGetStreamHandle(context, &handle));
  return handle ? *static_cast<void **>(handle) : nullptr;
}

void wait_for_device()
{
  check_petsc(PetscDeviceContextSynchronize(nullptr));
}

void wait_for_device(Vec result)
{
  PetscOffloadMask mask;
  wait_for_device();
  check_petsc(VecGetOffloadMask(result, &mask));
  if (mask == PETSC_OFFLOAD_CPU) throw std::runtime_error("its product ran on the host");
}

#else

std::string petsc_device_problem()
{
  return "this PETSc is too old or was built without CUDA; products on a device are measured with PETSc 3.20 or newer.";
}

void *petsc_stream()
{
  return nullptr;
}

void wait_for_device()
{
  throw std::runtime_error(petsc_device_problem());
}

void wait_for_device(Vec)
{
  wait_for_device();
}

#endif

void to_device(Vec v)
{
  PetscScalar *entries;
  PetscMemType where;
  check_petsc(VecGetArrayAndMemType(v, &entries, &where));
  check_petsc(VecRestoreArrayAndMemType(v, &entries));
  if (!PetscMemTypeDevice(where)) throw std::runtime_error("its vectors are not on the device");
}

} // namespace petscspmv::bench
