#pragma once

/// \file sync.hpp
/// A format is built, refreshed, or in step already.

#include <memory>
#include <new>
#include <string>

#include "core/errors.hpp"
#include "glue/enter.hpp"

namespace petscspmv::shadow {

/// Brings a format of a sequential matrix in step with its AIJ arrays: builds, refreshes, or does nothing. Where that
/// fails, products are the parent's until the matrix or its options change: `failed`, which -info tells.
PetscErrorCode ShadowSync(const Entry &e, Form form, bool *failed);

/// The same without raising an error: what went wrong, as sentences for the user, or nothing.
PetscErrorCode ShadowTrySync(const Entry &e, Form form, PetscErrorCode *code, std::string *failure);

/// The values of a sequential matrix on the host, where PETSc brings them if the newest ones are on a device.
PetscErrorCode ValuesOnHost(Mat A, const PetscScalar **val);

/// Formats queue their device work where PETSc queues its own.
PetscErrorCode UseCurrentStream();

/// A as it was met, and its states.
PetscErrorCode GetStates(Mat A, SyncKey *key);

/// The arrays of a sequential matrix as the format in `space` is to be shown them, and, if asked for, the state that they
/// are in.
PetscErrorCode ShadowView(const Entry &e, MemorySpace space, View *view, SyncKey *key = nullptr);

/// The same before a format is built: looks for nodes, too.
PetscErrorCode ShadowShow(const Entry &e, MemorySpace space, View *view);

/// Takes over a format that was built from what ShadowShow() has shown.
PetscErrorCode ShadowAdopt(const Entry &e, MemorySpace space, std::unique_ptr<Format> format);

/// Runs `work`, which may throw, and turns an exception into an error code and a sentence.
template <class Work> void Attempt(Work &&work, PetscErrorCode *code, std::string *failure)
{
  try {
    work();
  } catch (const MemoryError &e) {
    *code    = PETSC_ERR_MEM;
    *failure = e.what();
  } catch (const std::bad_alloc &) {
    *code    = PETSC_ERR_MEM;
    *failure = "there is not enough memory";
  } catch (const FormatError &e) {
    *code    = PETSC_ERR_ARG_OUTOFRANGE;
    *failure = e.what();
  } catch (const std::exception &e) {
    *code    = PETSC_ERR_LIB;
    *failure = e.what();
  }
}

} // namespace petscspmv::shadow
