#pragma once

/// \file compat.hpp
/// The differences between PETSc 3.18 and 3.26, and nothing else: the rest of the glue is written for all of them.

#include <cstddef>
#include <memory>

#include <petsc/private/petscimpl.h> // PetscObjectStateGet and -Increase; place.cpp has the others
#include <petscdevice.h>
#include <petscmat.h>
#include <petscversion.h>

#include "glue/finally.hpp"

#if PETSC_VERSION_LT(3, 18, 0)
  #error "petscspmv needs PETSc 3.18 or newer"
#endif
#if !defined(PETSC_USE_REAL_DOUBLE)
  #error "petscspmv needs a PETSc in double precision"
#endif

#if PETSC_VERSION_LT(3, 19, 0)
inline constexpr PetscErrorCode PETSC_SUCCESS = 0;
#endif
#if PETSC_VERSION_LT(3, 22, 0) // there is the operation, but no name for it
inline constexpr MatOperation MATOP_TRANSPOSE_SYMBOLIC = (MatOperation)150;
#endif

namespace petscspmv::shadow {

/// What MatGetOperation, MatSetOperation and PetscObjectQueryFunction deal in.
#if PETSC_VERSION_LT(3, 24, 0)
using VoidFn = void (*)(void);
#else
using VoidFn      = PetscErrorCodeFn *;
#endif

/// What `ops->setfromoptions` receives: the items themselves by pointer, before that pointer had a name of its own.
#if PETSC_VERSION_LT(3, 23, 0)
using OptionItems = PetscOptionItems *;
#else
using OptionItems = PetscOptionItems;
#endif

/// True if this PETSc has vectors in the memory of a CUDA device.
inline constexpr bool kCudaPetsc = PetscDefined(HAVE_CUDA);

/// The stream on which PETSc queues its device work (a cudaStream_t). PETSc before 3.20 tells nobody; it uses CUDA's
/// default.
inline PetscErrorCode CurrentStream(void **stream)
{
  PetscFunctionBegin;
  *stream = nullptr;
#if PETSC_VERSION_GE(3, 20, 0)
  if (kCudaPetsc) {
    PetscDeviceContext context;
    PetscDeviceType    type;
    void              *handle = nullptr;
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextGetDeviceType(context, &type));
    if (type == PETSC_DEVICE_CUDA) PetscCall(PetscDeviceContextGetStreamHandle(context, &handle)); // -device_enable none
    if (handle) *stream = *static_cast<void **>(handle);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The arrays of a sequential matrix in the memory of a device; null where they are not there.
struct DeviceArrays {
  const PetscInt    *row_ptr = nullptr, *col = nullptr;
  const PetscScalar *val = nullptr;
};

/// Those of A, which PETSc brings there as for a product of its own unless they are there already. Which of both is
/// not to be found out: MatGetCurrentMemType() says the device of each matrix that may have arrays there.
inline PetscErrorCode ArraysOnDevice(Mat A, DeviceArrays *arrays)
{
  PetscMemType where;
  PetscScalar *val;

  PetscFunctionBegin;
  *arrays = {};
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &arrays->row_ptr, &arrays->col, &val, &where));
  arrays->val = val;
  if (!PetscMemTypeDevice(where)) *arrays = {};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether PETSc gives the arrays of a dense matrix on a device: since 3.19.
inline constexpr bool kDenseOnDevice = kCudaPetsc && PETSC_VERSION_GE(3, 19, 0);

#if PETSC_VERSION_LT(3, 19, 0)
inline PetscErrorCode MatDenseGetArrayReadAndMemType(Mat B, const PetscScalar **b, PetscMemType *where)
{
  *where = PETSC_MEMTYPE_HOST;
  return MatDenseGetArrayRead(B, b);
}
inline PetscErrorCode MatDenseGetArrayWriteAndMemType(Mat C, PetscScalar **c, PetscMemType *where)
{
  *where = PETSC_MEMTYPE_HOST;
  return MatDenseGetArrayWrite(C, c);
}
inline PetscErrorCode MatDenseRestoreArrayReadAndMemType(Mat B, const PetscScalar **b)
{
  return MatDenseRestoreArrayRead(B, b);
}
inline PetscErrorCode MatDenseRestoreArrayWriteAndMemType(Mat C, PetscScalar **c)
{
  return MatDenseRestoreArrayWrite(C, c);
}
#endif

/// What PETSc takes for an object that is put on a matrix and for two functions, roughly: headers, and entries of lists
/// with room for names.
inline constexpr std::size_t kContainerBytes = sizeof(struct _p_PetscObject) + 512;

/// What ComposeOwned() has put under `key` on A; null if nothing.
template <class T> PetscErrorCode FindOwned(PetscObject A, const char key[], T **object)
{
  PetscContainer container = nullptr;

  PetscFunctionBegin;
  *object = nullptr;
  PetscCall(PetscObjectQuery(A, key, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)object));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The same where it must be there.
template <class T> PetscErrorCode GetOwned(PetscObject A, const char key[], T **object)
{
  PetscFunctionBegin;
  PetscCall(FindOwned(A, key, object));
  PetscCheck(*object, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The object has nothing that is called %s", key);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What PETSc calls to free a T: with a pointer to it, or in newer versions with one to that pointer.
template <class T>
inline constexpr auto kDelete = [](void *object) -> PetscErrorCode {
  delete static_cast<T *>(object);
  return PETSC_SUCCESS;
};
template <class T> inline constexpr auto kDeleteAt = [](auto place) -> PetscErrorCode { return kDelete<T>(*(void **)place); };

/// Puts `object` under `key` on A, with which it is freed, or at once if that fails.
template <class T> PetscErrorCode ComposeOwned(PetscObject A, const char key[], T *object)
{
  std::unique_ptr<T> owned(object);
  PetscContainer     container = nullptr;
  const Finally      destroy([&] { return PetscContainerDestroy(&container); });

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
#if PETSC_VERSION_LT(3, 23, 0)
  PetscCall(PetscContainerSetUserDestroy(container, kDelete<T>));
#else
  PetscCall(PetscContainerSetCtxDestroy(container, kDeleteAt<T>));
#endif
  PetscCall(PetscContainerSetPointer(container, object));
  static_cast<void>(owned.release()); // it is the container's
  PetscCall(PetscObjectCompose(A, key, (PetscObject)container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
