// Several threads of the program multiply at the same time: with one format, each with vectors of its own, and with
// formats of their own. The thread sanitizer watches these tests, too.

#include <barrier>
#include <mutex>
#include <thread>

#include "format_fixture.hpp"
#include "through_kokkos.hpp"

namespace petscspmv::test {
namespace {

constexpr int program_threads = 4;

/// work(thread) on all threads at the same time.
template <class Work> void at_the_same_time(const Work &work)
{
  std::barrier             start(program_threads);
  std::vector<std::thread> all;
  all.reserve(program_threads);
  for (int thread = 0; thread < program_threads; ++thread)
    all.emplace_back([&, thread] {
      start.arrive_and_wait();
      work(thread);
    });
  for (std::thread &t : all) t.join();
}

template <class F> class ThreadsTest : public FormatTest<F> {
protected:
  using Scalar  = typename F::scalar_type;
  using Index   = typename F::index_type;
  using Problem = ProblemOf<F>;
  using Vector  = std::vector<Scalar>;

  static constexpr int columns = 5, repeats = 4;

  /// All products of a format, one after the other: three operations, and several vectors at once.
  static std::vector<Vector> products(F &format, const Problem &problem, int thread)
  {
    const Scalar        alpha = 1.0 + thread, beta = thread % 2 - 0.5;
    std::vector<Vector> y;
    for (auto c : problem.cases) {
      for (Scalar &e : c.x) e *= thread + 1.0; // what one leaves behind would be wrong for another
      y.push_back(Problem::multiply(format, c, alpha, beta));
    }
    const auto &c = problem.cases[0];
    Vector      x, many;
    for (int k = 0; k < columns; ++k) {
      x.insert(x.end(), c.x.begin(), c.x.end());
      many.insert(many.end(), c.y_before.begin(), c.y_before.end());
    }
    format.multiply_many(Operation::none, alpha, x.data(), problem.a.cols, beta, many.data(), problem.a.rows, columns);
    y.push_back(std::move(many));
    return y;
  }

  /// What differs from `expected` in products that are made again and again.
  static std::string wrong(F &format, const Problem &problem, int thread, const std::vector<Vector> &expected)
  {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const std::vector<Vector> y = products(format, problem, thread);
      for (std::size_t k = 0; k < y.size(); ++k)
        if (!same_bits(expected[k], y[k])) return "product " + std::to_string(k) + " of thread " + std::to_string(thread) + " differs";
    }
    return "";
  }
};
TYPED_TEST_SUITE_P(ThreadsTest);

// From the first product on.
TYPED_TEST_P(ThreadsTest, ShareAFormat)
{
  int n = 0;
  this->for_small(Mode::rounded, option_variants<TypeParam>(1), [&n](const auto &problem, const OptionValues &options) {
    const Execution execution = TestFixture::threads(n++ % 2 ? 3 : 1);
    TypeParam       alone(problem.a.view(), options, execution), shared(problem.a.view(), options, execution);
    std::mutex      telling;
    std::vector<std::vector<std::vector<typename TypeParam::scalar_type>>> expected;
    expected.reserve(program_threads);
    for (int thread = 0; thread < program_threads; ++thread) expected.push_back(TestFixture::products(alone, problem, thread));
    at_the_same_time([&](int thread) {
      const std::string     d = TestFixture::wrong(shared, problem, thread, expected[static_cast<std::size_t>(thread)]);
      const std::lock_guard lock(telling);
      EXPECT_EQ(d, "");
    });
  });
}

// From building them on: the threads that work for them are those of one process.
TYPED_TEST_P(ThreadsTest, HaveFormatsOfTheirOwn)
{
  if constexpr (requires { TypeParam::any_isa; }) GTEST_SKIP() << "Kokkos has its threads for one thread of the program at a time.";
  this->for_small(Mode::rounded, option_variants<TypeParam>(1), [](const auto &problem, const OptionValues &options) {
    TypeParam  alone(problem.a.view(), options, TestFixture::threads(3));
    const auto expected = TestFixture::products(alone, problem, 0);
    std::mutex telling;
    at_the_same_time([&](int) {
      TypeParam             own(problem.a.view(), options, TestFixture::threads(3));
      const std::string     d = TestFixture::wrong(own, problem, 0, expected);
      const std::lock_guard lock(telling);
      EXPECT_EQ(d, "");
    });
  });
}

REGISTER_TYPED_TEST_SUITE_P(ThreadsTest, ShareAFormat, HaveFormatsOfTheirOwn);

using PortableReal = Portable<AllFormats<double, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Host, ThreadsTest, Formats, FormatName);
INSTANTIATE_TYPED_TEST_SUITE_P(Kokkos, ThreadsTest, PortableReal::types, FormatName);

} // namespace
} // namespace petscspmv::test
