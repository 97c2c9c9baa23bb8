// Transposed products on the device of formats that have them: their index is made there.

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/columns_contract.hpp"
#include "device_problems.hpp"

namespace petscspmv::test {

/// The formats of a list that transpose.
template <class List, class... Kept> struct Transposing;
template <class... Kept> struct Transposing<::testing::Types<>, Kept...> {
  using types = ::testing::Types<Kept...>;
};
template <class F, class... More, class... Kept>
struct Transposing<::testing::Types<F, More...>, Kept...>
  : std::conditional_t<F::transposes, Transposing<::testing::Types<More...>, Kept..., F>, Transposing<::testing::Types<More...>, Kept...>> {
};

using TransposingFormats = AllOnDevice<Transposing<Formats>::types>::types;

INSTANTIATE_TYPED_TEST_SUITE_P(Transposed, ColumnsTest, TransposingFormats, FormatName);

namespace {

template <class F> class TransposedOnDevice : public OnDeviceOnly {
};

using RealTransposing = Transposing<AllFormats<double, std::int32_t>>::types;
TYPED_TEST_SUITE(TransposedOnDevice, RealTransposing, FormatName);

// One column at least, and numbers of columns around those where a bit more of them is sorted.
TYPED_TEST(TransposedOnDevice, AnyNumberOfColumns)
{
  using P = typename TestFixture::P;
  for (const std::int32_t cols : {1, 2, 3, 255, 256, 257, 65536, 65537}) {
    SCOPED_TRACE(std::to_string(cols) + " columns");
    const typename TestFixture::Problem problem(P::random(5000, cols, 61, [](std::int32_t r, auto &) { return r % 7; }), Mode::exact);
    OnDevice<TypeParam>                 format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (const auto &c : problem.cases) EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "") << name(c.op);
  }
}

/// A stencil, whose pattern is its own mirror image, and those that almost are: an entry has none, is there twice, or
/// before one that it should be behind.
enum class Mirrored { yes, one_less, one_twice, one_moved };
inline constexpr Mirrored all_mirrored[] = {Mirrored::yes, Mirrored::one_less, Mirrored::one_twice, Mirrored::one_moved};

CsrMatrix<double, std::int32_t> almost_mirrored(Mirrored how)
{
  const auto a = Patterns<double, std::int32_t>::stencil(20);
  return Patterns<double, std::int32_t>::by_rows(a.rows, a.cols, [&a, how](std::int32_t r) {
    auto row = a.row(r);
    if (r == a.rows / 2) {
      if (how == Mirrored::one_less) row.erase(row.begin());
      if (how == Mirrored::one_twice) row.insert(row.begin(), row.front());
      if (how == Mirrored::one_moved) std::swap(row[0], row[1]);
    }
    return row;
  });
}

// A pattern that is its own mirror image is not kept a second time; that has the same products.
TYPED_TEST(TransposedOnDevice, PatternsThatAreMirrored)
{
  for (const Mirrored how : all_mirrored) {
    SCOPED_TRACE(static_cast<int>(how));
    const typename TestFixture::Problem problem(almost_mirrored(how), Mode::exact);
    OnDevice<TypeParam>                 format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (const auto &c : problem.cases) EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "") << name(c.op);
    const auto arrays = format.format().footprint().arrays;
    const bool kept   = std::any_of(arrays.begin(), arrays.end(), [](const auto &array) { return array.name == "transposed columns"; });
    EXPECT_EQ(how != Mirrored::yes, kept);
  }
}

// Arrays on the device may move with new values, or be there no longer: then the transpose reads them where they are,
// too.
TYPED_TEST(TransposedOnDevice, PatternsThatMoveAreFollowed)
{
  const typename TestFixture::Problem problem(almost_mirrored(Mirrored::yes), Mode::exact);
  const Columns<double, std::int32_t> columns(problem, 5, Mode::exact, Operation::transpose);
  const DeviceVector<double>          val(problem.a.val);
  const std::vector<std::int32_t>     nothing(std::max(problem.a.row_ptr.size(), problem.a.col.size()), 0);
  for (const bool there : {true, false}) {
    DeviceVector<std::int32_t>       row_ptr(problem.a.row_ptr), col(problem.a.col);
    const DeviceVector<std::int32_t> other_row_ptr(problem.a.row_ptr), other_col(problem.a.col);
    auto                             view = problem.a.view();
    view.val                              = val.data();
    view.device_row_ptr                   = row_ptr.data();
    view.device_col                       = col.data();
    OnDevice<TypeParam> format(view, OptionValues(TypeParam::options()), {});
    const auto          check_both = [&] {
      EXPECT_EQ(problem.wrong(format, columns.column[0], 1.0, 0.0), "");
      EXPECT_EQ(columns.wrong(format, 1.0, 0.0, Mode::exact), "");
    };
    check_both();
    view.device_row_ptr = there ? other_row_ptr.data() : nullptr;
    view.device_col     = other_col.data();
    format.refresh(view);
    row_ptr.set(nothing);
    col.set(nothing);
    check_both();
  }
}

// The first product with new values gathers them, the next ones have them.
TYPED_TEST(TransposedOnDevice, GivesTheSameBitsWithNewValuesAndAfterwards)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : TestFixture::all())
    for (const OptionValues &options : option_variants<OnDevice<TypeParam>>(4)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      const Problem       problem(named, Mode::rounded, 1), other(named, Mode::rounded, 2);
      OnDevice<TypeParam> format(problem.a.view(), options, {});
      for (const Problem *now : {&problem, &other}) {
        format.refresh(now->a.view());
        const auto &c     = now->cases[1];
        const auto  first = Problem::multiply(format, c, 1.0, 0.0);
        EXPECT_EQ(difference(first, c.reference, 1.0, 0.0, c.y_before, Mode::rounded), "");
        for (int repeat = 0; repeat < 3; ++repeat) EXPECT_TRUE(same_bits(first, Problem::multiply(format, c, 1.0, 0.0)));
      }
    }
}

// Recorded after the first product, and after another one.
TYPED_TEST(TransposedOnDevice, GraphsFollowTheValues)
{
  using Problem = typename TestFixture::Problem;
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const auto &named : TestFixture::all())
    for (const int products : {1, 2}) {
      SCOPED_TRACE(named.name + ", products before: " + std::to_string(products));
      const Problem problem(named, Mode::exact, 1), other(named, Mode::exact, 2);
      runtime::use_stream(stream);
      OnDevice<TypeParam> format(problem.a.view(), OptionValues(TypeParam::options()), {});
      for (int k = 0; k < products; ++k) EXPECT_EQ(problem.wrong(format, problem.cases[1], 1.0, 0.0), "");
      DeviceVector<double> x(problem.cases[1].x), y(problem.cases[1].y_before.size());
      const Recording      product(stream, [&] { format.format().multiply(Operation::transpose, 1.0, x.data(), 0.0, y.data()); });
      for (const Problem *now : {&problem, &other}) {
        const auto &c = now->cases[1];
        if (now == &other) format.refresh(other.a.view());
        x.set(c.x);
        product.replay(1);
        EXPECT_EQ(difference(y.get(), c.reference, 1.0, 0.0, c.y_before, Mode::exact), "");
        for (int k = 0; k < 2; ++k) EXPECT_EQ(now->wrong(format, c, 1.0, 0.0), "");
      }
      runtime::use_stream(nullptr);
    }
  // The stream stays: Kokkos keeps what it has for it.
}

// Single vectors and several have one transpose, whichever come first; new values, which are on the device, get to
// both.
TYPED_TEST(TransposedOnDevice, ValuesThatAreOnTheDeviceAreFollowed)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : TestFixture::all()) {
    const Problem              before(named, Mode::exact, 1), after(named, Mode::exact, 2);
    const DeviceVector<double> val(before.a.val), other_val(after.a.val);
    for (const bool single_first : {true, false}) {
      SCOPED_TRACE(named.name + (single_first ? ", single vectors first" : ", several vectors first"));
      auto view = before.a.view();
      view.val  = val.data();
      OnDevice<TypeParam> format(view, OptionValues(TypeParam::options()), {});
      const auto          check_both = [&](const Problem &problem) {
        const Columns<double, std::int32_t> columns(problem, 5, Mode::exact, Operation::transpose);
        for (const bool single : {single_first, !single_first})
          EXPECT_EQ(single ? problem.wrong(format, columns.column[0], 1.0, 0.0) : columns.wrong(format, 1.0, 0.0, Mode::exact), "");
      };
      check_both(before);
      view.val = other_val.data();
      format.refresh(view);
      check_both(after);
    }
  }
}

} // namespace
} // namespace petscspmv::test
