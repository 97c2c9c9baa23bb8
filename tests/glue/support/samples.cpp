#include "glue/support/samples.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace petscspmv::test {

/// A number in -4 .. 4 that is not 0, well mixed.
static PetscReal SmallInteger(PetscInt i, PetscInt j, unsigned seed)
{
  std::uint64_t h = (std::uint64_t)i * 0x9E3779B97F4A7C15U + (std::uint64_t)j * 0xC2B2AE3D27D4EB4FU + seed * 0x165667B19E3779F9U;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9U;
  h ^= h >> 32;
  const int magnitude = 1 + (int)(h % 4);
  return h & 1024 ? magnitude : -magnitude;
}

static PetscScalar SmallScalar(PetscInt i, PetscInt j, unsigned seed)
{
#if defined(PETSC_USE_COMPLEX)
  return {SmallInteger(i, j, seed), SmallInteger(j, i, seed + 77)};
#else
  return SmallInteger(i, j, seed);
#endif
}

/// The pattern before it is made symmetric.
static bool HasEntry(const Sample &s, PetscInt row, PetscInt col)
{
  if (row == col && s.diagonal) return true;
  if (s.local) return row / 4 == col / 4 && (row + col) % 3 != 0;
  if (!s.diagonal && row % 7 == 3) return false; // an empty row
  if (row == 1) return true;                     // a full row
  return col == (3 * row + 1) % s.cols || col == (5 * row + 2) % s.cols || col == row + 1 || (row % 4 != 0 && col == row - 1);
}

std::vector<PetscInt> SampleColumns(const Sample &s, PetscInt row)
{
  std::vector<PetscInt> columns;
  for (PetscInt col = 0; col < s.cols; ++col)
    // NOLINTNEXTLINE(readability-suspicious-call-argument): the mirrored entry
    if (HasEntry(s, row, col) || (s.symmetric && HasEntry(s, col, row))) columns.push_back(col);
  return columns;
}

PetscScalar SampleValue(const Sample &s, PetscInt row, PetscInt col)
{
  return s.symmetric && !s.skewed ? SmallScalar(std::min(row, col), std::max(row, col), s.seed) : SmallScalar(row, col, s.seed);
}

Owned<Mat> Sized(const std::string &type, PetscInt rows, PetscInt cols, MPI_Comm comm, PetscInt block)
{
  Owned<Mat> A;
  Ok(MatCreate(comm, A.out()));
  Ok(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, rows, cols));
  if (block > 1) Ok(MatSetBlockSize(A, block));
  Ok(MatSetType(A, type.c_str()));
  return A;
}

/// Room for so many entries in each row.
static void Preallocate(Mat A, PetscInt most)
{
  Ok(MatSeqAIJSetPreallocation(A, most, NULL));
  Ok(MatMPIAIJSetPreallocation(A, most, NULL, most, NULL));
}

/// How many of `size` rows or columns this rank has.
static PetscInt LocalSize(const Sample &s, MPI_Comm comm, PetscInt size)
{
  int ranks, rank;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (s.layout == Layout::even || ranks == 1) return PETSC_DECIDE;
  if (rank == 0) return 0;
  return size / (ranks - 1) + (rank - 1 < size % (ranks - 1) ? 1 : 0);
}

Owned<Mat> CreateSample(const Sample &s, const std::string &type, MPI_Comm comm)
{
  Owned<Mat> A;
  Ok(MatCreate(comm, A.out()));
  Ok(MatSetSizes(A, LocalSize(s, comm, s.rows), LocalSize(s, comm, s.cols), s.rows, s.cols));
  Ok(MatSetType(A, type.c_str()));
  Preallocate(A, s.cols);
  return A;
}

Coordinates::Coordinates(const Sample &s, Mat A)
{
  PetscInt first, last;
  Ok(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row)
    for (PetscInt col : SampleColumns(s, row)) add(row, col, SampleValue(s, row, col));
}

void Coordinates::add(PetscInt row, PetscInt col, PetscScalar value)
{
  rows.push_back(row);
  cols.push_back(col);
  values.push_back(value);
}

static void SetValues(Mat A, const Sample &s, InsertMode mode, const ValueAt &value)
{
  const Coordinates c(s, A);
  for (std::size_t k = 0; k < c.rows.size(); ++k) Ok(MatSetValue(A, c.rows[k], c.cols[k], value(c.rows[k], c.cols[k], c.values[k]), mode));
  Assemble(A);
}

void SetSampleValues(Mat A, const Sample &s, InsertMode mode)
{
  SetValues(A, s, mode, [](PetscInt, PetscInt, PetscScalar v) { return v; });
}

Owned<Mat> MakeSample(const Sample &s, const std::string &type, MPI_Comm comm)
{
  Owned<Mat> A = CreateSample(s, type, comm);
  SetSampleValues(A, s);
  return A;
}

Owned<Mat> MakeSampleWith(const ValueAt &value, const Sample &s, const std::string &type)
{
  Owned<Mat> A = CreateSample(s, type);
  SetValues(A, s, INSERT_VALUES, value);
  return A;
}

void SetSmallIntegers(Vec x, unsigned seed)
{
  PetscInt     first, last;
  PetscScalar *values;
  Ok(VecGetOwnershipRange(x, &first, &last));
  Ok(VecGetArrayWrite(x, &values));
  for (PetscInt i = first; i < last; ++i) values[i - first] = SmallScalar(i, i + 1, seed);
  Ok(VecRestoreArrayWrite(x, &values));
}

void SetNaN(Vec x)
{
  PetscInt     n;
  PetscScalar *values;
  Ok(VecGetLocalSize(x, &n));
  Ok(VecGetArrayWrite(x, &values));
  std::fill(values, values + n, PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN()));
  Ok(VecRestoreArrayWrite(x, &values));
}

Owned<Mat> MakeByRows(const std::string &type, PetscInt n, PetscInt most, const std::function<void(Mat, PetscInt)> &set_row, MPI_Comm comm,
                      PetscInt block)
{
  Owned<Mat> A = Sized(type, n, n, comm, block);
  PetscInt   first, last;
  Preallocate(A, most);
  Ok(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) set_row(A, row);
  Assemble(A);
  return A;
}

Owned<Mat> Stencil(const std::string &type, PetscInt n, MPI_Comm comm)
{
  const auto set_row = [n](Mat A, PetscInt row) {
    const PetscInt i = row / n, j = row % n;
    Ok(MatSetValue(A, row, row, 4.5, INSERT_VALUES));
    if (i > 0) Ok(MatSetValue(A, row, row - n, -1, INSERT_VALUES));
    if (i < n - 1) Ok(MatSetValue(A, row, row + n, -1, INSERT_VALUES));
    if (j > 0) Ok(MatSetValue(A, row, row - 1, -1, INSERT_VALUES));
    if (j < n - 1) Ok(MatSetValue(A, row, row + 1, -1, INSERT_VALUES));
  };
  return MakeByRows(type, n * n, 5, set_row, comm);
}

Owned<Mat> MakeDense(Mat A, bool as_rows, PetscInt columns, unsigned seed, PetscInt gap)
{
  PetscInt   rows, cols, first, last;
  Owned<Mat> B;
  Ok(MatGetLocalSize(A, &rows, &cols));
  const PetscInt local = as_rows ? rows : cols;
  Ok(MatCreate(PetscObjectComm((PetscObject)A), B.out()));
  Ok(MatSetSizes(B, local, PETSC_DECIDE, PETSC_DETERMINE, columns));
  Ok(MatSetType(B, MATDENSE));
  if (gap) Ok(MatDenseSetLDA(B, local + gap));
  Ok(MatSetUp(B));
  Ok(MatGetOwnershipRange(B, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = 0; j < columns; ++j) {
      const auto value = (PetscScalar)(PetscReal)((7 * i + 5 * j + (PetscInt)seed) % 9 - 4);
      Ok(MatSetValue(B, i, j, value, INSERT_VALUES));
    }
  Assemble(B);
  return B;
}

} // namespace petscspmv::test
