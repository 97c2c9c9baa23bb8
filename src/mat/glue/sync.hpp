#pragma once

/// \file sync.hpp
/// A format is built, refreshed, or in step already.

#include <memory>
#include <new>
#include <string>

#include "core/errors.hpp"
#include "glue/door/enter.hpp"

namespace petscspmv::shadow {

/// Brings a format of a sequential matrix in step with its AIJ arrays: builds, refreshes, or does nothing. Where that
/// fails, products are the parent's until the matrix or its options change: `failed`, which -info tells.
PetscErrorCode ShadowSync(const Entry &e, Form form, bool *failed);

/// The same without raising an error: what went wrong, as sentences for the user, or nothing.
PetscErrorCode ShadowTrySync(const Entry &e, Form form, std::string *failure);

/// The pattern of a sequential matrix and its sizes. The arrays are AIJ's own, not copies, and null where there are
/// none yet.
PetscErrorCode PatternOnHost(Mat A, View *view);

/// Looks at the pattern of an assembled sequential matrix on a device: where the host has changed it and the nonzero
/// state is the same, PETSc is to bring the pattern, too. On the host, nothing.
PetscErrorCode SeePattern(const Entry &e);

/// The arrays of any sequential AIJ matrix where it lives, or why they are not to be had there.
PetscErrorCode ViewAtHome(const Entry &e, View *view, std::string *why_not);

/// The key of a matrix on a device whose newest values are on the host, its view there, and whether its copy is in step
/// with it.
PetscErrorCode FindCopy(const Entry &e, SyncKey *key, View *view, bool *in_step);

/// The values of a sequential matrix on the host, where PETSc brings them if the newest ones are on a device.
PetscErrorCode ValuesOnHost(Mat A, const PetscScalar **val);

/// Formats queue their device work where PETSc queues its own.
PetscErrorCode UseCurrentStream();

/// A as it was met, and its states.
PetscErrorCode GetStates(Mat A, SyncKey *key);

/// The arrays of a sequential matrix as the format in `space` is to be shown them.
PetscErrorCode ShadowView(const Entry &e, MemorySpace space, View *view);

/// Calls work(): what it throws goes to `failure`, as sentences for the user.
template <class Work> void Try(std::string *failure, Work &&work)
{
  try {
    work();
  } catch (const MemoryError &e) {
    *failure = e.what();
  } catch (const std::bad_alloc &) {
    *failure = "there is not enough memory";
  } catch (const std::exception &e) {
    *failure = e.what();
  }
}

} // namespace petscspmv::shadow
