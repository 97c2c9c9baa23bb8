#include "glue/support/petsc.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
  #include <sanitizer/lsan_interface.h>
#endif

namespace petscspmv::test {

namespace {

/// The errors of a thread since its last failed call, as lines: what went wrong and through which functions.
thread_local std::string story;

PetscErrorCode Remember(MPI_Comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType kind,
                        const char *message, void *)
{
  if (kind == PETSC_ERROR_INITIAL && message) story = std::string(message) + "\n";
  story += std::string("  ") + function + " at " + file + ":" + std::to_string(line) + "\n";
  return code;
}

PetscErrorCode Record(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType kind, const char *message,
                      void *recorder)
{
  if (kind == PETSC_ERROR_INITIAL && message) ((ErrorRecorder *)recorder)->failure.message = message;
  return code;
}

} // namespace

void RememberErrors()
{
  Ok(PetscPushErrorHandler(Remember, NULL));
}

void Ok(PetscErrorCode code, CallSite where)
{
  if (code == PETSC_SUCCESS) return;
  throw std::runtime_error("PETSc error " + std::to_string((int)code) + " from the call in " + where.file + ":" +
                           std::to_string(where.line) + "\n" + std::exchange(story, ""));
}

ErrorRecorder::ErrorRecorder()
{
  Ok(PetscPushErrorHandler(Record, this));
}
ErrorRecorder::~ErrorRecorder()
{
  (void)!PetscPopErrorHandler();
}

int Ranks()
{
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

int Rank()
{
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

bool OnAnyRank(bool here)
{
  int local = here, any = 0;
  MPI_Allreduce(&local, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return any != 0;
}

PetscInt Sum(PetscInt here)
{
  PetscInt sum = 0;
  MPI_Allreduce(&here, &sum, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  return sum;
}

OptionGuard::OptionGuard(const std::string &name, const std::string &value) : name_(name)
{
  Ok(PetscOptionsSetValue(NULL, name.c_str(), value.empty() ? NULL : value.c_str()));
}
OptionGuard::~OptionGuard()
{
  (void)!PetscOptionsClearValue(NULL, name_.c_str());
}

std::string Viewed(PetscObject object, PetscViewerFormat format)
{
  const std::string  file = "/tmp/petscspmv_view." + std::to_string(getpid());
  Owned<PetscViewer> viewer;
  std::ostringstream text;

  Ok(PetscViewerASCIIOpen(PetscObjectComm(object), file.c_str(), viewer.out()));
  Ok(PetscViewerPushFormat(viewer, format));
  Ok(PetscObjectView(object, viewer));
  Ok(PetscViewerPopFormat(viewer));
  viewer.out();
  text << std::ifstream(file).rdbuf(); // only the first rank of the communicator wrote a file
  std::remove(file.c_str());
  return text.str();
}

std::string Viewed(Mat A, PetscViewerFormat format)
{
  return Viewed((PetscObject)A, format);
}

Owned<KSP> MakeSolver(Mat A, PCType preconditioner, KSPType method)
{
  Owned<KSP> ksp;
  PC         pc;
  Ok(KSPCreate(PetscObjectComm((PetscObject)A), ksp.out()));
  Ok(KSPSetOperators(ksp, A, A));
  if (method) Ok(KSPSetType(ksp, method));
  Ok(KSPGetPC(ksp, &pc));
  Ok(PCSetType(pc, preconditioner));
  return ksp;
}

void Assemble(Mat A)
{
  Ok(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  Ok(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

std::string TypeOf(Mat A)
{
  MatType type;
  Ok(MatGetType(A, &type));
  return type ? type : "";
}

LeakForgiver::LeakForgiver(bool forgive) : forgive_(forgive)
{
#ifdef __SANITIZE_ADDRESS__
  if (forgive_) __lsan_disable();
#endif
}

LeakForgiver::~LeakForgiver() // NOLINT(modernize-use-equals-default): not with the sanitizer
{
#ifdef __SANITIZE_ADDRESS__
  if (forgive_) __lsan_enable();
#endif
}

} // namespace petscspmv::test
