/// Products with vectors: all six of them on all shapes, against AIJ's.

#include <limits>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/shadow.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

class Products : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, Products, EachType(), TypeName);

const std::vector<Sample> kShapes{
  kSquare,
  kHoley,
  kTall,
  kWide,
  kSymmetric,
  {40, 40, true, 5, false, true}, // nothing off the diagonal blocks
  {0, 0, false},
  {0, 7, false},
  {7, 0, false},
  {1, 1}, // next to nothing
  {24, 24, true, 6, false, false, Layout::first_rank_empty},
  {29, 17, false, 7, false, false, Layout::first_rank_empty},
};

TEST_P(Products, EqualThoseOfAij)
{
  for (const Sample &shape : kShapes) {
    SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.cols));
    ExpectSameProducts(MakeSample(shape, root()), MakeSample(shape, MATAIJ));
  }
}

/// AIJ multiplies by its values, whatever PETSc knows of them, and that may be older than they are.
TEST_P(Products, WhatPetscTakesForSymmetricNeedNotBe)
{
  for (const Knowledge &knowledge : KnowledgeOfSymmetry()) {
    if (knowledge.found) continue;
    SCOPED_TRACE(knowledge.name);
    const Owned<Mat> A = MakeSample(kSquare, root()), P = MakeSample(kTall, root()), reference = MakeSample(kSquare, MATAIJ);
    knowledge.tell(A);
    ExpectSameProducts(A, reference);
    ExpectSameTransposedDenseProduct(A, reference);
    const Owned<Mat> S = MakeSample(Sample{29, 29}, root()), S_reference = MakeSample(Sample{29, 29}, MATAIJ),
                     P_reference = MakeSample(kTall, MATAIJ);
    Owned<Mat> C, C_reference;
    knowledge.tell(S); // and PETSc takes the product for symmetric, then
    Ok(MatPtAP(S, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
    Ok(MatPtAP(S_reference, P_reference, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C_reference.out()));
    ExpectSameProducts(C, C_reference);
  }
}

TEST_P(Products, AddFromOneVectorToAnother)
{
  const Owned<Mat> A = MakeSample(kTall, root()), reference = MakeSample(kTall, MATAIJ);
  const bool       hermitian_too = PetscDefined(USE_COMPLEX);
  for (bool transposed : {false, true})
    for (bool hermitian : {false, transposed && hermitian_too}) {
      const auto        add = !transposed ? MatMultAdd : hermitian ? MatMultHermitianTransposeAdd : MatMultTransposeAdd;
      const ProductKind kind{"", transposed, true, nullptr};
      const Owned<Vec>  x = InputOf(A, kind), y = OutputOf(A, kind), y_before = OutputOf(A, kind), z = OutputOf(A, kind),
                       expected = OutputOf(A, kind);
      SetSmallIntegers(x, 1);
      SetSmallIntegers(y, 2);
      SetSmallIntegers(y_before, 2);
      SetNaN(z);
      Ok(add(A, x, y, z));
      Ok(add(reference, x, y, expected));
      ExpectSameVectors(z, expected, transposed ? "transposed" : "plain");
      ExpectSameVectors(y, y_before, "the addend");
    }
}

/// Both results are within (n + 4) eps |A||x| of the true one, so within twice that of each other; complex numbers take
/// as much again.
TEST_P(Products, RoundedResultsStayWithinTheBound)
{
  for (const Sample &shape : {kSquare, kTall, kWide}) {
    const auto       rough   = [](PetscInt i, PetscInt j, PetscScalar v) { return v / PetscReal(3 + (7 * i + 11 * j) % 13); };
    const auto       size_of = [&](PetscInt i, PetscInt j, PetscScalar v) { return PetscScalar(PetscAbsScalar(rough(i, j, v))); };
    const auto       one     = [](PetscInt, PetscInt, PetscScalar) { return PetscScalar(1); };
    const Owned<Mat> A = MakeSampleWith(rough, shape, root()), reference = MakeSampleWith(rough, shape, MATAIJ),
                     weight = MakeSampleWith(size_of, shape, MATAIJ), count = MakeSampleWith(one, shape, MATAIJ);
    for (const ProductKind &kind : ProductKinds()) {
      if (kind.add) continue;
      const Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind), expected = OutputOf(A, kind), w = OutputOf(A, kind),
                       n = OutputOf(A, kind);
      PetscInt size;
      SetSmallIntegers(x, 8);
      Ok(VecScale(x, PetscScalar(1.0 / 7)));
      Ok(kind.apply(A, x, y));
      Ok(kind.apply(reference, x, expected));
      Ok(VecAbs(x));
      Ok(kind.apply(weight, x, w));
      Ok(VecSet(x, 1));
      Ok(kind.apply(count, x, n));
      Ok(VecAXPY(expected, -1, y));
      Ok(VecGetLocalSize(y, &size));
      const PetscScalar *error, *bound, *terms;
      Ok(VecGetArrayRead(expected, &error));
      Ok(VecGetArrayRead(w, &bound));
      Ok(VecGetArrayRead(n, &terms));
      for (PetscInt i = 0; i < size; ++i)
        EXPECT_LE(PetscAbsScalar(error[i]), 4 * (PetscRealPart(terms[i]) + 4) * PETSC_MACHINE_EPSILON * PetscRealPart(bound[i]))
          << kind.name << ", local entry " << i;
      Ok(VecRestoreArrayRead(expected, &error));
      Ok(VecRestoreArrayRead(w, &bound));
      Ok(VecRestoreArrayRead(n, &terms));
    }
  }
}

TEST_P(Products, NaNAndInfinityInTheMatrixGoWhereAijPutsThem)
{
  if (PetscDefined(USE_COMPLEX)) GTEST_SKIP() << "which part of a complex number an infinity reaches depends on the order of operations";
  const auto spoil = [](PetscInt i, PetscInt j, PetscScalar v) {
    const PetscReal infinity = std::numeric_limits<PetscReal>::infinity();
    if (i == 4) return PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN());
    return i == 9 && j > 12 ? PetscScalar(infinity) : i == 15 ? PetscScalar(-infinity) : v;
  };
  ExpectSameProducts(MakeSampleWith(spoil, kSquare, root()), MakeSampleWith(spoil, kSquare, MATAIJ));
}

TEST_P(Products, FlopsAreThoseOfAij)
{
  for (const Sample &shape : {kSquare, kHoley}) {
    const Owned<Mat> A = MakeSample(shape, root()), reference = MakeSample(shape, MATAIJ);
    MultiplyOnce(A);
    for (std::size_t k = 0; k < ProductKinds().size(); ++k) {
      if (ProductKinds()[k].transposed && LivesOnDevice(root())) continue; // the first ones are the parent's, which counts in its own way
      const auto flops = [](Mat mat, const ProductKind &kind) {
        const Owned<Vec> x = InputOf(mat, kind), y = OutputOf(mat, kind);
        PetscLogDouble   before, after;
        Ok(PetscGetFlops(&before));
        Ok(kind.apply(mat, x, y));
        Ok(PetscGetFlops(&after));
        return after - before;
      };
      const PetscLogDouble ours = flops(A, ProductKinds()[k]), theirs = flops(reference, ProductKinds()[k]);
      if (k < 4) {
        EXPECT_EQ(theirs, ours) << ProductKinds()[k].name;
      } else { // AIJ has no Hermitian product: PETSc composes it from the transposed one and vector operations, which it counts, too
        EXPECT_LE(ours, theirs) << ProductKinds()[k].name;
        EXPECT_GE(ours, flops(reference, ProductKinds()[k - 2])) << ProductKinds()[k].name;
      }
    }
  }
}

TEST_P(Products, AreLoggedWithTheirFlops)
{
  const Owned<Mat>         A      = MakeSample(kSquare, root());
  const PetscEventPerfInfo before = EventInfo("MatSpMVProduct"), mult = EventInfo("MatMult");
  MultiplyOnce(A);
  MultiplyOnce(A);
  const PetscEventPerfInfo after = EventInfo("MatSpMVProduct");
  EXPECT_EQ(2 * BlocksOf(A), after.count - before.count);
  EXPECT_EQ(2, EventInfo("MatMult").count - mult.count);
  EXPECT_EQ(EventInfo("MatMult").flops - mult.flops, after.flops - before.flops);
  EXPECT_GT(Sum((PetscInt)(after.flops - before.flops)), 0);
}

TEST_P(Products, BindToCPU)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  for (PetscBool bind : {PETSC_TRUE, PETSC_FALSE}) {
    Ok(MatBindToCPU(A, bind));
    ExpectSameProducts(A, reference);
  }
  // A PETSc without devices never calls the operation.
  const Owned<Mat> S = MakeSample(kSquare, root(), PETSC_COMM_SELF);
  shadow::VoidFn   function;
  Ok(MatGetOperation(S, MATOP_BIND_TO_CPU, &function));
  ASSERT_NE(nullptr, function);
  const Owned<Mat> sequential = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  for (PetscBool bind : {PETSC_TRUE, PETSC_FALSE}) {
    Ok(((PetscErrorCode(*)(Mat, PetscBool))function)(S, bind));
    ExpectSameProducts(S, sequential);
  }
}

TEST_P(Products, InfoAndNormsAreThoseOfAij)
{
  const Owned<Mat> A = MakeSample(kHoley, root()), reference = MakeSample(kHoley, MATAIJ);
  for (MatInfoType which : {MAT_LOCAL, MAT_GLOBAL_MAX, MAT_GLOBAL_SUM}) {
    MatInfo info, expected;
    Ok(MatGetInfo(A, which, &info));
    Ok(MatGetInfo(reference, which, &expected));
    EXPECT_EQ(expected.nz_used, info.nz_used);
    EXPECT_EQ(expected.nz_allocated, info.nz_allocated);
    EXPECT_EQ(expected.mallocs, info.mallocs);
  }
  for (NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) {
    PetscReal norm, expected;
    Ok(MatNorm(A, type, &norm));
    Ok(MatNorm(reference, type, &expected));
    EXPECT_EQ(expected, norm);
  }
}

} // namespace
