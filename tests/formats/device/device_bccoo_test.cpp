// What is known of bccoo alone on the device.

#include "formats/bccoo/bccoo_teams_contract.hpp"
#include "device_problems.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Device, BccooTeams, AllOnDevice<BccooTypes>::types, FormatName);

namespace {

template <class F> class BccooOnDevice : public BccooTeams<F> {
};
TYPED_TEST_SUITE(BccooOnDevice, AllOnDevice<BccooTypes>::types, FormatName);

// New values are in host memory or on the device.
TYPED_TEST(BccooOnDevice, RefreshTakesValuesFromWhereverTheyAre)
{
  using Problem = typename TestFixture::Problem;
  using Scalar  = typename TestFixture::Scalar;
  const Problem one(TestFixture::long_rows(), Mode::exact), other(TestFixture::long_rows(), Mode::rounded, 2);
  for (const std::int64_t side : {1, 3, 4})
    for (const bool built_there : {false, true}) {
      const auto view_of = [](const Problem &now, const DeviceVector<Scalar> &there, bool is_there) {
        auto view = now.a.view();
        if (is_there) view.val = there.data();
        return view;
      };
      const DeviceVector<Scalar> there(one.a.val);
      TypeParam                  format(view_of(one, there, built_there), bccoo_options(TestFixture::shaped(side, side)), {});
      ASSERT_EQ(products_wrong(format, one), "");
      for (const Problem *now : {&other, &one, &other})
        for (const bool is_there : {false, true}) {
          const DeviceVector<Scalar> values(now->a.val);
          format.refresh(view_of(*now, values, is_there));
          ASSERT_EQ(products_wrong(format, *now), "");
        }
    }
}

TYPED_TEST(BccooOnDevice, VectorsAtOddAddresses)
{
  const typename TestFixture::Problem problem(TestFixture::long_rows(), Mode::rounded);
  for (const std::int64_t side : {2, 3, 4}) {
    auto format = TestFixture::made(problem.a, TestFixture::shaped(side, side));
    expect_same_at_odd_addresses(format, problem.cases[0]);
  }
}

} // namespace
} // namespace petscspmv::test
