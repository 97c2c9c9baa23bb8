// Matrices that no cache holds, of which bccoo asks for values and x before it needs them.

#include "bccoo_checks.hpp"
#include "kernels/host/cache.hpp"

namespace petscspmv::test {
namespace {

/// Nodes of two unknowns, each coupled with the fifteen before and behind it and with one far away: 1.2 times as large
/// as the largest cache.
CsrMatrix<double, std::int32_t> band()
{
  constexpr std::int32_t half = 15, b = 2, row = (2 * half + 2) * b, entry_bytes = 12;
  const auto             nodes = static_cast<std::int32_t>(kernels::last_level_cache() * 6 / 5 / entry_bytes / row / b);
  auto                   a     = Patterns<double, std::int32_t>::by_rows(nodes * b, nodes * b, [nodes](std::int32_t r) {
    const std::int32_t        node = r / b;
    std::vector<std::int32_t> columns;
    const auto                add = [&](std::int32_t other) {
      for (std::int32_t j = 0; j < b; ++j) columns.push_back(other * b + j);
    };
    const std::int32_t first = std::max(node - half, 0), last = std::min(node + half, nodes - 1), far = (node + nodes / 2) % nodes;
    if (far < first) add(far);
    for (std::int32_t other = first; other <= last; ++other) add(other);
    if (far > last) add(far);
    return columns;
  });
  for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = static_cast<double>(k * 37 % 1023) - 511;
  return a;
}

class BccooFar : public ::testing::Test {
protected:
  static const CsrMatrix<double, std::int32_t> &matrix()
  {
    static const auto a = band();
    return a;
  }

  /// Rows that are wrong, with so many threads.
  static int wrong_rows(const Settings &settings, int threads = 1)
  {
    const auto         &a = matrix();
    Execution           execution;
    std::vector<double> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows), 7);
    int                 wrong = 0;
    execution.threads         = threads;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 11 % 17) - 8;
    Bccoo<double, std::int32_t> format(a.view(), bccoo_options(settings), execution);
    format.multiply(Operation::none, 1, x.data(), 0, y.data());
    for (std::int32_t r = 0; r < a.rows; ++r)
      for (std::int32_t k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) y[r] -= a.val[k] * x[a.col[k]];
    for (const double rest : y) wrong += rest != 0; // small integers: exact in any order
    return wrong;
  }
};

TEST_F(BccooFar, IsExactForSmallAndLargeBlocks)
{
  for (const auto &[h, w] :
       {std::pair(2, 2), std::pair(1, 2), std::pair(1, 1), std::pair(3, 2), std::pair(2, 4), std::pair(4, 4), std::pair(3, 3)})
    for (const std::int64_t isa : instruction_sets<Bccoo<double, std::int32_t>>()) {
      SCOPED_TRACE(testing::Message() << h << " x " << w << ", instruction set " << isa);
      EXPECT_EQ(wrong_rows({{"block_rows", h}, {"block_columns", w}, {"isa", isa}, {values_option, Coding::raw}}), 0);
    }
}

TEST_F(BccooFar, IsExactWithTilesOfAllSizesThreadsAndSlices)
{
  for (const std::int64_t tile : {4, 50, 1000})
    EXPECT_EQ(wrong_rows({{"block_rows", 2}, {"block_columns", 2}, {"tile", tile}, {values_option, Coding::raw}}, 2), 0) << tile;
  EXPECT_EQ(wrong_rows({{"block_rows", 2}, {"block_columns", 2}, {"slices", 3}, {values_option, Coding::raw}}), 0);
}

} // namespace
} // namespace petscspmv::test
