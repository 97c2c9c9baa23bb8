// The formats in programs that trap floating-point exceptions or have switched denormals off.

#include <array>
#include <bit>
#include <optional>

#include "format_fixture.hpp"
#include "kernels/lanes/scalar.hpp"
#include "support/traps.hpp"

namespace petscspmv::test {
namespace {

// Before main() starts the threads of products, which inherit it.
const Traps of_all_threads(every_exception);

using Draw = Random<double>;

/// In modulus between 1/2 and 1.
double about_one(Draw &random)
{
  const double r = random.number();
  return std::copysign(0.5 + std::abs(r) / 2, r);
}

/// A double whose lower half would be a float that must not be converted, as doubles behind floats may be: a signalling
/// NaN or a subnormal number.
double with_odd_half(Draw &random)
{
  const auto half = static_cast<std::uint64_t>(random.integer(1, 0x3fffff));
  return std::bit_cast<double>(std::uint64_t(0x3ff00000) << 32 | half | (half % 2 ? 0x7f800000U : 0));
}

/// Values of a matrix, and an x for which a plain loop raises little or nothing.
struct Numbers {
  const char *name;
  double (*value)(Draw &random, std::int64_t row, std::int64_t entry);
  bool clean    = true;  ///< a plain loop raises nothing, so that threads take part that trap everything
  bool positive = false; ///< x is, so that infinities do not meet
};

constexpr double infinity = std::numeric_limits<double>::infinity(), quiet = std::numeric_limits<double>::quiet_NaN();

const std::array kinds{
  Numbers{"about 1e300", [](Draw &random, std::int64_t, std::int64_t) { return 1e300 * about_one(random); }},
  Numbers{"about 1e-290", [](Draw &random, std::int64_t, std::int64_t) { return 1e-290 * about_one(random); }},
  Numbers{"integers and integers times 1e60",
          [](Draw &random, std::int64_t, std::int64_t k) { return static_cast<double>(random.integer(1, 9)) * (k % 3 ? 1 : 1e60); }},
  Numbers{"all of 1e-290 to 1e290",
          [](Draw &random, std::int64_t, std::int64_t) { return std::pow(10.0, static_cast<double>(random.integer(-290, 290))); }},
  Numbers{
    "floats and others, by rows",
    [](Draw &random, std::int64_t row, std::int64_t) {
      return row / 16 % 2 ? with_odd_half(random) : static_cast<double>(static_cast<float>(about_one(random)));
    },
  },
  Numbers{"floats that are subnormal",
          [](Draw &random, std::int64_t, std::int64_t) { return std::ldexp(static_cast<double>(random.integer(1, 1000)), -149); }},
  Numbers{"zeros of both signs", [](Draw &random, std::int64_t, std::int64_t k) { return k % 3   ? about_one(random)
                                                                                         : k % 2 ? 0.0
                                                                                                 : -0.0; }},
  Numbers{"NaN and infinity among positive numbers",
          [](Draw &random, std::int64_t, std::int64_t k) {
            return k % 7 == 3 ? infinity : k % 11 == 5 ? quiet : 1 + std::abs(random.number());
          },
          false, true},
  Numbers{"1e-310 to 1e-300", [](Draw &random, std::int64_t, std::int64_t k) { return (k % 2 ? 1e-310 : 1e-300) * about_one(random); },
          false},
};

template <class Scalar, class Draw> Scalar drawn(const Draw &draw)
{
  if constexpr (IsComplex<Scalar>::value) {
    const double re = draw();
    return {re, draw()};
  } else return draw();
}

/// y = op(A) x + y by the plainest loop.
template <class Scalar, class Index>
[[gnu::noinline]] void multiply_in_a_loop(const CsrView<Scalar, Index> &a, Operation op, const Scalar *x, Scalar *y)
{
  for (Index r = 0; r < a.rows; ++r) {
    Scalar sum = 0;
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      if (op == Operation::none) sum += kernels::multiply(a.val[k], x[a.col[k]]);
      else y[a.col[k]] += kernels::multiply(op == Operation::hermitian ? kernels::conjugate(a.val[k]) : a.val[k], x[r]);
    }
    if (op == Operation::none) y[r] += sum;
  }
}

template <class F> class TrapTest : public FormatTest<F> {
protected:
  using Scalar  = typename F::scalar_type;
  using Index   = typename F::index_type;
  using Problem = ProblemOf<F>;

  // Nothing but products is to be trapped in this thread.
  void SetUp() override { untrapped_.emplace(0); }
  void TearDown() override { untrapped_.reset(); }

  static void set(Problem &problem, const Numbers &kind)
  {
    Draw random(5);
    for (Index r = 0; r < problem.a.rows; ++r)
      for (Index k = problem.a.row_ptr[r]; k < problem.a.row_ptr[r + 1]; ++k)
        problem.a.val[static_cast<std::size_t>(k)] = drawn<Scalar>([&] { return kind.value(random, r, k); });
    for (auto &c : problem.cases)
      for (Scalar &x : c.x)
        if (x == x) // NOLINT(misc-redundant-expression)
          x = drawn<Scalar>([&] { return kind.positive ? std::abs(about_one(random)) : about_one(random); });
  }

  /// What is wrong with a product: its numbers, or exceptions that a plain loop does not raise.
  static std::string wrong(F &format, const Problem &problem, const typename Problem::Case &c, Scalar beta)
  {
    std::vector<Scalar> expected = c.y_before, y = expected;
    if (beta == Scalar(0)) {
      std::fill(expected.begin(), expected.end(), Scalar(0));
      std::fill(y.begin(), y.end(), Scalar(std::numeric_limits<double>::signaling_NaN()));
    }
    const Exceptions allowed = exceptions_of([&] { multiply_in_a_loop(problem.a.view(), c.op, c.x.data(), expected.data()); });
    std::string      raised  = raised_by([&] { format.multiply(c.op, 1, c.x.data(), beta, y.data()); }, allowed);
    if (!raised.empty()) return raised;
    return difference(y, c.reference, Scalar(1), beta, c.y_before, Mode::rounded);
  }

  /// The same of products with several vectors, which are all the same x.
  static std::string wrong_with_many(F &format, const Problem &problem, const std::vector<Scalar> &x)
  {
    constexpr int       columns = 5;
    const auto          rows    = static_cast<std::size_t>(problem.a.rows);
    std::vector<Scalar> xs, ys(columns * rows, Scalar(std::numeric_limits<double>::signaling_NaN())), expected(rows);
    for (int c = 0; c < columns; ++c) xs.insert(xs.end(), x.begin(), x.end());
    const Exceptions allowed = exceptions_of([&] { multiply_in_a_loop(problem.a.view(), Operation::none, x.data(), expected.data()); });
    return raised_by(
      [&] { format.multiply_many(Operation::none, Scalar(1), xs.data(), std::ssize(x), Scalar(0), ys.data(), problem.a.rows, columns); },
      allowed);
  }

  /// Each x of a problem, where entries that no product needs are something else each time.
  template <class Check> static void with_unused_entries(Problem &problem, const Check &check)
  {
    for (auto &c : problem.cases) {
      std::vector<bool> unused;
      for (const Scalar &x : c.x) unused.push_back(x != x); // NOLINT(misc-redundant-expression)
      for (const double odd : {std::numeric_limits<double>::signaling_NaN(), infinity, 1e-310}) {
        for (std::size_t i = 0; i < unused.size(); ++i)
          if (unused[i]) c.x[i] = odd;
        check(c);
        if (std::find(unused.begin(), unused.end(), true) == unused.end()) break;
      }
    }
  }

  /// The defaults, and every coding that can be asked for.
  static std::vector<OptionValues> all_codings()
  {
    std::vector<OptionValues> all{OptionValues(F::options())};
    for (const OptionSpec &spec : F::options())
      for (std::int64_t coding = 1; spec.key == "values" && coding <= spec.max; ++coding)
        all.emplace_back(F::options()).set("values", coding);
    return all;
  }

private:
  std::optional<Traps> untrapped_;
};
TYPED_TEST_SUITE(TrapTest, Formats, FormatName);

TYPED_TEST(TrapTest, RaisesNothingThatAPlainLoopDoesNot)
{
  for (const auto &named : this->all()) {
    if (named.large || named.fixed_values) continue;
    for (const Numbers &kind : kinds) {
      typename TestFixture::Problem problem(named, Mode::rounded);
      this->set(problem, kind);
      for (auto &c : problem.cases) problem.refer(c);
      int n = 0;
      for (const OptionValues &options : option_variants_with_isa<TypeParam>(1)) {
        SCOPED_TRACE(named.name + ", " + kind.name + ", " + describe(options));
        std::optional<TypeParam> format;
        ASSERT_EQ(raised_by([&] {
                    (void)TypeParam::predicted_bytes(problem.a.view(), options);
                    format.emplace(problem.a.view(), options, this->threads(kind.clean && n++ % 4 == 3 ? 3 : 1));
                    format->refresh(problem.a.view());
                  }),
                  "");
        this->with_unused_entries(problem, [&](const auto &c) {
          for (const double beta : {0.0, 1.0}) ASSERT_EQ(this->wrong(*format, problem, c, beta), "") << name(c.op) << ", beta " << beta;
          if (c.op == Operation::none) { ASSERT_EQ(this->wrong_with_many(*format, problem, c.x), "") << "several vectors"; }
        });
        ASSERT_EQ(raised_by([&] {
                    (void)format->footprint();
                    (void)format->facts();
                    format.reset();
                  }),
                  "");
        if (this->HasFailure()) return;
      }
    }
  }
}

// Not even bccoo, which sets aside what lanes and zeros raise that are no entries.
TYPED_TEST(TrapTest, TellsOfWhatThePlainLoopRaises)
{
  using Scalar = typename TestFixture::Scalar;
  for (const auto &named : this->all()) {
    if (named.large || named.fixed_values) continue;
    typename TestFixture::Problem problem(named, Mode::rounded);
    this->set(problem, kinds[0]);
    for (const OptionValues &options : option_variants_with_isa<TypeParam>(1)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      TypeParam format(problem.a.view(), options, this->threads(1));
      for (auto &c : problem.cases) {
        std::vector<Scalar> y(c.y_before.size());
        std::fill(c.x.begin(), c.x.end(), Scalar(1e10));
        const Exceptions expected = exceptions_of([&] { multiply_in_a_loop(problem.a.view(), c.op, c.x.data(), y.data()); });
        const Exceptions raised   = exceptions_of([&] { format.multiply(c.op, 1, c.x.data(), 0, y.data()); });
        ASSERT_EQ(names_of(raised & overflow), names_of(expected & overflow)) << name(c.op);
      }
    }
  }
}

TYPED_TEST(TrapTest, KeepsNormalNumbersWhereDenormalsAreSwitchedOff)
{
  for (const auto &named : this->all()) {
    if (named.large || named.fixed_values) continue;
    for (const Numbers &kind : kinds) {
      if (!kind.clean) continue;
      typename TestFixture::Problem problem(named, Mode::rounded);
      this->set(problem, kind);
      for (auto &c : problem.cases) problem.refer(c);
      for (const OptionValues &options : this->all_codings()) {
        SCOPED_TRACE(named.name + ", " + kind.name + ", " + describe(options));
        // A library that switches them off may be loaded, and a thread of the program start, before or after the matrix
        // is built.
        for (const bool at_first : {true, false}) {
          std::optional<DenormalsOff> off;
          if (at_first) off.emplace();
          TypeParam format(problem.a.view(), options, this->threads(1));
          off.emplace();
          for (const auto &c : problem.cases) ASSERT_EQ(problem.wrong(format, c, 1, 0), "");
          format.refresh(problem.a.view());
          for (const auto &c : problem.cases) ASSERT_EQ(problem.wrong(format, c, 1, 0), "");
        }
      }
    }
  }
}

} // namespace
} // namespace petscspmv::test
