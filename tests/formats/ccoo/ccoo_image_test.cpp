// What ccoo copies to a device, without one: every entry comes back from it as it was given.

#include <algorithm>
#include <numeric>

#include "ccoo_images.hpp"
#include "impls/ccoo/device/node/node_image.hpp"

namespace petscspmv::test {
namespace {

TYPED_TEST_SUITE(CcooImageTest, CcooTypes, FormatName);

TYPED_TEST(CcooImageTest, EveryEntryComesBack)
{
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>())
    for (Mode mode : {Mode::rounded, Mode::exact}) {
      if (named.fixed_values && mode == Mode::exact) continue;
      const typename TestFixture::Problem problem(named, mode);
      for (const auto tile : {TileChoice::automatic, TileChoice::diagonal, TileChoice::chunk})
        for (const auto values : every(values_option))
          for (const auto columns : {ColumnBits::bits8, ColumnBits::bits32}) {
            if (named.large && (values > std::nullopt || columns != ColumnBits::bits8)) continue;
            Settings settings{{tile_option, tile}, {values_option, values}, {columns_option, columns}, {batches_option, When::automatic}};
            for (const auto batches : {When::never, When::always}) {
              if (batches == When::always && tile != TileChoice::automatic) continue;
              settings.back() = {batches_option, batches};
              ASSERT_EQ(decoding_error(this->image(problem.a, settings), problem.a.view()), "")
                << named.name << ", " << describe(ccoo_options(settings));
            }
          }
    }
}

// Rows that end where chunks and lanes do, rows over several chunks, and rows without entries between, before and after
// them.
TYPED_TEST(CcooImageTest, RowsOfAnyLengthInChunks)
{
  using P = typename TestFixture::P;
  for (const int length : {1, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1024, 1537}) {
    const auto a = P::by_rows(100, 3000, [length](auto r) { return P::range(r, r % 7 == 3 ? r : r + length); });
    ASSERT_EQ(decoding_error(this->image(a, {{tile_option, TileChoice::chunk}}), a.view()), "") << length;
  }
}

// Three diagonals: sizes around those of groups, units and tiles.
TYPED_TEST(CcooImageTest, UnitsAndTilesEndAnywhere)
{
  using P     = typename TestFixture::P;
  using Index = typename TestFixture::Index;
  for (const Index rows : {1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1025}) {
    const auto a = P::by_rows(rows, rows, [rows](Index r) { return P::range(std::max<Index>(r - 1, 0), std::min<Index>(r + 2, rows)); });
    const auto image = this->image(a, {{tile_option, TileChoice::diagonal}});
    ASSERT_EQ(decoding_error(image, a.view()), "") << rows;
    EXPECT_EQ(image.entries_in_units, std::int64_t(a.view().nonzeros()));
    EXPECT_EQ(image.unit.size(), static_cast<std::size_t>((rows + 127) / 128));
  }
}

// Which take longer to look up than to read: where they are asked for, too, and for numbers of sixteen bytes.
TYPED_TEST(CcooImageTest, TablesHaveSixteenValuesAtMost)
{
  auto a = TestFixture::P::random(3000, 3000, 84, [](auto r, auto &) { return 10 + r % 9; });
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = typename TestFixture::Scalar(0.1 * static_cast<double>(1 + k * k % 199));
  for (const auto values : Codings{std::nullopt, Coding::table256, Coding::table65536})
    for (const auto batches : {When::never, When::always}) {
      const auto m = this->image(a, {{tile_option, TileChoice::chunk}, {values_option, values}, {batches_option, batches}});
      ASSERT_EQ(decoding_error(m, a.view()), "") << values_option.name(values);
      EXPECT_TRUE(m.table.empty() && m.batch_table.empty()) << values_option.name(values);
    }
}

// Values of slots that have one are with these, those of the others are not.
TYPED_TEST(CcooImageTest, SomeSlotsHaveOneValueAndOthersMany)
{
  using Index = typename TestFixture::Index;
  for (const Index entries : {7, 32, 33})
    for (const bool holes : {false, true}) {
      const auto a = some_constant_diagonals<typename TestFixture::Scalar, Index>(1283, entries, holes);
      const auto m = this->image(a, {{tile_option, TileChoice::diagonal}});
      ASSERT_EQ(decoding_error(m, a.view()), "") << entries;
      const bool mixed =
        std::any_of(m.pattern.begin(), m.pattern.end(), [](const auto &p) { return p.first_value == ccoo::image::Pattern::mixed; });
      EXPECT_EQ(mixed, entries + holes <= ccoo::most_mixed_slots);
      EXPECT_LE(m.unit_value.size(), mixed ? 2 * 1283 + 32 * m.unit.size() : a.col.size() + 32 * m.unit.size());
    }
}

// A unit that slides is in one job, and the others come first.
TYPED_TEST(CcooImageTest, StencilsSlideFromPlaneToPlane)
{
  using Scalar = typename TestFixture::Scalar;
  for (int n : {5, 13, 20}) {
    auto a = TestFixture::P::stencil(n);
    std::fill(a.val.begin(), a.val.end(), Scalar(-1));
    const auto always = this->image(a, {{tile_option, TileChoice::diagonal}, {slide_option, When::always}}),
               never  = this->image(a, {{tile_option, TileChoice::diagonal}, {slide_option, When::never}});
    EXPECT_EQ(never.plain_units, never.unit.size());
    ASSERT_EQ(decoding_error(always, a.view()), "") << n;
    if (IsComplex<Scalar>::value) { // real numbers only
      EXPECT_EQ(always.plain_units, always.unit.size());
      continue;
    }
    EXPECT_EQ(always.stride, n * n);
    std::int64_t sliding = 0;
    for (const auto &job : always.slide) {
      sliding += job.planes * ((std::min(job.rows, 4 * 128) + 127) / 128);
      EXPECT_TRUE(job.row >= n * n && job.row + (job.planes - 1) * n * n + job.rows <= n * n * (n - 1));
    }
    EXPECT_EQ(sliding, std::int64_t(always.unit.size() - always.plain_units));
    EXPECT_EQ(sliding, (n - 2) * ((n * n + 127) / 128));
  }
}

// Those of several unknowns, too, whose chains and singles are more than there are registers for.
TYPED_TEST(CcooImageTest, StencilsOfSeveralUnknownsSlide)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  if (IsComplex<Scalar>::value) return; // real numbers only
  for (const Index b : {2, 3})
    for (const bool open : {false, true}) {
      constexpr Index n      = 7;
      const auto      a      = constant_nodes<Scalar, Index>(n, b, open);
      const auto      always = this->image(a, {{tile_option, TileChoice::diagonal}, {slide_option, When::always}});
      ASSERT_EQ(decoding_error(always, a.view()), "") << b;
      EXPECT_EQ(always.stride, n * n * b);
      const int offsets = 3 * (4 * b - 1), broken = open ? static_cast<int>(b) : 0; // in a plane
      EXPECT_EQ(always.slide_shape.chains, offsets - broken);
      EXPECT_EQ(always.slide_shape.singles, 3 * broken);
      EXPECT_EQ(always.unit.size() - always.plain_units, std::size_t((n - 2) * ((n * n * b + 127) / 128)));
    }
}

/// How many rows of `a` from `first` to `end` are not like the row before: columns from the diagonal, and values.
template <class Scalar, class Index> std::uint32_t stretches(const CsrMatrix<Scalar, Index> &a, Index first, Index end)
{
  const auto row = [&a](Index r) {
    std::vector<std::pair<Index, Scalar>> entries;
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) entries.emplace_back(a.col[k] - r, a.val[k]);
    return entries;
  };
  std::uint32_t n = 1;
  for (Index r = first + 1; r < end; ++r) n += row(r) != row(r - 1);
  return n;
}

// Where most rows of a unit are like the row before, values are kept once for each stretch of such rows.
TYPED_TEST(CcooImageTest, RowsShareValues)
{
  using Index  = typename TestFixture::Index;
  using Scalar = typename TestFixture::Scalar;
  auto       a = rows_of_few_kinds<Scalar, Index>(40003);
  const auto m = this->image(a, as_if_large({{tile_option, TileChoice::diagonal}}));
  ASSERT_EQ(decoding_error(m, a.view()), "");
  EXPECT_GT(m.shared.size(), m.unit.size() * 9 / 10);
  EXPECT_LT(m.unit_value.size(), a.col.size() / 4);
  for (const auto &u : m.unit)
    if (shares_values(u)) { EXPECT_EQ(m.shared[number_of_shared(u)].stretches, (stretches<Scalar, Index>(a, u.row, u.end))) << u.row; }
  for (auto &v : a.val) v *= 1.0 + 1e-9 * static_cast<double>(&v - a.val.data()); // no two are the same
  const auto random = this->image(a, as_if_large({{tile_option, TileChoice::diagonal}}));
  EXPECT_TRUE(random.shared.empty());
  ASSERT_EQ(decoding_error(random, a.view()), "");
}

// Stretches of any length, which begin at any lane and end with a unit of any size; rows of no entries, of other slots
// with the same values, and of columns that occur twice.
TYPED_TEST(CcooImageTest, StretchesBeginAnywhere)
{
  using Index = typename TestFixture::Index;
  for (const Index length : {9, 31, 32, 33, 64, 127, 128})
    for (const Index rows : {33, 127, 128, 129, 1001}) {
      auto a = TestFixture::P::by_rows(rows, rows + 20, [length](Index r) {
        const std::vector<std::vector<Index>> kinds{
          {r, r + 7, r + 8, r + 9}, {r + 7, r + 8, r + 9}, {r, r + 7, r + 8}, {}, {r + 7, r + 7, r + 9, r + 9}};
        return kinds[static_cast<std::size_t>(r / length % 5)];
      });
      for (auto [r, c, v] : a.entries()) {
        const Index stretch = r / length;
        v                   = 0.1 * static_cast<double>(1 + (&v - a.val.data()) - a.row_ptr[r] + 7 * stretch);
      }
      const auto m = this->image(a, as_if_large({{tile_option, TileChoice::diagonal}}));
      ASSERT_EQ(decoding_error(m, a.view()), "") << length << ", " << rows;
      EXPECT_TRUE(rows < 1001 || length > 33 || !m.shared.empty()) << length;
    }
}

/// Whether an order has each chunk once.
bool has_each_once(std::vector<std::uint32_t> order, std::size_t chunks)
{
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> all(chunks);
  std::iota(all.begin(), all.end(), 0U);
  return order == all;
}

// A multiprocessor takes chunks that follow each other where these have columns in common; each is taken once.
TYPED_TEST(CcooImageTest, ChunksInTheOrderOfColumns)
{
  const auto a = wide_band<typename TestFixture::Scalar, typename TestFixture::Index>(70001);
  const auto m = this->image(a, as_if_large());
  ASSERT_EQ(decoding_error(m, a.view()), "");
  EXPECT_TRUE(m.consecutive);
  EXPECT_FALSE(std::is_sorted(m.chunk_order.begin(), m.chunk_order.end()));
  EXPECT_TRUE(has_each_once(m.chunk_order, m.chunk.size()));
  EXPECT_FALSE(this->image(TestFixture::P::regular(9000, 9000000, 32, 87), {}).consecutive);
}

// Those are known by their places in a list, and complex matrices have none. Chunks within one row have them, too, and
// those with many rows are multiplied first.
TYPED_TEST(CcooImageTest, HotColumns)
{
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Problem problem(graph_with_hot_columns<Scalar, typename TestFixture::Index>(300000), Mode::rounded);
  const auto                          m = this->image(problem.a, as_if_large());
  EXPECT_EQ(m.hot.empty(), IsComplex<Scalar>::value);
  EXPECT_TRUE(std::is_sorted(m.hot.begin(), m.hot.end()));
  ASSERT_EQ(decoding_error(m, problem.a.view()), "");
  const auto has_32_bits = [](const ccoo::image::Chunk &c) { return c.wide || !c.scattered_lanes; };
  EXPECT_EQ(std::all_of(m.chunk.begin(), m.chunk.end(), has_32_bits), !m.hot.empty());
  if (m.hot.empty()) return;
  EXPECT_TRUE(has_each_once(m.chunk_order, m.chunk.size()));
  std::size_t first = 0, first_by_number = 0; // rows of half of the chunks
  for (std::size_t k = 0; k < m.chunk.size() / 2; ++k) {
    first += m.chunk[m.chunk_order[k]].segments;
    first_by_number += m.chunk[k].segments;
  }
  EXPECT_GT(first, first_by_number * 11 / 10);
}

// Nodes of different lengths: all are there, and short units come last. Of many units the first ones stay where they
// are.
TYPED_TEST(CcooImageTest, ShortNodesComeLast)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  using ccoo::image::NodeDraft;
  const auto nodes = [] {
    Random<Scalar>           random(5);
    CsrMatrix<Scalar, Index> a;
    a.cols = 900;
    for (Index node = 0; node < 2000; ++node) {
      const auto length = static_cast<Index>(3 * random.integer(3, 20)), first = static_cast<Index>(3 * random.integer(0, 250));
      for (int r = 0; r < 3; ++r) a.add_row(Patterns<Scalar, Index>::range(first, first + length));
    }
    return a;
  };
  const typename TestFixture::Problem problem(nodes(), Mode::rounded);
  const auto                          m = this->image(problem.a, as_if_large());
  ASSERT_EQ(decoding_error(m, problem.a.view()), "");
  ASSERT_EQ(m.entries_in_nodes, problem.a.view().nonzeros());
  const auto steps_of = [&m](std::size_t unit) { return m.node_lane[unit * ccoo::image::lanes].steps; };
  for (std::size_t i = 1; i < m.node.size(); ++i) EXPECT_LE(steps_of(i), steps_of(i - 1));

  std::vector<NodeDraft> units(ccoo::tuning::device_last_nodes + 100);
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i].unit.row      = static_cast<ccoo::Local>(i);
    units[i].lane[0].steps = static_cast<std::uint16_t>(i % 7);
  }
  put_short_ones_last(std::span(units));
  const auto comes_before = [](const NodeDraft &p, const NodeDraft &q) {
    return p.longest() > q.longest() || (p.longest() == q.longest() && p.unit.row < q.unit.row);
  };
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(units[i].unit.row, static_cast<ccoo::Local>(i));
  for (std::size_t i = 101; i < units.size(); ++i) ASSERT_TRUE(comes_before(units[i - 1], units[i])) << i;
}

// Twelve are more than the runtime was started with.
TYPED_TEST(CcooImageTest, IsTheSameForAnyNumberOfThreads)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  using P      = typename TestFixture::P;
  using Rng    = Random<Scalar>;
  const std::vector<NamedMatrix<Scalar, Index>> matrices{
    {"rows of few kinds", [] { return rows_of_few_kinds<Scalar, Index>(40003); }, true},
    {"stencil", [] { return P::stencil(34); }},
    {"nodes", [] { return P::blocks(9000, 3, 9, 81, [](Index) { return Index(3); }); }},
    {"power law", [] { return P::random(40000, 40000, 82, [](Index r, Rng &) { return r % 9973 == 5 ? Index(20000) : r % 23; }); }}};
  for (const auto &named : matrices) {
    const typename TestFixture::Problem problem(named, Mode::rounded);
    for (const auto batches : {When::never, When::always}) {
      const Settings settings{{batches_option, batches}};
      const auto     one = this->image(problem.a, settings, 1);
      for (int threads : {3, 12}) EXPECT_EQ(image_difference(one, this->image(problem.a, settings, threads)), "") << named.name;
    }
  }
}

} // namespace
} // namespace petscspmv::test
