// Products with several vectors at once: every format on the host.

#include "columns_contract.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Host, ColumnsTest, Formats, FormatName);

namespace {

template <class F> class ColumnsMemoryTest : public ColumnsTest<F> {
};
TYPED_TEST_SUITE(ColumnsMemoryTest, Formats, FormatName);

// What is allocated for them is told, and only once there was need of it.
TYPED_TEST(ColumnsMemoryTest, IsTold)
{
  using Problem = typename TestFixture::Problem;
  using P       = Patterns<typename TestFixture::Scalar, typename TestFixture::Index>;
  const Problem problem({"", [] { return P::regular(300, 500, 9, 41); }}, Mode::rounded);
  OptionValues  options(TypeParam::options());
  if (TypeParam::name == "ccoo") options.set("tile", 3); // chunks, whose rows are cut
  TypeParam  format(problem.a.view(), options, this->threads(1));
  const auto told = [&] {
    std::string all;
    for (const auto &[name, value] : format.facts())
      if (name == "bytes for several vectors") all += value;
    return all;
  };
  const auto multiply = [&](Operation op) {
    EXPECT_EQ(typename TestFixture::Columns(problem, 8, Mode::rounded, op).wrong(format, 1.0, 0.0, Mode::rounded), "");
  };
  EXPECT_EQ(told(), "");
  multiply(Operation::none);
  const std::string once = told();
  multiply(Operation::none);
  EXPECT_EQ(told(), once);
  // Vectors take turns at the tiles of ccoo and bccoo, and x stays where it is; bccoo cuts no row for one thread.
  if (TypeParam::name == "bccoo") EXPECT_EQ(once, "");
  else if (TypeParam::name == "ccoo") EXPECT_GT(std::stoll(once), 0);
  else EXPECT_EQ(once, std::to_string(8 * 500 * sizeof(typename TestFixture::Scalar)));
  if constexpr (TypeParam::transposes) {
    multiply(Operation::transpose);
    EXPECT_EQ(told(), std::to_string(8 * (500 + 300 + 500) * sizeof(typename TestFixture::Scalar)));
  }
}

} // namespace
} // namespace petscspmv::test
