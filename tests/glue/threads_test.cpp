/// Several threads of the program multiply with one matrix that nobody changes, each with vectors of its own, as they
/// may with AIJ.

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "select/several.hpp"

using namespace petscspmv;
using namespace petscspmv::test;

namespace {

/// PETSc's log counts with variables of one thread, and takes what several do at a time for an error.
[[maybe_unused]] const bool without_log = !(has_log = false);

constexpr int kThreads = 4;

/// work(thread) on all threads at the same time.
template <class Work> void AtTheSameTime(const Work &work)
{
  std::barrier             start(kThreads);
  std::vector<std::thread> all;
  all.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread)
    all.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
  for (std::thread &t : all) t.join();
}

/// The vectors of a thread, and what a product must give.
struct Vectors {
  Owned<Vec> x, y, expected;
};

std::vector<Vectors> MakeVectors(Mat reference, const ProductKind &kind)
{
  std::vector<Vectors> all(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    Vectors &v = all[(std::size_t)thread];
    v          = {InputOf(reference, kind), OutputOf(reference, kind), OutputOf(reference, kind)};
    SetSmallIntegers(v.x, (unsigned)thread + 1);
    Ok(VecSet(v.expected, 3)); // added where the product adds
    Ok(kind.apply(reference, v.x, v.expected));
  }
  return all;
}

/// A product of a thread: true if it is right. VecEqual() asks MPI, which need not be for several threads.
bool IsRight(Mat A, const ProductKind &kind, const Vectors &v)
{
  const PetscScalar *y, *expected;
  PetscInt           n;
  if (VecSet(v.y, 3) || kind.apply(A, v.x, v.y) || VecGetLocalSize(v.y, &n)) return false;
  if (VecGetArrayRead(v.y, &y) || VecGetArrayRead(v.expected, &expected)) return false;
  const bool same = std::equal(y, y + n, expected);
  return !VecRestoreArrayRead(v.y, &y) && !VecRestoreArrayRead(v.expected, &expected) && same;
}

/// Whether `repeats` products by each thread are right, with one matrix or one for each.
void ExpectRightOnAllThreads(const std::vector<Mat> &A, Mat reference, const ProductKind &kind, int repeats)
{
  std::vector<Vectors> vectors = MakeVectors(reference, kind);
  std::atomic<int>     wrong{0};
  AtTheSameTime([&](int thread) {
    for (int k = 0; k < repeats; ++k) wrong += !IsRight(A[(std::size_t)thread % A.size()], kind, vectors[(std::size_t)thread]);
  });
  EXPECT_EQ(0, wrong) << kind.name << ", of " << kThreads * repeats << " products";
}

/// Where AIJ has no function for A^H x, it makes vectors on the way, and so does what multiplies in its place.
bool AijMakesVectors(Mat reference, const ProductKind &kind)
{
  shadow::VoidFn hermitian;
  Ok(MatGetOperation(reference, MATOP_MULT_HERMITIAN_TRANSPOSE, &hermitian));
  return PetscDefined(USE_COMPLEX) && !hermitian && std::string(kind.name).starts_with("MatMultHermitianTranspose");
}

/// A PETSc with checks keeps the functions that are being called on one stack for all threads, unless it was configured
/// for threads; aij's products fail there, too.
constexpr bool kPetscIsForThreads = !PetscDefined(USE_DEBUG) || PetscDefined(HAVE_THREADSAFETY);
#define SKIP_WHERE_PETSC_IS_FOR_ONE_THREAD() \
  if (!kPetscIsForThreads) GTEST_SKIP() << "this PETSc was configured with checks and without thread safety"

class Threads : public TypeTest {
protected:
  void SetUp() override
  {
    SKIP_WHERE_PETSC_IS_FOR_ONE_THREAD();
    TypeTest::SetUp();
    if (root() == TestMirror::name) GTEST_SKIP() << "it keeps a journal, for one thread";
  }
};
INSTANTIATE_TEST_SUITE_P(Types, Threads, EachType(), TypeName);

const Sample kLarge{600, 600};

TEST_P(Threads, MultiplyWithOneMatrix)
{
  const Owned<Mat> reference = MakeSample(kLarge, MATAIJ, PETSC_COMM_SELF);
  for (const char *threads : {"1", "2"}) {
    const OptionGuard guard("-mat_spmv_threads", threads), host("-mat_spmv_vec_type", "standard");
    const Owned<Mat>  A = MakeSample(kLarge, root(), PETSC_COMM_SELF);
    for (const ProductKind &kind : KindsWithoutWorkVectors(A)) ExpectRightOnAllThreads({A}, reference, kind, 50);
  }
}

/// The format is built once, also where first products are AIJ's. That of transposed products may be plain CSR, which
/// is not counted.
TEST_P(Threads, BeginAtTheSameTime)
{
  const Owned<Mat>  reference = MakeSample(kLarge, MATAIJ, PETSC_COMM_SELF);
  const OptionGuard guard("-mat_spmv_threads", "2"), host("-mat_spmv_vec_type", "standard");
  for (const ProductKind &kind : KindsWithoutWorkVectors(reference))
    for (bool head_start : {false, true}) {
      if (head_start && root() != "aijauto") continue; // which changes, when its clock says so
      if (head_start && AijMakesVectors(reference, kind)) continue;
      const HeadStarts starts; // tiny matrices, and AIJ's products
      shadow::head_starts = head_start;
      const Owned<Mat> A  = MakeSample(kLarge, root(), PETSC_COMM_SELF);
      ExpectRightOnAllThreads({A}, reference, kind, head_start ? 100 : 2);
      const bool counted = !head_start && (!kind.transposed || shadow::FindKind(root().c_str())->format.transposes);
      if (counted) { EXPECT_EQ((Counts{1, 0}), CountsOf(A)) << kind.name; }
      Ok(PetscObjectStateIncrease((PetscObject)(Mat)A)); // new values, perhaps: all come to a refresh
      ExpectRightOnAllThreads({A}, reference, kind, 2);
      if (counted) { EXPECT_EQ((Counts{1, 1}), CountsOf(A)) << kind.name; }
    }
}

TEST_P(Threads, MultiplyWithSeveralMatrices)
{
  const Owned<Mat>        reference = MakeSample(kLarge, MATAIJ, PETSC_COMM_SELF);
  const OptionGuard       guard("-mat_spmv_threads", "2"), host("-mat_spmv_vec_type", "standard");
  std::vector<Owned<Mat>> owners(kThreads);
  for (Owned<Mat> &a : owners) a = MakeSample(kLarge, root(), PETSC_COMM_SELF);
  const std::vector<Mat> A(owners.begin(), owners.end());
  for (const ProductKind &kind : KindsWithoutWorkVectors(reference)) ExpectRightOnAllThreads(A, reference, kind, 20);
}

/// What auto changes to and leaves again, as it is slow: it sees whether anybody multiplies with it when it goes.
struct Seen {
  std::atomic<int> builds{0}, running{0}, disturbed{0};
} seen;

class Watchful : public TestMirror {
public:
  static constexpr std::string_view name = "watchful", auto_name = "watchfulauto";

  Watchful(const View &a, const OptionValues &options, const Execution &execution) : TestMirror(a, options, execution)
  {
    ++seen.builds;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ~Watchful() override { seen.disturbed += seen.running > 0; }
  void multiply(Operation, PetscScalar, const PetscScalar *, PetscScalar, PetscScalar *) override
  {
    ++seen.running;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --seen.running;
  }
};

TEST(ThreadsOfAuto, ChangeTheWayBetweenProducts)
{
  SKIP_WHERE_PETSC_IS_FOR_ONE_THREAD();
  seen.builds = seen.disturbed = 0;
  RegisterAutoOf<Watchful>();
  const HeadStarts     starts;
  const Owned<Mat>     A       = MakeSample(kLarge, "watchfulauto", PETSC_COMM_SELF);
  std::vector<Vectors> vectors = MakeVectors(MakeSample(kLarge, MATAIJ, PETSC_COMM_SELF), ProductKinds()[0]);
  AtTheSameTime([&](int thread) {
    const Vectors &v = vectors[(std::size_t)thread];
    for (int k = 0; k < 300; ++k) (void)!MatMult(A, v.x, v.y);
  });
  EXPECT_EQ(1, seen.builds);
  EXPECT_EQ(0, seen.running);
  EXPECT_EQ(0, seen.disturbed);
  EXPECT_NE("watchful", WayOf(A)) << "it has not been left";
}

/// Several vectors at once.
TEST_P(Threads, MultiplyDense)
{
  const Owned<Mat>  reference = MakeSample(kLarge, MATAIJ, PETSC_COMM_SELF);
  const OptionGuard guard("-mat_spmv_threads", "2"), host("-mat_spmv_vec_type", "standard");
  const Owned<Mat>  A = MakeSample(kLarge, root(), PETSC_COMM_SELF);
  Owned<Mat>        B[kThreads], C[kThreads], expected[kThreads];
  std::atomic<int>  wrong{0};
  for (int thread = 0; thread < kThreads; ++thread) {
    Ok(MatCreateSeqDense(PETSC_COMM_SELF, kLarge.cols, 5, NULL, B[thread].out()));
    for (PetscInt i = 0; i < kLarge.cols; ++i)
      for (PetscInt j = 0; j < 5; ++j)
        Ok(MatSetValue(B[thread], i, j, (PetscScalar)(PetscReal)((i * (thread + 2) + j) % 7), INSERT_VALUES));
    Assemble(B[thread]);
    Ok(MatMatMult(reference, B[thread], MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected[thread].out()));
    Ok(MatMatMult(A, B[thread], MAT_INITIAL_MATRIX, PETSC_DEFAULT, C[thread].out()));
  }
  AtTheSameTime([&](int thread) {
    PetscBool same = PETSC_FALSE;
    for (int k = 0; k < 20; ++k)
      if (MatZeroEntries(C[thread]) || MatProductNumeric(C[thread]) || MatEqual(C[thread], expected[thread], &same) || !same) ++wrong;
  });
  EXPECT_EQ(0, wrong);
}

} // namespace
