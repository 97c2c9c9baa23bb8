// Which way through a matrix on the host is chosen, where x comes from memory.

#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/host/cache.hpp"
#include "impls/csr/csr_order.hpp"
#include "impls/csr/csr_tuning.hpp"
#include "support/matrices.hpp"

namespace petscspmv::test {
namespace {

using Matrix = CsrMatrix<double, std::int32_t>;
using P      = Patterns<double, std::int32_t>;
using csr::Order;

/// Scattered entries for which no cache has room, `length` to a row.
Matrix scattered(std::int32_t cols, std::int32_t length)
{
  const auto rows = static_cast<std::int32_t>(kernels::csr_afar_bytes / 12 / length + 1);
  return P::random(rows, cols, 81, [length](std::int32_t, auto &) { return length; });
}

Order chosen(const Matrix &a)
{
  return csr::choose_order(a.view(), {});
}

TEST(Order, AsksForXBesideGathersOnlyWhereItIsFar)
{
  const auto far = static_cast<std::int32_t>(kernels::far_x_bytes / std::int64_t(sizeof(double)));
  EXPECT_EQ(chosen(scattered(far, 20)), Order::rows_x);
  EXPECT_EQ(chosen(scattered(far - 1, 20)), Order::rows_gather);
}

TEST(Order, AsksForXOfTilesHoweverFarItIs)
{
  const auto far = static_cast<std::int32_t>(kernels::far_x_bytes / std::int64_t(sizeof(double)));
  for (const std::int32_t cols : {far / 4, far}) EXPECT_EQ(chosen(scattered(cols, 5)), Order::tiles_x);
  EXPECT_EQ(csr::access_of(Order::tiles_x), kernels::Access::far) << "long rows in tiles, too";
}

} // namespace
} // namespace petscspmv::test
