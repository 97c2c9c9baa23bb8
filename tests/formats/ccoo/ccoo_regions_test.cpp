// Matrices of so many regions that some of these are planned before the others, to which they tell what comes again.

#include "ccoo_images.hpp"
#include "impls/ccoo/plan/device_tuning.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooRegions : public ::testing::Test {
protected:
  using Scalar = typename F::scalar_type;
  using Index  = typename F::index_type;
  using Matrix = CsrMatrix<Scalar, Index>;
  using Image  = ImageOf<Scalar, Index>;

  static constexpr Index rows = static_cast<Index>(ccoo::tuning::device_region_rows * (ccoo::tuning::device_least_sampled + 3)) + 77;

  static Image image(const Matrix &a, const Settings &settings = {})
  {
    return host_image(a.view(), ccoo_options(as_if_large(settings)), 2);
  }

  /// Lines of 512 nodes with so many unknowns each, whose values depend on the unknowns alone.
  static Matrix lines_of_nodes(Index unknowns)
  {
    Matrix a;
    a.cols = rows;
    for (Index r = 0; r < rows; ++r) {
      const Index        node = r / unknowns, place = node % 512, first = node - (place > 0), last = node + (place < 511);
      std::vector<Index> columns;
      for (Index c = first * unknowns; c < std::min(rows, (last + 1) * unknowns); ++c) columns.push_back(c);
      a.add_row(columns);
      for (const Index c : columns)
        a.val.push_back(Scalar(c == r ? 4.5 : -0.1 * static_cast<double>(1 + r % unknowns * unknowns + c % unknowns)));
    }
    return a;
  }
};

TYPED_TEST_SUITE(CcooRegions, CcooTypes, FormatName);

// Few patterns serve all groups, whatever region they are in; one that does not fit is found.
TYPED_TEST(CcooRegions, GroupsComeAgain)
{
  using Index = typename TestFixture::Index;
  for (const Index unknowns : {1, 3}) {
    auto           a = this->lines_of_nodes(unknowns);
    const Settings diagonal{{"tile", tile_diagonal}};
    const auto     m = this->image(a, diagonal);
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
