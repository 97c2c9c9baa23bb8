/// Programs that trap floating-point exceptions (-fp_trap, gfortran's -ffpe-trap) get no trap that they do not get with
/// AIJ: not while a type looks at the matrix, builds, refreshes, multiplies, and is destroyed.

#include <algorithm>
#include <cmath>
#include <limits>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "support/traps.hpp"

using namespace petscspmv::test;

namespace {

class FloatingPoint : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, FloatingPoint, EachType(), TypeName);

/// Values of a matrix, from small integers and their place.
struct Numbers {
  const char *name;
  PetscReal (*value)(PetscReal v, PetscInt i, PetscInt j);
};

const std::vector<Numbers> kNumbers{
  {"a penalty of 1e40", [](PetscReal v, PetscInt i, PetscInt j) { return i == j ? 1e40 : v; }},
  {"integers times 1e60 on the diagonal", [](PetscReal v, PetscInt i, PetscInt j) { return i == j ? 1e60 * v : v; }},
  {"1e300", [](PetscReal v, PetscInt i, PetscInt) { return 1e300 * (v + 1 / PetscReal(i + 3)); }},
  {"1e-60", [](PetscReal v, PetscInt i, PetscInt) { return 1e-60 * (v + 1 / PetscReal(i + 3)); }},
  {"floats that are subnormal", [](PetscReal v, PetscInt, PetscInt) { return std::ldexp(v, -140); }},
  {"the largest float and above", [](PetscReal v, PetscInt i, PetscInt j) { return i == j ? 3.4028236e38 : v; }},
  {"infinity and NaN",
   [](PetscReal v, PetscInt i, PetscInt j) {
     if (i == j && i % 5 == 2) return std::numeric_limits<PetscReal>::infinity();
     return i == j && i % 7 == 3 ? std::numeric_limits<PetscReal>::quiet_NaN() : v;
   }},
  {"zeros of both signs", [](PetscReal v, PetscInt i, PetscInt j) { return (i + j) % 3 ? v
                                                                           : j % 2     ? 0.0
                                                                                       : -0.0; }},
  {"1e-310", [](PetscReal v, PetscInt i, PetscInt j) { return (i + j) % 3 ? v : 1e-310 * v; }},
};

Owned<Mat> Make(const Sample &sample, const std::string &type, const Numbers &numbers)
{
  return MakeSampleWith([&](PetscInt i, PetscInt j, PetscScalar v) { return numbers.value(PetscRealPart(v), i, j); }, sample, type);
}

/// Numbers near 1, which differ, and an infinity if asked for.
void SetNearOne(Vec x, bool infinite)
{
  PetscInt     first, last;
  PetscScalar *values;
  Ok(VecGetOwnershipRange(x, &first, &last));
  Ok(VecGetArrayWrite(x, &values));
  for (PetscInt i = first; i < last; ++i)
    values[i - first] = infinite && i == 5 ? std::numeric_limits<PetscReal>::infinity() : 1 + PetscReal(i % 11) / 16;
  Ok(VecRestoreArrayWrite(x, &values));
}

/// On any rank: the exceptions of a part are those of its neighbours, too, whose blocks are cut elsewhere.
Exceptions OnAllRanks(Exceptions here)
{
  unsigned all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_UNSIGNED, MPI_BOR, PETSC_COMM_WORLD);
  return all;
}

void ExpectNoTrapsButThoseOf(Mat reference, Mat A)
{
  for (const ProductKind &kind : ProductKinds())
    for (const bool infinite : {false, true}) {
      const Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind), z = OutputOf(A, kind);
      SetNearOne(x, infinite);
      SetNearOne(y, false);
      SetNearOne(z, false);
      const Exceptions allowed = OnAllRanks(exceptions_of([&] { Ok(kind.apply(reference, x, z)); }));
      EXPECT_EQ(raised_by([&] { Ok(kind.apply(A, x, y)); }, allowed), "") << kind.name << (infinite ? ", x with an infinity" : "");
    }
}

/// A matrix times a dense one: several vectors at once.
void ExpectNoTrapsOfManyVectors(Mat reference, Mat A)
{
  constexpr PetscInt columns = 5;
  PetscInt           rows, cols;
  PetscScalar       *values;
  Owned<Mat>         dense, product, expected;
  Ok(MatGetLocalSize(A, &rows, &cols));
  Ok(MatCreateDense(PETSC_COMM_WORLD, cols, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, dense.out()));
  Ok(MatDenseGetArrayWrite(dense, &values));
  std::fill_n(values, cols * columns, PetscScalar(1.5));
  Ok(MatDenseRestoreArrayWrite(dense, &values));
  const Exceptions allowed =
    OnAllRanks(exceptions_of([&] { Ok(MatMatMult(reference, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected.out())); }));
  EXPECT_EQ(raised_by([&] { Ok(MatMatMult(A, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, product.out())); }, allowed), "");
}

struct Option {
  std::string name, value;
};

TEST_P(FloatingPoint, TrapsAreThoseOfAij)
{
  const std::vector<Option> options{
    {"-mat_spmv_threads", "2"}, // first: the threads that are started now trap what this one traps
    {"-mat_spmv_threads", "1"}, {"-mat_spmv_isa", "portable"}, {option_prefix() + "values", "fp32"}, {option_prefix() + "when", "first"},
  };
  for (const Option &option : options) {
    const OptionGuard guard(option.name, option.value);
    for (const Sample &sample : {Sample{300, 300}, kTall, kSymmetric})
      for (const Numbers &numbers : kNumbers) {
        SCOPED_TRACE(std::string(numbers.name) + ", " + option.name + " " + option.value + ", " + std::to_string(sample.rows) + " rows");
        Owned<Mat> A = Make(sample, root(), numbers), reference = Make(sample, MATAIJ, numbers);
        for (int round = 0; round < 2; ++round) {
          ExpectNoTrapsButThoseOf(reference, A);
          ExpectNoTrapsOfManyVectors(reference, A);
          for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 0.5)); // and so a refresh
        }
        EXPECT_EQ(raised_by([&] { A.out(); }), "") << "destroying";
        if (HasFailure()) return;
      }
  }
}

} // namespace
