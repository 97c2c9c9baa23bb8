// Which kind of tile ccoo takes by itself: without the masks of AVX-512, slots that not all rows have take several
// times as long as full ones.

#include "ccoo_images.hpp"
#include "kernels/lanes/scalar.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooChoice : public CcooFixture<F> {
protected:
  using Index  = typename F::index_type;
  using Matrix = CsrMatrix<typename F::scalar_type, Index>;

  /// Ten places on either side of the diagonal, some of which are empty, others in each row.
  static Matrix band(Index rows)
  {
    return CcooFixture<F>::valued(Patterns<typename F::scalar_type, Index>::by_rows(rows, rows, [rows](Index row) {
      std::vector<Index> columns;
      for (Index c = std::max<Index>(row - 10, 0); c <= std::min<Index>(row + 10, rows - 1); ++c)
        if ((7 * row + c * (row % 5 + 1)) % 4 != 0) columns.push_back(c);
      return columns;
    }));
  }

  /// Checks all tiles for each instruction set that has no masks.
  static void expect_all(const Matrix &a, const char *kind)
  {
    for (const std::int64_t isa : instruction_sets<F>()) {
      const auto format = CcooFixture<F>::build(a, {{"isa", isa}});
      if (fact(format, "instruction set") == "AVX-512") continue;
      const std::int64_t tiles = counted(format, "diagonal tiles") + counted(format, "gather tiles");
      EXPECT_GT(tiles, 0) << "isa " << isa;
      EXPECT_EQ(counted(format, kind), tiles) << "isa " << isa;
    }
  }
};

TYPED_TEST_SUITE(CcooChoice, CcooTypes, FormatName);

TYPED_TEST(CcooChoice, ABandWithHolesIsGathered)
{
  this->expect_all(this->band(4096), "gather tiles");
}

// Its lines are so short that two of five groups have holes. With complex numbers, full slots take no less than entries
// that are gathered.
TYPED_TEST(CcooChoice, AStencilWithConstantCoefficientsIsNot)
{
  using Scalar = typename TypeParam::scalar_type;
  if constexpr (!kernels::is_complex<Scalar>)
    this->expect_all(constant_nodes<Scalar, typename TypeParam::index_type>(20, 1, false), "diagonal tiles");
}

// Of a stencil, x is read in order; a diagonal has so few entries that there is nothing to gain elsewhere.
TYPED_TEST(CcooChoice, SeveralVectorsAreLeftToPlainCsrWhereXIsScattered)
{
  using Index       = typename TypeParam::index_type;
  using P           = typename TestFixture::P;
  const auto leaves = [](const auto &a) { return TestFixture::build(TestFixture::valued(a), {}).leaves_several(); };
  EXPECT_TRUE(leaves(P::random(3000, 3000, 54, [](auto, auto &) { return 20; })));
  EXPECT_FALSE(leaves(P::random(3000, 3000, 54, [](auto, auto &) { return 1; })));
  EXPECT_FALSE(
    (TestFixture::build(constant_nodes<typename TypeParam::scalar_type, Index>(20, 1, false), {{tile_option, TileChoice::diagonal}})
       .leaves_several()));
}

} // namespace
} // namespace petscspmv::test
