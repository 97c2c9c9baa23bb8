/// What a matrix takes beside its AIJ data, by the allocator's own numbers, is what it tells.

#include <cmath>
#include <cstddef>
#include <vector>

#include <malloc.h>

#include "core/runtime.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes(); // GCC installs no header that declares it
#endif

using namespace petscspmv;
using namespace petscspmv::test;

namespace {

double Allocated()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return (double)__sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return (double)(info.uordblks + info.hblkhd);
#endif
}

/// Bytes that `work` leaves allocated.
template <class Work> double Growth(const Work &work)
{
  const double before = Allocated();
  work();
  return Allocated() - before;
}

double Told(Mat A)
{
  shadow::Entry e;
  Ok(shadow::EnterUnread(A, &e));
  return (double)e.own->footprint().kept();
}

/// A stencil on n x n points, many times. Of the type, they take more than as AIJ: how much more, and how much they
/// tell.
struct Many {
  PetscInt n, count;

  std::vector<Owned<Mat>> Make(const std::string &type) const
  {
    std::vector<Owned<Mat>> all;
    all.reserve((std::size_t)count);
    for (PetscInt k = 0; k < count; ++k) all.push_back(Stencil(type, n, PETSC_COMM_SELF));
    return all;
  }
};

class Memory : public TypeTest {
protected:
  void SetUp() override
  {
    TypeTest::SetUp();
    if (LivesOnDevice(root())) GTEST_SKIP() << "on the host";
    // Of what is mapped by itself, the allocator counts whole pages before and behind that nobody touches.
    (void)mallopt(M_MMAP_MAX, 0);
    if (root() == "mirror") GTEST_SKIP() << "the tests' own type keeps books that it does not tell";
  }

  /// Not told are headers and rounding by the allocator, 16 bytes of each allocation or so, of which a small matrix has
  /// about twenty. CTest starts this program without glibc's reserves of a thread: what is taken from one is not
  /// counted.
  static void ExpectTold(double measured, double told, const char *when)
  {
    const double slack = 0.1 * told + 400;
    EXPECT_LE(std::abs(measured - told), slack) << when << ": " << measured << " bytes are taken, " << told << " told";
  }

  HeadStarts        allowed;
  const OptionGuard at_once{"-mat_aijauto_when", "first"};
};

TEST_P(Memory, IsWhatIsTold)
{
  for (const char *const threads : {"1", "2"})
    for (const Many &many : {Many{7, 128}, Many{21, 64}, Many{64, 16}, Many{200, 8}}) { // 217 to 199200 entries
      SCOPED_TRACE(std::string(threads) + " threads, stencil on " + std::to_string(many.n) + "^2 points");
      const OptionGuard       asked("-mat_spmv_threads", threads);
      const auto              first = many.Make(seq()), reference_first = many.Make(MATSEQAIJ); // what is there but once
      std::vector<Owned<Mat>> ours, aij;
      for (const Owned<Mat> &A : first) MultiplyOnce(A);
      const double each    = 1.0 / (double)many.count;
      const auto   scratch = (double)runtime::scratch_bytes();
      const double plain   = Growth([&] { aij = many.Make(MATSEQAIJ); });
      const double made    = Growth([&] { ours = many.Make(seq()); });
      ExpectTold(each * (made - plain), Told(ours[0]), "before the first product");
      const double products = Growth([&] {
        for (const Owned<Mat> &A : ours) MultiplyOnce(A);
      });
      ExpectTold(each * (made + products - plain), Told(ours[0]), "after products");
      EXPECT_EQ(scratch, (double)runtime::scratch_bytes()) << "what other matrices have used serves these";
    }
}

TEST_P(Memory, OfATinyMatrixIsItsShadow)
{
  const Owned<Mat> A = Stencil(seq(), 7, PETSC_COMM_SELF);
  shadow::Entry    e;
  MultiplyOnce(A);
  Ok(shadow::EnterUnread(A, &e));
  EXPECT_NE(Viewed(A, PETSC_VIEWER_ASCII_INFO).find("in the shadow: " + std::to_string(e.own->bytes_taken())), std::string::npos);
  EXPECT_EQ(Told(A), (double)e.own->bytes_taken());
  EXPECT_LE(Told(A), 2048);
}

INSTANTIATE_TEST_SUITE_P(Types, Memory, EachType(), TypeName);

} // namespace
