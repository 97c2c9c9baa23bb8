#pragma once

/// \file petsc.hpp
/// PETSc as the tests speak to it: calls that must succeed, calls that must fail, and objects that clean up after
/// themselves.

#include <petscksp.h>
#include <petscsf.h>

#include <string>
#include <utility>

#include "glue/compat.hpp"

namespace petscspmv::test {

/// Where a function was called: std::source_location for compilers that lack it (clang 14).
struct CallSite {
  const char *file;
  int         line;

  static constexpr CallSite current(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// Ends the test, with the line of the caller, unless the PETSc call succeeded.
void Ok(PetscErrorCode code, CallSite where = CallSite::current());

/// From now on errors are not printed but told by Ok().
void RememberErrors();

/// What a PETSc call that must fail said. `message` is that of the place where the error arose.
struct Failure {
  PetscErrorCode code = PETSC_SUCCESS;
  std::string    message;
};

/// Records errors instead of printing them, for its lifetime.
class ErrorRecorder {
public:
  ErrorRecorder();
  ~ErrorRecorder();
  ErrorRecorder(const ErrorRecorder &)            = delete;
  ErrorRecorder &operator=(const ErrorRecorder &) = delete;

  Failure failure;
};

/// The failure of `call()`, which returns PETSC_SUCCESS as its code if it does not fail.
template <class Call> Failure FailureOf(Call &&call)
{
  ErrorRecorder        recorder;
  const PetscErrorCode code = call();
  recorder.failure.code     = code;
  return recorder.failure;
}

/// How many owners an object has.
template <class T> PetscInt References(T object)
{
  PetscInt count;
  Ok(PetscObjectGetReference((PetscObject)object, &count));
  return count;
}

/// Takes back the references that PETSc has lost: nobody would ever destroy the object, and LeakSanitizer would call it
/// ours.
template <class T> void RestoreReferences(T object, PetscInt count)
{
  for (PetscInt lost = References(object) - count; lost > 0; --lost) Ok(PetscObjectDereference((PetscObject)object));
}

/// What is allocated while one lives may leak, if `forgive`: for calls after which PETSc itself loses memory.
class LeakForgiver {
public:
  explicit LeakForgiver(bool forgive);
  ~LeakForgiver();
  LeakForgiver(const LeakForgiver &)            = delete;
  LeakForgiver &operator=(const LeakForgiver &) = delete;

private:
  [[maybe_unused]] bool forgive_; // without a sanitizer
};

inline PetscErrorCode Destroy(Mat *object)
{
  return MatDestroy(object);
}
inline PetscErrorCode Destroy(Vec *object)
{
  return VecDestroy(object);
}
inline PetscErrorCode Destroy(KSP *object)
{
  return KSPDestroy(object);
}
inline PetscErrorCode Destroy(IS *object)
{
  return ISDestroy(object);
}
inline PetscErrorCode Destroy(PetscSF *object)
{
  return PetscSFDestroy(object);
}
inline PetscErrorCode Destroy(PetscViewer *object)
{
  return PetscViewerDestroy(object);
}

/// A PETSc object that is destroyed with its owner. `out()` is for the functions that create one.
template <class T> class Owned {
public:
  Owned() = default;
  explicit Owned(T object) : object_(object) { }
  ~Owned() { (void)!Destroy(&object_); }
  Owned(Owned &&other) noexcept : object_(std::exchange(other.object_, nullptr)) { }
  Owned &operator=(Owned &&other) noexcept
  {
    std::swap(object_, other.object_);
    return *this;
  }

     operator T() const { return object_; }
  T *out()
  {
    Ok(Destroy(&object_));
    return &object_;
  }
  /// For the functions that replace an object that is there already.
  T *inout() { return &object_; }

private:
  T object_ = nullptr;
};

/// A solver with A, by its default method if that is NULL.
Owned<KSP> MakeSolver(Mat A, PCType preconditioner, KSPType method = NULL);

void Assemble(Mat A);

/// Whether PETSc's log is on. To be set before main().
inline bool has_log = true;

/// Ranks of PETSC_COMM_WORLD, and ours among them.
int Ranks();
int Rank();

/// True on all ranks if it is true on one, at least.
bool     OnAnyRank(bool here);
PetscInt Sum(PetscInt here);

/// Sets an option of the database for its lifetime.
class OptionGuard {
public:
  explicit OptionGuard(const std::string &name, const std::string &value = "");
  ~OptionGuard();
  OptionGuard(const OptionGuard &)            = delete;
  OptionGuard &operator=(const OptionGuard &) = delete;

private:
  std::string name_;
};

/// What the view of an object prints in `format`; on rank 0 only.
std::string Viewed(PetscObject object, PetscViewerFormat format);
std::string Viewed(Mat A, PetscViewerFormat format);

std::string TypeOf(Mat A);

} // namespace petscspmv::test
