#pragma once

/// \file samples.hpp
/// Matrices and vectors whose products are exact: entries are small integers (Gaussian integers for complex scalars),
/// so that any order of summation gives the same bits, and any difference is an error.

#include <functional>
#include <string>
#include <vector>

#include "glue/support/petsc.hpp"

namespace petscspmv::test {

enum class Layout {
  even,             ///< PETSC_DECIDE
  first_rank_empty, ///< no rows and no columns on rank 0, if there are more ranks
};

/// A sparse matrix, the same on any number of ranks: a dense row, empty rows (if it has no full diagonal), entries near
/// the diagonal and far from it.
struct Sample {
  PetscInt rows = 24, cols = 24;
  bool     diagonal  = true; ///< every row has its diagonal entry
  unsigned seed      = 1;    ///< of the values; the pattern does not depend on it
  bool     symmetric = false;
  bool     local     = false; ///< near entries only, and none that couples ranks
  Layout   layout    = Layout::even;
  bool     skewed    = false; ///< of a symmetric pattern: values that are not

  Sample with_seed(unsigned s) const
  {
    Sample other = *this;
    other.seed   = s;
    return other;
  }
  /// The same pattern with other values, which are not symmetric.
  Sample with_other_values(unsigned s) const
  {
    Sample other = with_seed(s);
    other.skewed = true;
    return other;
  }
};

inline const Sample kSquare{};
inline const Sample kHoley{23, 24, false};   ///< empty rows, and no diagonal entry in others
inline const Sample kTall{29, 17, false, 2}; ///< more rows than columns
inline const Sample kWide{11, 26, false, 3}; ///< more columns than rows
inline const Sample kSymmetric{24, 24, true, 4, true};

/// The columns of row `row`, ascending.
std::vector<PetscInt> SampleColumns(const Sample &sample, PetscInt row);

/// The value at (row, col): a small nonzero integer.
PetscScalar SampleValue(const Sample &sample, PetscInt row, PetscInt col);

/// A matrix of a type and of so many rows and columns.
Owned<Mat> Sized(const std::string &type, PetscInt rows, PetscInt cols, MPI_Comm comm = PETSC_COMM_WORLD, PetscInt block = 1);

/// An empty matrix of the sample's sizes, preallocated if `type` is AIJ or a subtype.
Owned<Mat> CreateSample(const Sample &sample, const std::string &type, MPI_Comm comm = PETSC_COMM_WORLD);

/// Sets all values of `sample` in A, and assembles it.
void SetSampleValues(Mat A, const Sample &sample, InsertMode mode = INSERT_VALUES);

/// The sample as a matrix of type `type`, which is AIJ or a subtype.
Owned<Mat> MakeSample(const Sample &sample, const std::string &type, MPI_Comm comm = PETSC_COMM_WORLD);

/// The same with value(row, column, the sample's) for a value.
using ValueAt = std::function<PetscScalar(PetscInt row, PetscInt col, PetscScalar value)>;
Owned<Mat> MakeSampleWith(const ValueAt &value, const Sample &sample, const std::string &type);

/// The entries of `sample` in this rank's rows of A as coordinates.
struct Coordinates {
  Coordinates(const Sample &sample, Mat A);
  void add(PetscInt row, PetscInt col, PetscScalar value);

  std::vector<PetscInt>    rows, cols;
  std::vector<PetscScalar> values;
};

/// Small integers that depend on the global index and on `seed`.
void SetSmallIntegers(Vec x, unsigned seed);

/// Fills a vector with NaN, to see whether all of it is overwritten.
void SetNaN(Vec x);

/// A square matrix of n rows in blocks, of which set_row(A, row) sets the entries, `most` at most.
Owned<Mat> MakeByRows(const std::string &type, PetscInt n, PetscInt most, const std::function<void(Mat A, PetscInt row)> &set_row,
                      MPI_Comm comm = PETSC_COMM_WORLD, PetscInt block = 1);

/// A five-point stencil on n x n points, and something on the diagonal that keeps it far from singular.
Owned<Mat> Stencil(const std::string &type, PetscInt n, MPI_Comm comm = PETSC_COMM_WORLD);

/// A dense matrix whose rows are distributed as A's rows (or columns) are, of small integers. Its local part begins at
/// every (local rows + gap) entries.
Owned<Mat> MakeDense(Mat A, bool as_rows, PetscInt columns, unsigned seed, PetscInt gap = 0);

} // namespace petscspmv::test
