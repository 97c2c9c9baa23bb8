/// Errors that a program catches: what was taken before is given back.

#include <petsc/private/vecimpl.h> // a vector's own functions

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/parent.hpp"

using namespace petscspmv;
using namespace petscspmv::test;

namespace {

/// PETSc's allocations while one lives: how many are not freed, and one that fails.
class Allocations {
public:
  /// `failing`: which one in `function` of PETSc's, from 1; 0: none.
  explicit Allocations(const char function[] = "", int failing = 0)
    : malloc_(std::exchange(PetscTrMalloc, Malloc)), free_(std::exchange(PetscTrFree, Free))
  {
    now       = this;
    function_ = function;
    failing_  = failing;
  }
  ~Allocations()
  {
    PetscTrMalloc = malloc_;
    PetscTrFree   = free_;
  }
  Allocations(const Allocations &)            = delete;
  Allocations &operator=(const Allocations &) = delete;

  int alive() const { return alive_; }
  int of_function() const { return of_function_; } ///< so far

private:
  static PetscErrorCode Malloc(size_t bytes, PetscBool clear, int line, const char function[], const char file[], void **memory)
  {
    if (function == now->function_ && ++now->of_function_ == now->failing_) return PETSC_ERR_MEM;
    ++now->alive_;
    return now->malloc_(bytes, clear, line, function, file, memory);
  }
  static PetscErrorCode Free(void *memory, int line, const char function[], const char file[])
  {
    if (memory) --now->alive_;
    return now->free_(memory, line, function, file);
  }

  static inline Allocations *now = nullptr;
  decltype(PetscTrMalloc)    malloc_;
  decltype(PetscTrFree)      free_;
  std::string                function_;
  int                        failing_, of_function_ = 0, alive_ = 0;
};

constexpr char kContainers[] = "PetscContainerCreate"; ///< only our shadows are in some

/// Lets the last allocation in `function` by `call` fail, and expects that this is an error that leaves nothing behind.
void ExpectNothingLeft(const char function[], const std::function<PetscErrorCode()> &call, const std::function<void()> &undo,
                       CallSite where = CallSite::current())
{
  SCOPED_TRACE("line " + std::to_string(where.line));
  Ok(call()); // what belongs to the process is there now
  undo();
  int last = 0;
  {
    const Allocations counted(function);
    Ok(call());
    undo();
    last = counted.of_function();
  }
  ASSERT_GT(last, 0);
  const Allocations allocations(function, last);
  EXPECT_NE(PETSC_SUCCESS, FailureOf(call).code);
  EXPECT_EQ(0, allocations.alive());
}

/// Arrays that are being read, of vectors and of dense matrices that count.
int taken = 0;

PetscErrorCode Take(Vec x, const PetscScalar **array)
{
  ++taken;
  *array = *(PetscScalar **)x->data;
  return PETSC_SUCCESS;
}
PetscErrorCode GiveBack(Vec, const PetscScalar **)
{
  --taken;
  return PETSC_SUCCESS;
}
void Count(Vec x)
{
  x->petscnative           = PETSC_FALSE; // to give back the array of such a one is nothing
  x->ops->getarrayread     = Take;
  x->ops->restorearrayread = GiveBack;
}
PetscErrorCode TakeDense(Mat, const PetscScalar **)
{
  ++taken;
  return PETSC_SUCCESS;
}
PetscErrorCode GiveBackDense(Mat, const PetscScalar **)
{
  --taken;
  return PETSC_SUCCESS;
}

/// Arrays that nobody gets to write.
template <class Object> PetscErrorCode Keep(Object, PetscScalar **)
{
  return PETSC_ERR_ORDER;
}
void Refuse(Vec y)
{
  y->ops->getarray = y->ops->getarraywrite = Keep<Vec>;
}

PetscErrorCode RefuseNodes(Mat, PetscInt *, PetscInt **, PetscInt *)
{
  return PETSC_ERR_ORDER;
}

class Caught : public TypeTest {
protected:
  void SetUp() override
  {
    if (LivesOnDevice(root())) GTEST_SKIP() << "vectors have functions of the device's there";
    TypeTest::SetUp();
  }
  static Owned<Mat> MakeOne() { return MakeSample(kSquare, root(), PETSC_COMM_SELF); }
};
INSTANTIATE_TEST_SUITE_P(Types, Caught, EachType(), TypeName);

TEST_P(Caught, AProductGivesVectorsBack)
{
  const Owned<Mat> A = MakeOne();
  for (const ProductKind &kind : KindsWithoutWorkVectors(A)) {
    SCOPED_TRACE(kind.name);
    const Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind);
    Ok(VecSet(x, 1));
    Ok(VecSet(y, 1));
    Ok(kind.apply(A, x, y)); // the format is there now
    Count(x);
    Refuse(y);
    taken = 0;
    EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return kind.apply(A, x, y); }).code);
    EXPECT_EQ(0, taken);
    EXPECT_EQ(0, EventInfo("MatSpMVProduct").depth) << "the event has not ended";
  }
}

/// With complex scalars it may make vectors on the way.
TEST_P(Caught, AProductByAijLeavesNothingBehind)
{
  if (!PetscDefined(USE_COMPLEX)) GTEST_SKIP() << "nothing is made on the way";
  const HeadStarts tiny_ones_are_aijs;
  const Owned<Mat> A = MakeOne();
  for (const ProductKind &kind : ProductKinds()) {
    SCOPED_TRACE(kind.name);
    const Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind);
    Ok(VecSet(x, 1));
    Ok(VecSet(y, 1));
    Ok(kind.apply(A, x, y));
    Refuse(y);
    const Allocations allocations;
    EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return kind.apply(A, x, y); }).code);
    EXPECT_EQ(0, allocations.alive());
  }
}

TEST_P(Caught, ASumGivesItsTermBack)
{
  const Owned<Mat> A = MakeOne();
  Owned<Vec>       x, y, z;
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(VecDuplicate(y, z.out()));
  for (Vec v : {(Vec)x, (Vec)y}) Ok(VecSet(v, 1));
  Ok(MatMultAdd(A, x, y, z));
  Count(y);
  Refuse(z);
  taken = 0;
  EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return MatMultAdd(A, x, y, z); }).code);
  EXPECT_EQ(0, taken);
}

TEST_P(Caught, ABuildEndsItsEvent)
{
  const Owned<Mat> A = MakeOne();
  Owned<Vec>       x, y;
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(VecSet(x, 1));
  Ok(PetscObjectComposeFunction((PetscObject)(Mat)A, "MatInodeGetInodeSizes_C", RefuseNodes));
  EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return MatMult(A, x, y); }).code);
  EXPECT_EQ(0, EventInfo("MatSpMVBuild").depth);
}

TEST_P(Caught, AProductWithSeveralVectorsGivesThemBack)
{
  const Owned<Mat> A = MakeOne(), B = MakeDense(A, false, 3, 1);
  Owned<Mat>       C;
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  Ok(PetscObjectComposeFunction((PetscObject)(Mat)B, "MatDenseGetArrayRead_C", TakeDense));
  Ok(PetscObjectComposeFunction((PetscObject)(Mat)B, "MatDenseRestoreArrayRead_C", GiveBackDense));
  Ok(PetscObjectComposeFunction((PetscObject)(Mat)C, "MatDenseGetArrayWrite_C", Keep<Mat>));
  taken = 0;
  EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout()); }).code);
  EXPECT_EQ(0, taken);
  EXPECT_EQ(0, EventInfo("MatSpMVProduct").depth);
}

TEST_P(Caught, AMatrixThatIsHalfMadeIsDestroyed)
{
  const Owned<Mat> A = MakeOne();
  Owned<Mat>       dense;
  Mat              B    = nullptr;
  const auto       undo = [&B] { Ok(MatDestroy(&B)); };
  Ok(MatConvert(A, MATSEQDENSE, MAT_INITIAL_MATRIX, dense.out()));
  ExpectNothingLeft(
    kContainers, [&] { return MatDuplicate(A, MAT_COPY_VALUES, &B); }, undo);
  ExpectNothingLeft(
    kContainers, [&] { return MatConvert(dense, seq().c_str(), MAT_INITIAL_MATRIX, &B); }, undo);
  ExpectNothingLeft(
    kContainers, [&] { return MatConvert(A, root().c_str(), MAT_INITIAL_MATRIX, &B); }, undo);
  EXPECT_EQ(nullptr, B);
}

/// JournalTest counts what is left of the mirrors.
TEST_P(Caught, AConversionThatCannotBeEndedLeavesAij)
{
  const Owned<Mat> A = MakeOne(), reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  Owned<Mat>       B;
  MultiplyOnce(A);
  const Allocations allocations(kContainers, 1);
  EXPECT_NE(PETSC_SUCCESS, FailureOf([&] { return MatConvert(A, MATSEQDENSE, MAT_INITIAL_MATRIX, B.out()); }).code);
  ExpectSameProducts(A, reference);
}

TEST(CaughtWithoutAType, ATypeThatThereIsNot)
{
  const shadow::KnownParent *known;
  Mat                        A = nullptr;
  const Allocations          allocations;
  EXPECT_NE(PETSC_SUCCESS, FailureOf([&] { return shadow::FindParent("nonsense", &known); }).code);
  EXPECT_EQ(0, allocations.alive());
  EXPECT_NE(PETSC_SUCCESS, FailureOf([&] { return MatCreateSpMV(PETSC_COMM_SELF, "nonsense", 1, 1, 1, 1, 1, NULL, 0, NULL, &A); }).code);
  EXPECT_EQ(nullptr, A);
  EXPECT_EQ(0, allocations.alive());
}

/// What is freed counts.
struct Counted {
  int *freed;

  ~Counted() { ++*freed; }
};

TEST(CaughtWithoutAType, WhatCannotBeComposedIsFreedOnce)
{
  Owned<Vec> x;
  Ok(VecCreateSeq(PETSC_COMM_SELF, 1, x.out()));
  for (const char *function : {kContainers, "PetscObjectListAdd"}) {
    int               freed = 0;
    const Allocations allocations(function, 1);
    const auto        compose = [&] { return shadow::ComposeOwned((PetscObject)(Vec)x, "test", new Counted{&freed}); };
    EXPECT_NE(PETSC_SUCCESS, FailureOf(compose).code) << function;
    EXPECT_EQ(1, freed) << function;
    EXPECT_EQ(0, allocations.alive()) << function;
  }
}

} // namespace
