// A matrix whose arrays go to the device for set-ups.

#include <cstdint>
#include <vector>

#include "core/device_copy.hpp"
#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

class DeviceCopyTest : public OnDeviceOnly { };

/// Some rows have no diagonal entry; large enough for several threads to send it.
CsrMatrix<double, std::int32_t> some_diagonal(std::int32_t rows)
{
  return Patterns<double, std::int32_t>::by_rows(rows, rows + 1, [rows](std::int32_t r) {
    std::vector<std::int32_t> row;
    for (std::int32_t c = r % 3; c < 12; ++c) row.push_back((r + c) % (rows + 1));
    return row;
  });
}

TEST_F(DeviceCopyTest, HasTheArraysAndTheDiagonal)
{
  for (const std::int32_t rows : {1, 100, 200000}) {
    auto a = some_diagonal(rows);
    set_values(a, 1, false);
    const auto           copy = make_device_copy(a.view(), 4);
    DeviceVector<double> diagonal(static_cast<std::size_t>(rows));
    for (const double factor : {1.0, 3.0}) {
      if (factor != 1) {
        a = scaled(a, factor);
        copy->refresh(a.val.data());
      }
      const auto there = copy->shown(a.view());
      EXPECT_EQ(runtime::from_device(there.device_row_ptr, a.row_ptr.size()), a.row_ptr);
      EXPECT_EQ(runtime::from_device(there.device_col, a.col.size()), a.col);
      EXPECT_EQ(runtime::from_device(there.val, a.val.size()), a.val);
      std::vector<double> expected(static_cast<std::size_t>(rows), 0.0);
      for (std::int32_t r = 0; r < rows; ++r)
        for (std::int32_t e = a.row_ptr[r + 1]; e-- > a.row_ptr[r];)
          if (a.col[e] == r) expected[r] = a.val[e];
      copy->diagonal(diagonal.data());
      EXPECT_EQ(diagonal.get(), expected);
    }
    EXPECT_EQ(copy->bytes(), a.row_ptr.size() * sizeof(std::int32_t) + a.col.size() * (sizeof(std::int32_t) + sizeof(double)));
  }
}

} // namespace
} // namespace petscspmv::test
