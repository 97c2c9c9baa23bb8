#pragma once

/// \file matrixmarket_files.hpp
/// Matrix Market files of tests, and what the reader in examples/ says of them.

#include <cstdio>
#include <string>

#include <unistd.h>
#include <zlib.h>

#include "../../examples/matrixmarket.h"

inline void Must(PetscErrorCode code)
{
  if (code) MPI_Abort(PETSC_COMM_WORLD, 1);
}

inline int Rank()
{
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/// A file with the given bytes, as long as the object lives. All ranks see it.
class File {
public:
  explicit File(const std::string &bytes, bool compress = false) : name_(NewName())
  {
    if (Rank() == 0) {
      gzFile f = gzopen(name_.c_str(), compress ? "wb9" : "wbT"); // T: as it is
      if (!bytes.empty()) gzwrite(f, bytes.data(), static_cast<unsigned>(bytes.size()));
      gzclose(f);
    }
    MPI_Barrier(PETSC_COMM_WORLD);
  }
  ~File()
  {
    MPI_Barrier(PETSC_COMM_WORLD);
    if (Rank() == 0) std::remove(name_.c_str());
  }
  File(const File &)                  = delete;
  File       &operator=(const File &) = delete;
  const char *name() const { return name_.c_str(); }

private:
  /// Named after the process of rank 0: tests run side by side.
  static std::string NewName()
  {
    static int count = 0;
    long       id    = static_cast<long>(getpid());
    MPI_Bcast(&id, 1, MPI_LONG, 0, PETSC_COMM_WORLD);
    return "matrixmarket_test." + std::to_string(id) + "." + std::to_string(count++) + ".mtx";
  }
  std::string name_;
};

/// Collects messages in place of printing them.
class Errors {
public:
  Errors() { Must(PetscPushErrorHandler(Remember, this)); }
  ~Errors() { Must(PetscPopErrorHandler()); }
  std::string text;

private:
  static PetscErrorCode Remember(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type, const char *message,
                                 void *self)
  {
    if (type == PETSC_ERROR_INITIAL) static_cast<Errors *>(self)->text = message;
    return code;
  }
};

inline Mat NewMatrix()
{
  Mat A;
  Must(MatCreate(PETSC_COMM_WORLD, &A));
  Must(MatSetType(A, MATAIJ));
  return A;
}

/// What the reader says about a file: nothing, or its sentence.
inline std::string Complaint(const char *name)
{
  Mat    A = NewMatrix();
  Errors errors;
  if (!MatrixMarketLoad(A, name)) errors.text.clear();
  else if (errors.text.empty()) errors.text = "an error without words";
  Must(MatDestroy(&A));
  return errors.text;
}

inline const std::string banner = "%%MatrixMarket matrix coordinate ";
inline const std::string small  = banner + "real general\n3 2 4\n1 1 1.5\n3 2 -2e3\n2 1 .25\n1 2 7\n";
