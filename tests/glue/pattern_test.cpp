// Whatever of PETSc's writes columns or row pointers, with or without another nonzero state: products, sweeps and
// solves are those of the entries that are there.

#include <algorithm>
#include <memory>
#include <utility>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "petscspmv.h"

namespace petscspmv::test {
namespace {

constexpr PetscInt kRows = 60, kEntries = 4;

/// Of a row at a step: as many at each step, in the columns of that step or another one.
struct RowAt {
  PetscInt    col[kEntries];
  PetscScalar value[kEntries];

  RowAt(PetscInt row, PetscInt n, int step, int columns)
    : col{row, (row + 1) % n, (row + 3 + columns) % n, (row + n - 7 - columns % 5) % n}, value{PetscReal(40 + step),
                                                                                               PetscReal(-1 - row % 3), PetscReal(2),
                                                                                               PetscReal(-1 - row % 4)}
  {
  }
};

void SetRows(Mat A, int step, int columns)
{
  PetscInt first, last, n;
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(MatGetSize(A, NULL, &n));
  for (PetscInt row = first; row < last; ++row) {
    const RowAt at(row, n, step, columns);
    Ok(MatSetValues(A, 1, &row, kEntries, at.col, at.value, INSERT_VALUES));
  }
  Assemble(A);
}

Owned<Mat> MakeAt(const std::string &type, int step, int columns, MPI_Comm comm = PETSC_COMM_WORLD)
{
  Owned<Mat> A = Sized(type, kRows, kRows, comm);
  Ok(MatSeqAIJSetPreallocation(A, kEntries, NULL));
  Ok(MatMPIAIJSetPreallocation(A, kEntries, NULL, kEntries, NULL));
  SetRows(A, step, columns);
  return A;
}

/// A matrix that has another pattern at each step.
class Changing {
public:
  virtual ~Changing()                               = default;
  virtual Mat at(const std::string &type, int step) = 0;

protected:
  /// The header stays, from the first step on.
  void become(Owned<Mat> next, int step)
  {
    if (step == 0) mat_ = std::move(next);
    else Ok(MatHeaderReplace(mat_, next.inout()));
  }

  Owned<Mat> mat_;
};

class HeaderReplaced final : public Changing {
public:
  Mat at(const std::string &type, int step) override { return with_columns(type, step, step); }
  Mat with_columns(const std::string &type, int step, int columns)
  {
    become(MakeAt(type, step, columns), step);
    return mat_;
  }
};

class Transposed final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    if (step == 0) mat_ = MakeAt(type, step, step);
    else Ok(MatTranspose(mat_, MAT_INPLACE_MATRIX, mat_.inout()));
    return mat_;
  }
};

/// The rows and columns of one rank, backwards.
class Permuted final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    if (step == 0) mat_ = MakeAt(type, step, step, PETSC_COMM_SELF);
    Owned<IS>  backwards;
    Owned<Mat> other;
    Ok(ISCreateStride(PETSC_COMM_SELF, kRows, kRows - 1, -1, backwards.out()));
    Ok(ISSetPermutation(backwards));
    Ok(MatPermute(mat_, backwards, backwards, other.out()));
    Ok(MatHeaderReplace(mat_, other.inout()));
    return mat_;
  }
};

/// As PCASM makes them anew where its operator is another. Of all ranks' rows, PETSc takes values alone.
class SubMatrices final : public Changing {
public:
  ~SubMatrices() override
  {
    if (parts_) (void)!MatDestroySubMatrices(1, &parts_);
  }
  Mat at(const std::string &type, int step) override
  {
    Mat whole = whole_.with_columns(type, step, Ranks() > 1 ? 0 : step);
    if (step == 0) Ok(ISCreateStride(PETSC_COMM_SELF, kRows, 0, 1, all_.out()));
    const IS all = all_;
    Ok(MatCreateSubMatrices(whole, 1, &all, &all, step ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &parts_));
    return parts_[0];
  }

private:
  HeaderReplaced whole_;
  Owned<IS>      all_;
  Mat           *parts_ = nullptr;
};

class SubMatrix final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    Mat      whole = whole_.at(type, step);
    PetscInt first, last;
    Ok(MatGetOwnershipRange(whole, &first, &last));
    if (step == 0) Ok(ISCreateStride(PETSC_COMM_WORLD, last - first, first, 1, rows_.out()));
    Ok(MatCreateSubMatrix(whole, rows_, rows_, step ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, part_.inout()));
    return part_;
  }

private:
  HeaderReplaced whole_;
  Owned<IS>      rows_;
  Owned<Mat>     part_;
};

/// A product of matrices, of which one gets other values.
class Product final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    const Mat right = right_.with_columns(type, step, 0);
    if (step == 0) left_ = MakeAt(type, 1, 1);
    Ok(MatMatMult(left_, right, step ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, 1, product_.inout()));
    return product_;
  }

private:
  HeaderReplaced right_;
  Owned<Mat>     left_, product_;
};

class Coordinated final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    std::vector<PetscInt>    rows, cols;
    std::vector<PetscScalar> values;
    PetscInt                 first, last;
    if (step == 0) {
      PetscLayout layout;
      mat_ = Sized(type, kRows, kRows);
      Ok(MatGetLayouts(mat_, &layout, NULL));
      Ok(PetscLayoutSetUp(layout));
    }
    Ok(MatGetOwnershipRange(mat_, &first, &last));
    for (PetscInt row = first; row < last; ++row) {
      const RowAt at(row, kRows, step, step);
      rows.insert(rows.end(), kEntries, row);
      cols.insert(cols.end(), at.col, at.col + kEntries);
      values.insert(values.end(), at.value, at.value + kEntries);
    }
    Ok(MatSetPreallocationCOO(mat_, (PetscCount)rows.size(), rows.data(), cols.data()));
    Ok(MatSetValuesCOO(mat_, values.data(), INSERT_VALUES));
    return mat_;
  }
};

class PreallocatedAgain final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    if (step == 0) mat_ = Sized(type, kRows, kRows);
    Ok(MatSeqAIJSetPreallocation(mat_, kEntries, NULL));
    Ok(MatMPIAIJSetPreallocation(mat_, kEntries, NULL, kEntries, NULL));
    SetRows(mat_, step, step);
    return mat_;
  }
};

/// By a hash of the entries, since PETSc 3.19.
class NotPreallocated final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    Owned<Mat> next = Sized(type, kRows, kRows);
    Ok(MatSetUp(next));
    Ok(MatSetOption(next, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    SetRows(next, step, step);
    become(std::move(next), step);
    return mat_;
  }
};

std::vector<PetscInt> SortedColumns(int step)
{
  std::vector<PetscInt> cols;
  for (PetscInt row = 0; row < kRows; ++row) {
    RowAt at(row, kRows, step, step);
    std::sort(at.col, at.col + kEntries);
    cols.insert(cols.end(), at.col, at.col + kEntries);
  }
  return cols;
}

class ColumnIndices final : public Changing {
public:
  Mat at(const std::string &type, int step) override
  {
    auto cols = SortedColumns(step);
    if (step == 0) mat_ = Sized(type, kRows, kRows, PETSC_COMM_SELF);
    if (step == 0) Ok(MatSeqAIJSetPreallocation(mat_, kEntries, NULL));
    Ok(MatSeqAIJSetColumnIndices(mat_, cols.data()));
    SetRows(mat_, step, step);
    return mat_;
  }
};

/// The program's arrays, in which it writes other columns and other numbers of entries. It tells PETSc that values are
/// others.
class OwnArrays final : public Changing {
public:
  ~OwnArrays() override { mat_ = {}; } // before its arrays
  Mat at(const std::string &type, int step) override
  {
    const auto cols = SortedColumns(step);
    values_.resize(cols.size());
    cols_.resize(cols.size());
    row_ptr_.resize(kRows + 1);
    for (std::size_t k = 0; k < cols.size(); ++k) {
      const auto row = (PetscInt)k / kEntries;
      cols_[k]       = cols[k];
      values_[k]     = PetscReal(cols[k] == row ? 40 + step : 1 + (row + cols[k]) % 3);
    }
    for (PetscInt row = 0; row <= kRows; ++row) row_ptr_[row] = row * kEntries;
    if (step == 0) {
      Ok(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, kRows, kRows, row_ptr_.data(), cols_.data(), values_.data(), mat_.out()));
      Ok(MatSpMVSetMethod(mat_, type == MATAIJ ? "none" : type.c_str()));
    } else Ok(PetscObjectStateIncrease((PetscObject)(Mat)mat_));
    return mat_;
  }

private:
  std::vector<PetscInt>    row_ptr_, cols_;
  std::vector<PetscScalar> values_;
};

struct Way : NamedCase {
  std::unique_ptr<Changing> (*begin)();
};
template <class C> std::unique_ptr<Changing> Begin()
{
  return std::make_unique<C>();
}
const std::vector<Way> kWays{
  {"HeaderReplaced", Begin<HeaderReplaced>},
  {"TransposedInPlace", Begin<Transposed>},
  {"PermutedInPlace", Begin<Permuted>},
  {"SubMatricesReused", Begin<SubMatrices>},
  {"SubMatrixReused", Begin<SubMatrix>},
  {"ProductReused", Begin<Product>},
  {"CoordinatesAgain", Begin<Coordinated>},
  {"PreallocatedAgain", Begin<PreallocatedAgain>},
  {"NotPreallocated", Begin<NotPreallocated>},
  {"ColumnIndices", Begin<ColumnIndices>},
  {"OwnArrays", Begin<OwnArrays>},
};
constexpr int kSteps = 4;

/// The entries of A that MatGetRow() shows, in a new matrix.
Owned<Mat> CopyOf(Mat A)
{
  PetscInt   first, last, rows, cols;
  MatInfo    info;
  Owned<Mat> copy;
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(MatGetLocalSize(A, &rows, &cols));
  Ok(MatCreate(PetscObjectComm((PetscObject)A), copy.out()));
  Ok(MatSetOptionsPrefix(copy, "ref_"));
  Ok(MatSetSizes(copy, rows, cols, PETSC_DETERMINE, PETSC_DETERMINE));
  Ok(MatSetType(copy, MATAIJ));
  Ok(MatSeqAIJSetPreallocation(copy, kRows, NULL));
  Ok(MatMPIAIJSetPreallocation(copy, kRows, NULL, kRows, NULL));
  for (PetscInt row = first; row < last; ++row) {
    PetscInt           n;
    const PetscInt    *col;
    const PetscScalar *value;
    Ok(MatGetRow(A, row, &n, &col, &value));
    Ok(MatSetValues(copy, 1, &row, n, col, value, INSERT_VALUES));
    Ok(MatRestoreRow(A, row, &n, &col, &value));
  }
  Assemble(copy);
  Ok(MatGetInfo(copy, MAT_GLOBAL_SUM, &info));
  EXPECT_GE(info.nz_used, kRows * kEntries / 2) << "entries are lost";
  return copy;
}

class PatternTest : public TypeTestWith<Way> {
protected:
  template <class Check> static void at_each_step(const Check &check)
  {
    const auto changing = at_hand().begin();
    for (int step = 0; step < kSteps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const Mat A = changing->at(root(), step);
      check(A, CopyOf(A));
      if (HasFailure()) return;
    }
  }

  static Owned<Vec> swept(Mat A, int flag)
  {
    Owned<Vec> b, x;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    SetSmallIntegers(b, 3);
    SetSmallIntegers(x, 4);
    Ok(MatSOR(A, b, 1, (MatSORType)flag, 0, 1, 1, x));
    return x;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, PatternTest, EachTypeWith(kWays), TypeAndCase);

TEST_P(PatternTest, IsThatOfTheNextProduct)
{
  at_each_step([](Mat A, Mat copy) { ExpectSameProducts(A, copy); });
}

TEST_P(PatternTest, IsThatOfTheNextProductWithSeveralVectors)
{
  at_each_step([](Mat A, Mat copy) {
    const Owned<Mat> B = MakeDense(A, false, 5, 3);
    Owned<Mat>       C, expected;
    Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, 1, C.out()));
    Ok(MatMatMult(copy, B, MAT_INITIAL_MATRIX, 1, expected.out()));
    ExpectEqualDense(C, expected, "A B");
    ExpectSameTransposedDenseProduct(A, copy);
  });
}

TEST_P(PatternTest, IsThatOfTheNextSweep)
{
  for (const char *how : {"exact", "blocks"}) {
    const OptionGuard sweeps("-mat_spmv_sweeps", how), no_inodes("-mat_no_inode");
    at_each_step([how](Mat A, Mat copy) {
      MultiplyOnce(A);
      for (const int flag : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP}) {
        if (how == std::string("exact")) ExpectNearVectors(swept(A, flag), swept(copy, flag), std::to_string(flag));
        else EXPECT_LT(Solve(A, PCSOR).residual, 1e-6); // in another order, but of this matrix
      }
    });
  }
}

// Also where PETSc keeps the analysis of the pattern before: factors have that pattern then, with PETSc as with us.
TEST_P(PatternTest, IsThatOfTheNextFactors)
{
  const OptionGuard exact("-mat_spmv_sweeps", "exact");
  for (PCType type : {PCILU, PCICC, PCBJACOBI, PCASM}) {
    SCOPED_TRACE(type);
    std::vector<PetscInt> iterations[2];
    std::vector<bool>     noticed[2]; // by PETSc, at each step
    for (const bool ours : {false, true}) {
      const OptionGuard method("-mat_spmv", ours && LivesOnDevice(root()) ? root() : "none");
      const auto        changing = at_hand().begin();
      Owned<KSP>        ksp;
      PetscObjectState  state, before = -1;
      for (int step = 0; step < kSteps; ++step) {
        const Mat   A = changing->at(ours ? root() : MATAIJ, step);
        Owned<Vec>  x, b, right;
        PetscInt    its;
        PetscReal   error;
        PetscMPIInt ranks;
        Ok(MPI_Comm_size(PetscObjectComm((PetscObject)A), &ranks) == MPI_SUCCESS ? PETSC_SUCCESS : PETSC_ERR_MPI);
        if (ranks > 1 && type != std::string(PCBJACOBI)) break; // others take one rank's, or with PETSc, too, fail
        if (step == 0) {
          ksp = MakeSolver(A, type, KSPGMRES);
          Ok(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 200));
        }
        Ok(KSPSetOperators(ksp, A, A));
        Ok(MatCreateVecs(A, x.out(), b.out()));
        Ok(VecDuplicate(x, right.out()));
        SetSmallIntegers(right, 5);
        Ok(MatMult(A, right, b));
        Ok(KSPSolve(ksp, b, x));
        Ok(KSPGetIterationNumber(ksp, &its));
        Ok(VecAXPY(x, -1, right));
        Ok(VecNorm(x, NORM_INFINITY, &error));
        EXPECT_LE(error, 1e-6) << "step " << step << ", ours " << ours;
        Ok(MatGetNonzeroState(A, &state));
        noticed[ours].push_back(state != std::exchange(before, state));
        iterations[ours].push_back(its);
      }
    }
    // On a device, PETSc is told of another pattern where it does not know; else it keeps old factors.
    if (noticed[0] == noticed[1] && !LivesOnDevice(root())) { EXPECT_EQ(iterations[0], iterations[1]); }
  }
}

} // namespace
} // namespace petscspmv::test
