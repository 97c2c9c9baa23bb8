// ccoo where something ends: tiles, groups of rows, widths of columns, rows that are not long yet, nodes.

#include "ccoo_checks.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooShapesTest : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::Matrix;
  using typename CcooFixture<F>::Problem;
  using CcooFixture<F>::build;

  /// All products with every instruction set, both ways to fetch x, every kind of tile.
  static void check(const Problem &problem, const Settings &settings)
  {
    for (const std::int64_t isa : instruction_sets<F>())
      for (const auto gather : {Gathers::loads, Gathers::instruction})
        for (const auto tile : every(tile_option)) {
          Settings all = settings;
          all.insert(all.end(), {{"isa", isa}, {gather_option, gather}, {tile_option, tile}});
          auto format = build(problem.a, all);
          ASSERT_EQ(anything_wrong(format, problem), "") << describe(ccoo_options(all));
        }
  }

  /// Row r has the columns r + offset that there are.
  static Matrix band(Index rows, const std::vector<Index> &offsets)
  {
    return CcooFixture<F>::P::by_rows(rows, rows, [&](Index r) {
      std::vector<Index> columns;
      for (Index d : offsets)
        if (r + d >= 0 && r + d < rows) columns.push_back(r + d);
      return columns;
    });
  }
};
TYPED_TEST_SUITE(CcooShapesTest, CcooTypes, FormatName);

// ---------------------------------------------------------------- rows

TYPED_TEST(CcooShapesTest, RowsAroundTheEndsOfGroupsAndTiles)
{
  using Index   = typename TestFixture::Index;
  using P       = typename TestFixture::P;
  using Problem = typename TestFixture::Problem;
  for (const Index rows : {1, 7, 8, 9, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025})
    for (const bool integers : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      const Mode    mode = integers ? Mode::exact : Mode::rounded;
      const Problem band(TestFixture::band(rows, {-9, -1, 0, 1, 9}), mode);
      const Problem random(P::random(rows, 600, 21, [](Index r, auto &) { return r % 7; }), mode);
      const Problem nodes(P::blocks((rows + 2) / 3, 2, std::min<Index>(4, (rows + 2) / 3), 22, [](Index) { return 3; }), mode);
      for (const Problem *p : {&band, &random, &nodes}) this->check(*p, {});
      if (rows > 20) continue;
      for (const Problem *p : {&band, &random, &nodes}) this->check(*p, {{"rows", 8}, {"chunk", rows}});
    }
}

// A tile of diagonals whose last group is not whole, and groups that repeat up to the last one.
TYPED_TEST(CcooShapesTest, DiagonalsThatRepeatUpToTheLastGroup)
{
  for (const typename TestFixture::Index rows : {24, 31, 32, 33, 100, 520})
    for (const bool constant : {false, true}) {
      const auto band    = TestFixture::band(rows, {-1, 0, 1});
      const auto problem = problem_with(constant ? band : this->valued(band));
      this->check(problem, {});
      const auto format = this->build(problem.a, {{tile_option, TileChoice::diagonal}});
      EXPECT_EQ(counted(format, "gather tiles"), 0);
      EXPECT_EQ(counted(format, "diagonal tiles"), (rows + 511) / 512);
    }
}

// ---------------------------------------------------------------- kinds of tiles

// Rows that are nearly alike: with the same slots in each group; with other slots in each, more or fewer of them,
// though rows are equally long; and a band with holes, whose rows are not: they are masked where AVX-512 does that at
// once.
TYPED_TEST(CcooShapesTest, KindsOfTilesAreThosePredictedToBeFastest)
{
  using Index      = typename TestFixture::Index;
  using P          = typename TestFixture::P;
  bool       masks = false;
  const auto kinds = [this, &masks](const auto &a) {
    const auto format = this->build(this->valued(a), {});
    masks             = fact(format, "instruction set") == "AVX-512" && !IsComplex<typename TestFixture::Scalar>::value;
    return std::pair(counted(format, "diagonal tiles"), counted(format, "gather tiles"));
  };
  const auto rows_of_four = [](auto last) {
    return P::by_rows(2048, 2200, [last](Index r) { return std::vector{r, r + 1, r + 2, r + 40 + last(r)}; });
  };
  const std::pair<std::int64_t, std::int64_t> diagonal(4, 0), gather(0, 4), all_diagonal(48, 0), all_gather(0, 48);
  EXPECT_EQ(kinds(rows_of_four([](Index) { return Index(0); })), diagonal);
  EXPECT_EQ(kinds(rows_of_four([](Index r) { return r * 7 % (2 + r / 8 % 4) * 3; })), gather);

  const auto of_band = kinds(P::by_rows(48 * 512, 48 * 512 + 40, [](Index r) { // too large for caches
    std::vector<Index> columns;
    for (Index d = 0; d <= 40; ++d)
      if (kernels::mix(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(d)) % 10 < 8) columns.push_back(r + d);
    return columns;
  }));
  EXPECT_EQ(of_band, masks ? all_diagonal : all_gather);
}

// Row after row where each entry of x is far from the one before; but not where entries come in pairs.
TYPED_TEST(CcooShapesTest, RowsAreDoneOneByOneWhereXIsFarApart)
{
  using P              = typename TestFixture::P;
  using Index          = typename TestFixture::Index;
  constexpr Index rows = 180000;
  const auto      ways = [this](const auto &a) {
    const auto format = this->build(this->valued(a), {{numbering_option, Numbering::own}});
    return std::pair(counted(format, "gather tiles") > 0, counted(format, "chunks") > 0);
  };
  EXPECT_EQ(ways(P::regular(rows, rows, 14, 1)), std::pair(false, true));
  EXPECT_EQ(ways(P::blocks(rows, 2, 7, 1, [](Index) { return 1; })), std::pair(true, false));
}

// ---------------------------------------------------------------- columns

TYPED_TEST(CcooShapesTest, ColumnsTakeAsManyBytesAsTheirSpanNeeds)
{
  using Index = typename TestFixture::Index;
  for (const Index limit : {256, 65536})
    for (const Index span : {limit - 2, limit - 1, limit, limit + 1}) { // from the least to the most
      SCOPED_TRACE("span " + std::to_string(span));
      const auto  rows    = [span](Index r) { return std::vector<Index>({5, 6 + r * 3, 5 + span - r % 2}); };
      const auto  problem = problem_with(this->valued(TestFixture::P::by_rows(40, span + 12, rows)));
      const auto &a       = problem.a;
      this->check(problem, {});
      for (const auto tile : {TileChoice::gather, TileChoice::chunk}) {
        const auto bytes = [&](ColumnBits columns) {
          return structure_bytes(this->build(a, {{tile_option, tile}, {columns_option, columns}}));
        };
        const auto        room   = [&](std::size_t width) { return ((a.col.size() + 7) * width + 3) / 4 * 4; }; // seven are read in vain
        const std::size_t needed = span < 256 ? 1 : span < 65536 ? 2 : 4;
        EXPECT_EQ(bytes(ColumnBits::bits16) - bytes(ColumnBits::bits8), room(std::max<std::size_t>(needed, 2)) - room(needed));
        EXPECT_EQ(bytes(ColumnBits::bits32) - bytes(ColumnBits::bits16), room(4) - room(std::max<std::size_t>(needed, 2)));
      }
    }
}

// In caches, where it does not decide which tiles there are.
TYPED_TEST(CcooShapesTest, BitsOfAProductDoNotDependOnTheWidthOfColumns)
{
  for (const typename TestFixture::Index cols : {250, 3000}) { // a byte each, and two
    const typename TestFixture::Problem problem(
      TestFixture::P::random(2000, cols, 72, [](auto r, auto &random) { return r % 400 ? random.integer(0, 12) : 200; }), Mode::rounded);
    for (const std::int64_t isa : instruction_sets<TypeParam>())
      for (const auto gather : {Gathers::loads, Gathers::instruction})
        for (const auto tile : {TileChoice::gather, TileChoice::chunk}) {
          const auto product = [&](ColumnBits columns) {
            auto format = this->build(
              problem.a,
              {{"isa", isa}, {gather_option, gather}, {tile_option, tile}, {"longest", 100}, {"rows", 64}, {columns_option, columns}});
            return problem.multiply(format, problem.cases[0], 1.0, 0.0);
          };
          const auto wide = product(ColumnBits::bits32);
          ASSERT_TRUE(same_bits(wide, product(ColumnBits::bits16)))
            << "isa " << isa << ", gather " << gather_option.name(gather) << ", tile " << tile_option.name(tile);
          ASSERT_TRUE(same_bits(wide, product(ColumnBits::bits8)))
            << "isa " << isa << ", gather " << gather_option.name(gather) << ", tile " << tile_option.name(tile);
        }
  }
}

// ---------------------------------------------------------------- long rows

TYPED_TEST(CcooShapesTest, RowsLongerThanTheLimitAreChunks)
{
  using Index = typename TestFixture::Index;
  for (const Index limit : {1, 20, 300}) {
    const auto length = [limit](Index r, auto &) {
      return r == 0 ? limit : r == 20 ? limit + 1 : r == 33 || r == 34 ? 2 * limit : r == 49 ? limit + 1 : r % 2;
    };
    const typename TestFixture::Problem problem(TestFixture::P::random(50, 700, 31, length), Mode::rounded);
    const Settings                      settings{{"longest", limit}};
    this->check(problem, settings);
    EXPECT_EQ(counted(this->build(problem.a, settings), "chunks"), 4) << "limit " << limit;
  }
}

TYPED_TEST(CcooShapesTest, LongRowsAreCutInPieces)
{
  using Index = typename TestFixture::Index;
  for (const Index step : {1, 3}) { // neighbouring columns need no list
    const std::vector<Index> lengths{2, 16383, 0, 16384, 16385, 1, 32768, 32769, 3};
    const auto  row     = [&](Index r) { return TestFixture::P::range(step, step * (lengths[static_cast<std::size_t>(r)] + 1), step); };
    const auto  problem = problem_with(this->valued(TestFixture::P::by_rows(9, 3 * 40000, row)));
    const auto &a       = problem.a;
    for (const std::int64_t isa : instruction_sets<TypeParam>()) {
      auto format = this->build(a, {{"isa", isa}});
      ASSERT_EQ(anything_wrong(format, problem), "");
      // In steps of three the longest two reach the panel that begins with column 65,536, whose entries are a piece.
      EXPECT_EQ(counted(format, "chunks"), 1 + 1 + 2 + (step == 1 ? 2 + 3 : 3 + 3));
      const std::size_t columns = structure_bytes(format);
      if (step == 1) EXPECT_LT(columns, 1000U);
      else EXPECT_GT(columns, 2 * (a.col.size() - 6));
    }
  }
}

// Their parts are done in another order than the one in which they are added up.
TYPED_TEST(CcooShapesTest, LongRowsAreDonePanelByPanel)
{
  using Index           = typename TestFixture::Index;
  using P               = typename TestFixture::P;
  constexpr Index panel = 65536, cols = 3 * panel + 100;
  auto            backwards = P::range(2, cols, 9);
  std::reverse(backwards.begin(), backwards.end());
  const std::vector<typename P::Row> rows{P::range(0, cols, 7),
                                          {5},
                                          P::range(3, cols, 41),
                                          P::range(panel + 9, cols, 5),
                                          {},
                                          P::range(1, cols, 200), // no panel has enough of these for a piece
                                          backwards,
                                          {7}};
  const auto problem = problem_with(this->valued(P::by_rows(8, cols, [&](Index r) { return rows[static_cast<std::size_t>(r)]; })));
  this->check(problem, {});
  EXPECT_GE(counted(this->build(problem.a, {}, 1), "chunks"), 4 + 4 + 3 + 1);
  this->expect_same_bits_with_threads(problem, {});
}

TYPED_TEST(CcooShapesTest, ChunksOfEverySizeAndManyEmptyRows)
{
  using Index                                = typename TestFixture::Index;
  using P                                    = typename TestFixture::P;
  const auto                          length = [](Index r, auto &) { return r % 11 == 4 ? 25 : r % 5 ? 0 : r % 3; };
  const typename TestFixture::Problem gaps(P::random(300, 90, 35, length), Mode::exact);
  for (const std::int64_t chunk : {1, 2, 7, 8, 9, 24, 25, 26, 50, 64, 4096})
    for (const std::int64_t isa : instruction_sets<TypeParam>()) {
      auto format = this->build(gaps.a, {{tile_option, TileChoice::chunk}, {"chunk", chunk}, {"isa", isa}});
      ASSERT_EQ(anything_wrong(format, gaps), "") << "chunks of " << chunk;
      EXPECT_EQ(counted(format, "chunks"), (std::ssize(gaps.a.col) + chunk - 1) / chunk);
    }
  // More rows without entries than a chunk can tell of.
  for (const Index empty : {65533, 65534, 65535, 65536, 140000}) {
    auto a = P::regular(2, 9, 3, 36);
    for (Index r = 0; r < empty; ++r) a.add_row({});
    for (Index r = 0; r < 3; ++r) a.add_row({r, r + 4});
    this->check(problem_with(a, Mode::exact), {});
  }
}

// ---------------------------------------------------------------- nodes

/// Bytes of the columns alone of a matrix whose nodes are taken.
template <class Matrix> std::size_t columns_of(const Matrix &a, int node)
{
  return 4 * a.col.size() / static_cast<std::size_t>(node);
}

TYPED_TEST(CcooShapesTest, NodesKeepTheirColumnsOnce)
{
  using Index = typename TestFixture::Index;
  for (const Index b : {2, 3, 4, 5, 6})
    for (const Index n : {20, 300}) {
      SCOPED_TRACE(std::to_string(n) + " nodes of " + std::to_string(b) + " rows");
      const typename TestFixture::Problem problem(TestFixture::P::blocks(n, b, 8, 41, [b](Index) { return b; }), Mode::rounded);
      const auto                          structure = [&](std::int64_t most) {
        return structure_bytes(
                                   this->build(problem.a, {{"node", most}, {tile_option, TileChoice::gather}, {columns_option, ColumnBits::bits32}}));
      };
      this->check(problem, {});
      this->check(problem, {{"node", b}});
      this->check(problem, {{"node", b - 1}});
      const std::size_t lists = 6 * static_cast<std::size_t>(problem.a.rows); // orders and lengths at most
      EXPECT_GE(structure(b), columns_of(problem.a, static_cast<int>(b)));
      EXPECT_LE(structure(b), columns_of(problem.a, static_cast<int>(b)) + lists);
      EXPECT_LE(structure(6), columns_of(problem.a, static_cast<int>(b)) + lists) << "if the option allows for more";
      EXPECT_GE(structure(1), columns_of(problem.a, 1));
    }
}

// Single rows first: nodes do not begin where tiles do. The tile that has them goes without, and those behind it must
// not suffer.
TYPED_TEST(CcooShapesTest, NodesThatAreNotInStepWithTiles)
{
  using Index = typename TestFixture::Index;
  using P     = typename TestFixture::P;
  for (const Index b : {2, 3, 4, 6})
    for (const Index before : {1, 5, 511}) {
      SCOPED_TRACE(std::to_string(before) + " rows before nodes of " + std::to_string(b));
      auto       a     = P::random(before, 200 * b, 45, [](Index r, auto &) { return 1 + r % 6; });
      const auto nodes = P::blocks(200, b, 6, 46, [b](Index) { return b; });
      for (Index r = 0; r < nodes.rows; ++r) a.add_row(nodes.row(r));
      set_values(a, 8, false);
      this->check(problem_with(a), {{"rows", 96}});
      const auto structure = [&](std::int64_t most) {
        return static_cast<double>(structure_bytes(this->build(a, {{"node", most}, {tile_option, TileChoice::gather}, {"rows", 96}})));
      };
      EXPECT_LT(structure(6), (1.0 / static_cast<double>(b) + 0.3) * structure(1));
    }
}

// Nodes with empty rows, of lengths that vary, with long ones among them.
TYPED_TEST(CcooShapesTest, NodesOfUnevenLengths)
{
  using Index = typename TestFixture::Index;
  for (const Index b : {2, 3, 4, 6}) {
    typename TestFixture::Matrix a;
    Random<double>               random(51);
    a.cols = 400;
    for (Index k = 0; k < 200; ++k) {
      const Index n     = k % 50 == 7  ? 350
                          : k % 9 == 0 ? 0
                                       : static_cast<Index>(random.integer(1, 20)),
                  first = static_cast<Index>(random.integer(0, 49));
      for (Index i = 0; i < b; ++i) a.add_row(TestFixture::P::range(first, first + n));
    }
    set_values(a, 12, true);
    const auto problem = problem_with(a, Mode::rounded);
    for (const std::int64_t longest : {0, 20, 400}) this->check(problem, {{"longest", longest}});
  }
}

} // namespace
} // namespace petscspmv::test
