// The cache lines of x that gather tiles of large matrices have listed, so that the tile before asks for them.

#include "ccoo_checks.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/plan/line_finder.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/lanes/prefetch.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooLinesTest : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Scalar;
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::Matrix;
  using typename CcooFixture<F>::Problem;
  using CcooFixture<F>::build;

  static constexpr const char *lines = "lines of x";

  /// Rows of about 15 entries up to `reach` columns away, in nodes of b rows; one row in 5000 is long, some have no
  /// entries.
  static Matrix mesh(Index rows, Index reach, Index b)
  {
    Random<Scalar>     random(31);
    std::vector<Index> columns;
    return CcooFixture<F>::P::by_rows(rows, rows, [&](Index r) {
      if (r % b == 0) columns.clear();
      for (Index k = r % b == 0 ? (r % 5000 == 0 ? 3000 : r % 700 == 0 ? 0 : 12 + r % 7) : 0; k > 0; --k)
        columns.push_back((r + rows + static_cast<Index>(random.integer(-reach, reach))) % rows);
      std::sort(columns.begin(), columns.end());
      return columns;
    });
  }
};
TYPED_TEST_SUITE(CcooLinesTest, CcooTypes, FormatName);

TYPED_TEST(CcooLinesTest, OfRowsAreListedOnceEach)
{
  using Scalar                         = typename TestFixture::Scalar;
  using Index                          = typename TestFixture::Index;
  constexpr ccoo::Local          width = ccoo::line_columns<Scalar>;
  const std::vector<Index>       row{0, width - 1, width, 5 * width, 5 * width + 1, 9 * width - 1}, other{width - 1, 6 * width};
  std::vector<ccoo::Local>       lines{77};
  ccoo::LineFinder<Scalar>       finder;
  const auto                     add = [&](const std::vector<Index> &r) { finder.add(r.data(), r.data() + r.size()); };
  const std::vector<ccoo::Local> both{77, 0, 1, 5, 8, 6};
  finder.begin(lines, 0, 9 * width - 1);
  add(row);
  EXPECT_EQ(finder.size(), 4U);
  add(other);
  EXPECT_EQ(lines, both);
  finder.end(5);
  finder.begin(lines, 0, 9 * width - 1); // a tile that has the same lines has them listed, too
  add(other);
  EXPECT_EQ(finder.size(), 2U);
  finder.end(0);
  EXPECT_EQ(lines, both) << "a list that is not kept leaves nothing";
}

TYPED_TEST(CcooLinesTest, AreListedWhereAMeshIsLargeAndWhereNothingIsWrongWithIt)
{
  for (const int b : {1, 3}) {
    SCOPED_TRACE(std::to_string(b) + " rows a node");
    const typename TestFixture::Problem large(TestFixture::mesh(60000, 200, b), Mode::exact);
    ASSERT_GT(csr_bytes(large.a.view()), std::size_t(kernels::tiles_ahead_bytes));
    for (const std::int64_t isa : instruction_sets<TypeParam>())
      for (const auto columns : {ColumnBits::bits8, ColumnBits::bits32}) {
        const Settings settings{
          {"isa", isa}, {tile_option, TileChoice::gather}, {columns_option, columns}, {numbering_option, Numbering::own}};
        auto format = this->build(large.a, settings);
        EXPECT_GT(bytes_of(format, {TestFixture::lines}), 0U);
        EXPECT_LE(format.footprint().total(), bytes_allowed(large.a.view()));
        EXPECT_EQ(anything_wrong(format, large), "") << describe(ccoo_options(settings));
      }
  }
}

TYPED_TEST(CcooLinesTest, AreNotListedWhereMemoryIsNotWaitedForOrEntriesDoNotShareThem)
{
  using Problem = typename TestFixture::Problem;
  const Settings settings{{tile_option, TileChoice::gather}, {numbering_option, Numbering::own}};
  const Problem  small(TestFixture::mesh(5000, 200, 1), Mode::exact), scattered(TestFixture::mesh(60000, 60000, 1), Mode::exact);
  for (const Problem *p : {&small, &scattered}) {
    auto format = this->build(p->a, settings);
    EXPECT_EQ(bytes_of(format, {TestFixture::lines}), 0U);
    EXPECT_EQ(anything_wrong(format, *p), "");
  }
}

// Of a large x, gather tiles with wide columns and chunks ask for entries by index.
TYPED_TEST(CcooLinesTest, XThatIsFarIsAskedForByIndex)
{
  using Scalar                            = typename TestFixture::Scalar;
  constexpr auto                      far = kernels::far_x_bytes / std::int64_t(sizeof(Scalar));
  const typename TestFixture::Problem problem(TestFixture::P::random(18000, far, 33, [](auto r, auto &) { return 30 + r % 21; }),
                                              Mode::exact);
  ASSERT_TRUE(kernels::x_is_far<Scalar>(problem.a.cols));
  ASSERT_GT(csr_bytes(problem.a.view()), std::size_t(kernels::tiles_ahead_bytes));
  for (const std::int64_t isa : instruction_sets<TypeParam>())
    for (const auto tile : {TileChoice::gather, TileChoice::chunk}) {
      const Settings settings{{"isa", isa}, {tile_option, tile}, {numbering_option, Numbering::own}};
      auto           format = this->build(problem.a, settings);
      EXPECT_EQ(bytes_of(format, {TestFixture::lines}), 0U);
      EXPECT_EQ(anything_wrong(format, problem), "") << describe(ccoo_options(settings));
    }
}

} // namespace
} // namespace petscspmv::test
