// Transposed products on the device of formats that borrow: their index is made there.

#include "columns_contract.hpp"
#include "device_problems.hpp"

namespace petscspmv::test {

/// The formats of a list that borrow.
template <class List, class... Kept> struct Borrowing;
template <class... Kept> struct Borrowing<::testing::Types<>, Kept...> {
  using types = ::testing::Types<Kept...>;
};
template <class F, class... More, class... Kept>
struct Borrowing<::testing::Types<F, More...>, Kept...>
  : std::conditional_t<F::borrows, Borrowing<::testing::Types<More...>, Kept..., F>, Borrowing<::testing::Types<More...>, Kept...>> {
};

using BorrowingFormats = AllOnDevice<Borrowing<ForDevice<Formats>::types>::types>::types;

INSTANTIATE_TYPED_TEST_SUITE_P(Transposed, ColumnsTest, BorrowingFormats, FormatName);

namespace {

template <class F> class TransposedOnDevice : public OnDeviceOnly {
};

using RealBorrowing = Borrowing<ForDevice<Joined<AllFormats<double, std::int32_t>>::types>::types>::types;
TYPED_TEST_SUITE(TransposedOnDevice, RealBorrowing, FormatName);

// One column at least, and numbers of columns around those where a bit more of them is sorted.
TYPED_TEST(TransposedOnDevice, AnyNumberOfColumns)
{
  using Problem = typename TestFixture::Problem;
  using P       = typename TestFixture::P;
  for (const std::int32_t cols : {1, 2, 3, 255, 256, 257, 65536, 65537}) {
    SCOPED_TRACE(std::to_string(cols) + " columns");
    const Problem problem(
      {"", [cols] { return P::random(5000, cols, 61, [cols](std::int32_t r, auto &) { return std::min(cols, r % 7); }); }}, Mode::exact);
    OnDevice<TypeParam> format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (const auto &c : problem.cases) EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "") << name(c.op);
  }
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
