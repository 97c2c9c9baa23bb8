// Batches, in which ccoo copies small matrices to a device, without one.

#include <algorithm>

#include "ccoo_images.hpp"

namespace petscspmv::test {
namespace {

template <class F> using CcooBatchesTest = CcooImageTest<F>;
TYPED_TEST_SUITE(CcooBatchesTest, CcooTypes, FormatName);

// Rows of any length: rows that end with them, rows of several, as long as a list takes, and so many without entries
// that a batch has no room for them.
TYPED_TEST(CcooBatchesTest, RowsOfAnyLengthInBatches)
{
  using P = typename TestFixture::P;
  using ccoo::image::Batch;
  for (const int length : {0, 1, 31, 32, 33, 128, 129, 511, 512, 513, 1023, 1024, 1025, 2048, 2049}) {
    const auto a = P::by_rows(3000, 70000, [length](auto r) { return P::range(r, r < 2000 ? r : r % 10 == 3 ? r + length : r + r % 3); });
    for (const auto columns : {ColumnBits::bits8, ColumnBits::bits32}) {
      const auto m = this->image(a, {{batches_option, When::always}, {columns_option, columns}});
      ASSERT_EQ(decoding_error(m, a.view()), "") << length;
      EXPECT_EQ(m.entries_in_batches, std::int64_t(a.view().nonzeros()));
      EXPECT_EQ(m.rows_in_parts, length > 1024 ? 100U : 0U);
      const auto is = [](Batch::Rows kind) { return [kind](const Batch &b) { return b.kind == kind; }; };
      EXPECT_EQ(std::any_of(m.batch.begin(), m.batch.end(), is(Batch::listed)), m.batch_row.size() > 0);
      EXPECT_EQ(m.batch_row.size(), length > 1024 || length < 33 ? 0U : length < 129 ? m.batch_row.size() : 100U);
      EXPECT_EQ(std::count_if(m.batch.begin(), m.batch.end(), is(Batch::part)), length > 1024 ? (100 * length + 1023) / 1024 : 0);
      EXPECT_EQ(m.batch_wide, columns == ColumnBits::bits32);
      for (const Batch &b : m.batch) EXPECT_LE(b.rows << b.lanes, b.kind == Batch::part ? 1024 : std::max<int>(b.rows, 256));
    }
  }
}

// Long rows fill their batches if there are more of these than a device works on at a time, and if columns of 16 bits
// do not ask for their own order.
TYPED_TEST(CcooBatchesTest, LongRowsFillBatches)
{
  using Index = typename TestFixture::Index;
  using P     = typename TestFixture::P;
  using ccoo::image::Batch;
  const auto length = [](Index r) { return r % 40 == 1 ? 65 + r / 40 % 64 : 2; };
  const auto far    = [&](Index rows) { return P::random(rows, 200000, 95, [&](Index r, auto &) { return length(r); }); };
  const auto near   = [&](Index rows) {
    return P::by_rows(rows, 60 * rows + 200, [&](Index r) { return P::range(60 * r, 60 * r + length(r)); });
  };
  constexpr Index few = 30000, many = 250000;
  for (const auto &[a, fills] : {std::pair<typename TestFixture::Matrix, bool>(far(few), false), {far(many), true}, {near(many), false}}) {
    const auto m = this->image(a, {{batches_option, When::always}, {columns_option, ColumnBits::bits8}});
    ASSERT_EQ(decoding_error(m, a.view()), "");
    EXPECT_EQ(m.batch_row.size(), static_cast<std::size_t>(a.rows / 40));
    EXPECT_EQ(std::is_sorted(m.batch_row.begin(), m.batch_row.end()), !fills);
    std::size_t listed = 0, entries = 0;
    for (const Batch &b : m.batch) {
      listed += b.kind == Batch::listed;
      EXPECT_TRUE(b.kind != Batch::listed || b.rows <= (fills ? 15 : 8)) << b.rows;
      EXPECT_LE(b.rows << b.lanes, std::max<int>(b.rows, 256));
    }
    for (const auto r : m.batch_row) entries += static_cast<std::size_t>(a.row_ptr[r + 1] - a.row_ptr[r]);
    EXPECT_EQ(listed * 1024 * 95 / 100 <= entries, fills) << listed;
  }
}

// All rows are written by somebody, once.
TYPED_TEST(CcooBatchesTest, EachRowIsInOneBatch)
{
  using ccoo::image::Batch;
  const auto       a = TestFixture::P::random(20000, 30000, 91, [](auto r, auto &) { return r % 999 == 5 ? 700 * (r % 4) : r % 5; });
  const auto       m = this->image(a, {{batches_option, When::always}});
  std::vector<int> written(20000);
  for (const Batch &b : m.batch)
    for (int k = 0; k < (b.kind == Batch::part ? b.rows > 0 : b.rows); ++k) {
      if (b.kind == Batch::in_order &&
          (m.batch_end[std::size_t(b.end) * Batch::end_grain + static_cast<std::size_t>(k) + 1] & Batch::elsewhere))
        continue;
      ++written[static_cast<std::size_t>(
        b.kind == Batch::listed ? m.batch_row[static_cast<std::size_t>(b.row) + static_cast<std::size_t>(k)] : b.row + k)];
    }
  EXPECT_EQ(std::count(written.begin(), written.end(), 1), 20000);
}

// Small ones that do not become much larger, unless another kind of tile is asked for.
TYPED_TEST(CcooBatchesTest, SmallMatricesAreInBatches)
{
  using Index            = typename TestFixture::Index;
  using P                = typename TestFixture::P;
  const auto has_batches = [](typename TestFixture::Matrix a, const Settings &settings = {}) {
    set_values(a, 1, false);
    const auto  m     = TestFixture::image(a, settings);
    std::size_t bytes = 0;
    ccoo::image::for_each_array([&bytes](const char *, const auto &array) { bytes += array.size() * sizeof(*array.data()); }, m);
    EXPECT_LE(bytes, bytes_allowed(a.view()));
    return !m.batch.empty();
  };
  const auto random = [](Index rows, Index n) { return P::random(rows, 50000, 92, [n](Index, auto &) { return n; }); };
  EXPECT_TRUE(has_batches(random(20000, 10)));
  EXPECT_TRUE(has_batches(random(3, 10)));
  EXPECT_FALSE(has_batches(random(20000, 10), as_if_large()));
  EXPECT_FALSE(has_batches(random(20000, 10), {{tile_option, TileChoice::chunk}}));
  EXPECT_FALSE(has_batches(random(110000, 20)));
  EXPECT_TRUE(has_batches(random(127, 3000)));
  EXPECT_FALSE(has_batches(random(128, 3000))); // each asks for somebody who waits
  EXPECT_TRUE(has_batches(random(127, 1100)));  // two of them share a batch
  EXPECT_TRUE(has_batches(P::random(53000, 150000, 96, [](Index r, auto &) {
    return r % 420 == 8 ? 1500 : r % 40 == 1 ? 100 + r % 800 : 5;
  }))); // filled up
  const auto asked = [&](Index rows, Index n) {
    return ccoo::image::batched_image(random(rows, n).view(), ccoo_options({}), 2, 1000).has_value();
  };
  EXPECT_TRUE(asked(128, 3000)); // there is room
  EXPECT_TRUE(asked(680, 3000));
  EXPECT_FALSE(asked(700, 3000)); // hot columns are faster
  EXPECT_FALSE(has_batches(P::random(2000000, 500, 93, [](Index r, auto &) { return r % 50000 == 7; })));
  EXPECT_FALSE(has_batches(random(60000, 10))); // chunks are as fast
  EXPECT_TRUE(has_batches(P::stencil(45)));
  EXPECT_TRUE(has_batches(P::random(60000, 50000, 94, [](Index r, auto &) { return r % 50 == 7 ? 300 : 6; })));
}

} // namespace
} // namespace petscspmv::test
