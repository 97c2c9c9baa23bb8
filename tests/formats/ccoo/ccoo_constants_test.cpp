// New values of an image on a device whose values are all with patterns, without one: they are those of an image that
// is made anew.

#include <limits>

#include "ccoo_images.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooConstants : public CcooImageTest<F> {
protected:
  using typename CcooImageTest<F>::Scalar;
  using typename CcooImageTest<F>::Matrix;
  using typename CcooImageTest<F>::Image;

  static Image image(const Matrix &a, When slide)
  {
    return CcooImageTest<F>::image(a, as_if_large({{tile_option, TileChoice::diagonal}, {slide_option, slide}}));
  }
  static bool renew(Image &m, const Matrix &a, int threads = 2) { return m.renew_constants(a.view(), threads); }
};

TYPED_TEST_SUITE(CcooConstants, CcooTypes, FormatName);

TYPED_TEST(CcooConstants, AreThoseOfAnImageMadeAnew)
{
  const auto check = [](const typename TestFixture::Matrix &a, When slide) {
    auto b = a;
    for (auto &v : b.val) v = 0.5 - 3.0 * v;
    auto m = TestFixture::image(a, slide);
    ASSERT_EQ(m.unit_value.size(), 0U);
    ASSERT_TRUE(TestFixture::renew(m, b)) << a.rows;
    EXPECT_EQ(image_difference<typename TestFixture::Scalar>(m, TestFixture::image(b, slide)), "") << a.rows;
    EXPECT_EQ(decoding_error(m, b.view()), "") << a.rows;
  };
  check(periodic_diagonals<typename TestFixture::Scalar, typename TestFixture::Index>(128 * 30), When::never);
  for (const int n : {5, 13, 20, 32})
    for (const When slide : {When::never, When::always})
      check(constant_stencil<typename TestFixture::Scalar, typename TestFixture::Index>(n), slide);
}

// One value that is not that of the others with its slot, in the first unit of a pattern or in another.
TYPED_TEST(CcooConstants, OneThatDoesNotFitIsFound)
{
  const auto a = constant_stencil<typename TestFixture::Scalar, typename TestFixture::Index>(20);
  for (const std::size_t at : {std::size_t(0), std::size_t(400), a.val.size() / 2, a.val.size() - 1})
    for (const int threads : {1, 3}) {
      auto m = this->image(a, When::never);
      auto b = a;
      b.val[at] += 1;
      EXPECT_FALSE(this->renew(m, b, threads)) << at;
    }
}

// Rows that do not have a slot multiply its weight by zero.
TYPED_TEST(CcooConstants, WeightsAreFinite)
{
  const auto a = constant_stencil<typename TestFixture::Scalar, typename TestFixture::Index>(20);
  auto       b = a;
  for (auto &v : b.val)
    if (v == a.val[0]) v = std::numeric_limits<double>::infinity();
  auto sliding = this->image(a, When::always), others = this->image(a, When::never);
  EXPECT_EQ(this->renew(sliding, b), sliding.slide.empty());
  EXPECT_EQ(sliding.slide.empty(), IsComplex<typename TestFixture::Scalar>::value);
  EXPECT_TRUE(this->renew(others, b));
}

} // namespace
} // namespace petscspmv::test
