// The order of rows that ccoo gives a matrix whose unknowns are numbered arbitrarily.

#include <numeric>

#include "ccoo_checks.hpp"
#include "impls/ccoo/order/renumbering.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooOrderTest : public CcooFixture<F> {
protected:
  using Base   = CcooFixture<F>;
  using Scalar = typename Base::Scalar;
  using Index  = typename Base::Index;
  using Matrix = typename Base::Matrix;
  using Rows   = std::vector<std::int32_t>;

  static constexpr const char *order = "order of rows";

  /// Points in a line of a cube, and of a square, whose vectors are no longer at hand.
  static constexpr Index points = 72, points_of_square = 400;

  /// Those of each `window` stay among themselves.
  static Rows drawn(std::int64_t n, std::int64_t window, unsigned seed)
  {
    Random<double> random(seed);
    Rows           row(static_cast<std::size_t>(n));
    std::iota(row.begin(), row.end(), 0);
    for (std::int64_t i = n; i-- > 1;)
      std::swap(row[static_cast<std::size_t>(i)], row[static_cast<std::size_t>(random.integer(i / window * window, i))]);
    return row;
  }

  /// Nodes of b rows in another order, and columns, too, if asked for; those of each `window` among themselves.
  static Matrix shuffled(const Matrix &a, Index b, bool columns, std::int64_t window = std::int64_t(1) << 40)
  {
    const Rows         node = drawn(a.rows / b, window, 17);
    std::vector<Index> place(static_cast<std::size_t>(a.cols));
    std::iota(place.begin(), place.end(), Index(0));
    for (std::size_t i = 0; columns && i < node.size(); ++i)
      for (Index e = 0; e < b; ++e) place[static_cast<std::size_t>(std::int64_t(node[i]) * b + e)] = static_cast<Index>(i) * b + e;
    return Base::P::by_rows(a.rows, a.cols, [&](Index r) {
      auto row = a.row(node[static_cast<std::size_t>(r / b)] * b + r % b);
      for (Index &c : row) c = place[static_cast<std::size_t>(c)];
      std::sort(row.begin(), row.end());
      return row;
    });
  }

  /// Both ways of shuffling, and the order that each asks for.
  static const std::vector<std::pair<Matrix, std::string>> &shuffled_stencils()
  {
    static const std::vector<std::pair<Matrix, std::string>> list{{shuffled(Base::P::stencil(points), 1, false), "columns"},
                                                                  {shuffled(Base::P::box(points_of_square, 1, 2), 1, true), "neighbours"}};
    return list;
  }
};
TYPED_TEST_SUITE(CcooOrderTest, CcooTypes, FormatName);

TYPED_TEST(CcooOrderTest, IsFoundWhereUnknownsAreNumberedAsItCame)
{
  for (const auto &[a, found] : this->shuffled_stencils()) {
    typename TestFixture::Problem problem(a, Mode::exact);
    auto                          format = this->build(problem.a, {});
    EXPECT_EQ(fact(format, this->order), found);
    EXPECT_EQ(decoding_error(format, problem.a.view()), "");
    EXPECT_LE(format.footprint().total(), bytes_allowed(problem.a.view()));
    EXPECT_EQ(format.footprint().total(), TypeParam::predicted_bytes(problem.a.view(), ccoo_options({})));
    for (const auto &c : problem.cases)
      for (const auto &[alpha, beta] : {std::pair{1.0, 0.0}, {-2.0, 1.0}, {1.0, 0.5}, {0.0, 0.5}})
        EXPECT_EQ(problem.wrong(format, c, alpha, beta), "") << found;
  }
}

TYPED_TEST(CcooOrderTest, KeepsTheMatrixSmallWhereValuesCannotBeCoded)
{
  for (auto [a, found] : this->shuffled_stencils()) {
    set_values(a, 4, false);
    const auto format = this->build(a, {});
    EXPECT_EQ(fact(format, this->order), found);
    EXPECT_LE(format.footprint().total(), bytes_allowed(a.view()));
    EXPECT_GE(format.footprint().scratch, static_cast<std::size_t>(a.rows) * sizeof(a.val[0]));
  }
}

TYPED_TEST(CcooOrderTest, IsTheRowsOwnWhereNoOtherHelps)
{
  using P           = typename TestFixture::P;
  const auto n      = TestFixture::points;
  const auto rows   = n * n * n;
  const auto banded = P::stencil(n);
  const auto random = P::regular(rows, rows, 9, 91);
  const auto small  = TestFixture::shuffled(P::stencil(20), 1, true); // x is at hand
  for (const auto *a : {&banded, &random, &small}) EXPECT_EQ(fact(this->build(*a, {}), this->order), "own");
}

// As points are that were sorted by one coordinate: a second cache has x of all neighbours, and a first one has little
// of it.
TYPED_TEST(CcooOrderTest, IsFoundWhereOnlyANearCacheIsTooSmall)
{
  constexpr auto window = static_cast<std::int64_t>((256 << 10) / sizeof(typename TestFixture::Scalar));
  const auto     a      = TestFixture::shuffled(TestFixture::P::box(TestFixture::points_of_square, 1, 2), 1, true, window);
  EXPECT_EQ(fact(this->build(a, {}), this->order), "neighbours");
}

TYPED_TEST(CcooOrderTest, CanBeAskedFor)
{
  const auto square = TestFixture::P::stencil(6), wide = TestFixture::P::random(40, 300, 92, [](auto r, auto &) { return r % 4; });
  EXPECT_EQ(fact(this->build(square, {{numbering_option, Numbering::own}}), this->order), "own");
  EXPECT_EQ(fact(this->build(square, {{numbering_option, Numbering::columns}}), this->order), "columns");
  EXPECT_EQ(fact(this->build(square, {{numbering_option, Numbering::neighbours}}), this->order), "neighbours");
  EXPECT_EQ(fact(this->build(wide, {{numbering_option, Numbering::neighbours}}), this->order), "columns")
    << "columns have no rows to go with";
}

TYPED_TEST(CcooOrderTest, KeepsNodesTogether)
{
  const auto a = this->valued(TestFixture::shuffled(TestFixture::P::blocks(600, 3, 5, 93, [](auto) { return 3; }), 3, true));
  for (const auto order : {Numbering::columns, Numbering::neighbours}) {
    const auto nodes  = this->build(a, {{numbering_option, order}, {tile_option, TileChoice::gather}});
    const auto single = this->build(a, {{numbering_option, order}, {tile_option, TileChoice::gather}, {"node", 1}});
    EXPECT_LT(2 * bytes_of(nodes, {"columns"}), bytes_of(single, {"columns"})) << "three rows share their columns";
  }
}

// 32 rows with the same columns, each 8 rows from the next one; or each one beside the next, or only two of them.
TYPED_TEST(CcooOrderTest, JoinsRowsWithTheSameColumns)
{
  using P          = typename TestFixture::P;
  using Index      = typename TestFixture::Index;
  const auto found = [this](Index apart, Index alike) {
    const auto kinds = P::regular(256 / alike, 256, 20, 94);
    const auto problem =
      problem_with(this->valued(P::by_rows(256, 256, [&](Index r) { return kinds.row(apart > 1 ? r % (256 / alike) : r / alike); })));
    auto format = this->build(problem.a, {});
    EXPECT_EQ(anything_wrong(format, problem), "");
    return fact(format, this->order);
  };
  EXPECT_EQ(found(8, 32), "columns");
  EXPECT_EQ(found(1, 32), "own");
  EXPECT_EQ(found(128, 2), "own");
}

TYPED_TEST(CcooOrderTest, GivesTheSameBitsForAnyNumberOfThreads)
{
  for (const auto &[a, found] : this->shuffled_stencils()) {
    typename TestFixture::Problem problem(a, Mode::rounded);
    auto                          one = this->build(problem.a, {}, 1), three = this->build(problem.a, {}, 3);
    for (const auto &c : problem.cases)
      EXPECT_TRUE(same_bits(problem.multiply(one, c, 0.5, -1.0), problem.multiply(three, c, 0.5, -1.0))) << found << name(c.op);
  }
}

TYPED_TEST(CcooOrderTest, StaysWhenValuesAreNew)
{
  for (const auto &[a, found] : this->shuffled_stencils()) {
    auto format = this->build(a, {});
    auto after  = a;
    for (const bool integers : {true, false}) { // as before, and none that fits any coding that there is
      set_values(after, 8, integers);
      format.refresh(after.view());
      EXPECT_EQ(fact(format, this->order), found);
      EXPECT_EQ(decoding_error(format, after.view()), "");
    }
  }
}

TYPED_TEST(CcooOrderTest, TakesNewValuesOfPiecesOfEveryKind)
{
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>()) {
    if (named.large) continue;
    for (const auto tile : every(tile_option))
      for (const auto order : {Numbering::columns, Numbering::neighbours}) {
        auto a = named.pattern();
        set_values(a, 3, true);
        auto format = this->build(a, {{numbering_option, order}, {tile_option, tile}, {"chunk", 64}}); // rows are cut in the middle
        for (const bool integers : {true, false}) {
          set_values(a, 5, integers);
          format.refresh(a.view());
          ASSERT_EQ(decoding_error(format, a.view()), "")
            << named.name << " tile " << tile_option.name(tile) << " order " << numbering_option.name(order);
        }
      }
  }
}

// ---------------------------------------------------------------- the search

TYPED_TEST(CcooOrderTest, ReachesEveryRowOnce)
{
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>()) {
    const auto a = named.pattern();
    for (const auto wanted : {Numbering::columns, Numbering::neighbours}) {
      auto row = ccoo::renumber(a.view(), wanted).row;
      ASSERT_EQ(static_cast<std::int64_t>(row.size()), a.rows) << named.name;
      std::sort(row.begin(), row.end());
      for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(row[i], static_cast<std::int32_t>(i)) << named.name;
    }
  }
}

} // namespace
} // namespace petscspmv::test
