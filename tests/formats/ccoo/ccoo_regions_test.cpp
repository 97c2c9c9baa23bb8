// Matrices of so many regions that some of these are planned before the others, to which they tell what comes again.

#include "ccoo_images.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooRegions : public CcooImageTest<F> {
protected:
  using typename CcooImageTest<F>::Scalar;
  using typename CcooImageTest<F>::Index;
  using typename CcooImageTest<F>::P;

  static constexpr Index rows = static_cast<Index>(ccoo::tuning::device_region_rows * (ccoo::tuning::device_least_sampled + 3)) + 77;

  /// Lines of 512 nodes with so many unknowns each, whose values depend on the unknowns alone.
  static auto lines_of_nodes(Index unknowns)
  {
    auto a = P::by_rows(rows, rows, [unknowns](Index r) {
      const Index node = r / unknowns, place = node % 512, first = node - (place > 0), last = node + (place < 511);
      return P::range(first * unknowns, std::min(rows, (last + 1) * unknowns));
    });
    for (auto [r, c, v] : a.entries()) v = Scalar(c == r ? 4.5 : -0.1 * static_cast<double>(1 + r % unknowns * unknowns + c % unknowns));
    return a;
  }
};

TYPED_TEST_SUITE(CcooRegions, CcooTypes, FormatName);

// Few patterns serve all groups, whatever region they are in; one that does not fit is found.
TYPED_TEST(CcooRegions, GroupsComeAgain)
{
  for (const typename TestFixture::Index unknowns : {1, 3}) {
    auto           a        = this->lines_of_nodes(unknowns);
    const Settings diagonal = as_if_large({{tile_option, TileChoice::diagonal}});
    const auto     m        = this->image(a, diagonal);
    ASSERT_EQ(decoding_error(m, a.view()), "");
    EXPECT_EQ(m.entries_in_units, std::int64_t(a.view().nonzeros()));
    EXPECT_LT(m.unit_value.size(), 1000U); // of what is left at the end
    EXPECT_LT(m.pattern.size(), 20U);
    for (const std::size_t at : {std::size_t(5), a.val.size() / 2, a.val.size() - 1}) a.val[at] = 0.123456789;
    const auto other = this->image(a, diagonal);
    ASSERT_EQ(decoding_error(other, a.view()), "");
    EXPECT_GT(other.pattern.size(), m.pattern.size());
  }
}

} // namespace
} // namespace petscspmv::test
