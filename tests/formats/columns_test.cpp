// Products with several vectors at once: every format on the host.

#include "columns_contract.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Host, ColumnsTest, Formats, FormatName);

namespace {

template <class F> class ColumnsMemoryTest : public ColumnsTest<F> {
};
TYPED_TEST_SUITE(ColumnsMemoryTest, Formats, FormatName);

// What they borrow is told, and claimed only once there was need of it.
TYPED_TEST(ColumnsMemoryTest, IsTold)
{
  using P = Patterns<typename TestFixture::Scalar, typename TestFixture::Index>;
  const typename TestFixture::Problem problem(P::regular(300, 500, 9, 41), Mode::rounded);
  OptionValues                        options(TypeParam::options());
  if (TypeParam::name == "ccoo") options.set("tile", 3); // chunks, whose rows are cut
  TypeParam  format(problem.a.view(), options, this->threads(1));
  const auto told     = [&format] { return format.footprint().scratch; };
  const auto multiply = [&](Operation op) {
    EXPECT_EQ(typename TestFixture::Columns(problem, 8, Mode::rounded, op).wrong(format, 1.0, 0.0, Mode::rounded), "");
  };
  const std::size_t single = told();
  multiply(Operation::none);
  const std::size_t once = told();
  multiply(Operation::none);
  EXPECT_EQ(told(), once);
  // Vectors take turns at the tiles of ccoo and bccoo, and x stays where it is; bccoo cuts no row for one thread.
  if (TypeParam::name == "bccoo") EXPECT_EQ(once, 0U);
  else if (TypeParam::name == "ccoo") EXPECT_EQ(once, 8 * single);
  else EXPECT_EQ(once, std::max(single, sizeof(typename TestFixture::Scalar) * 8 * 500));
  if constexpr (TypeParam::transposes) {
    multiply(Operation::transpose);
    EXPECT_EQ(told(), sizeof(typename TestFixture::Scalar) * 8 * (300 + 500));
  }
}

} // namespace
} // namespace petscspmv::test
