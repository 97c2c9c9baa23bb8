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
  TypeParam     format(problem.a.view(), OptionValues(TypeParam::options()), this->threads(1));
  const auto    told = [&] {
    std::string all;
    for (const auto &[name, value] : format.facts())
      if (name == "bytes for several vectors") all += value;
    return all;
  };
  // bccoo's vectors take turns at tiles, and x stays where it is.
  const std::string expected = TypeParam::name == "bccoo" ? "" : std::to_string(8 * 500 * sizeof(typename TestFixture::Scalar));
  EXPECT_EQ(told(), "");
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(typename TestFixture::Columns(problem, 8, Mode::rounded).wrong(format, 1.0, 0.0, Mode::rounded), "");
    EXPECT_EQ(told(), expected);
  }
  if constexpr (TypeParam::transposes) {
    const typename TestFixture::Columns transposed(problem, 8, Mode::rounded, Operation::transpose);
    EXPECT_EQ(transposed.wrong(format, 1.0, 0.0, Mode::rounded), "");
    EXPECT_EQ(told(), std::to_string(8 * (500 + 300 + 500) * sizeof(typename TestFixture::Scalar)));
  }
}

} // namespace
} // namespace petscspmv::test
