// How bccoo gets to the device and is kept up to date there: what is made on the device has the bytes of what is made
// on the host.

#include <algorithm>

#include "bccoo_images.hpp"
#include "device_problems.hpp"
#include "impls/bccoo/bccoo_device.hpp"

namespace petscspmv::test {
namespace {

template <class F> class BccooBuildOnDevice : public BccooFixture<F> {
protected:
  using typename BccooFixture<F>::Scalar;
  using typename BccooFixture<F>::Index;
  using typename BccooFixture<F>::P;
  using typename BccooFixture<F>::Matrix;
  using Named  = NamedMatrix<Scalar, Index>;
  using Host   = BlockImage<Scalar, Index>;
  using Device = std::unique_ptr<bccoo::DeviceMatrix<Scalar, Index>>;

  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }

  static Device on_device(const Matrix &a, const Settings &settings)
  {
    return bccoo::make_device_matrix(a.view(), bccoo_options(settings), Execution{MemorySpace::device, 2});
  }
  static Settings shaped(std::int64_t h, std::int64_t w, std::int64_t turn)
  {
    return {{"block_rows", h}, {"block_columns", w}, {"values", turn % 7}, {"index", turn % 4}, {"flags", turn / 2 % 4}};
  }

  /// A row that has each of its columns twice, and three times where it is a multiple of five.
  static Matrix repeated_columns()
  {
    Matrix a;
    a.cols = 400;
    for (Index r = 0; r < 300; ++r) {
      std::vector<Index> row;
      for (Index c = r; c < r + 9; c += 1 + r % 3) row.insert(row.end(), c % 5 == 0 ? 3 : 2, c);
      a.add_row(row);
    }
    return a;
  }
  static std::vector<Named> matrices()
  {
    const auto random = [](Index rows, Index cols, auto length) { return [=] { return P::random(rows, cols, 71, length); }; };
    return {
      {"nodes", [] { return BccooFixture<F>::grid(40, 3); }},
      {"rows of any length", random(1139, 931,
                                    [](Index r, auto &random) {
                                      return r == 77 ? Index(900) : r % 9 == 4 || r / 100 == 3 ? Index(0) : Index(random.integer(0, 14));
                                    })},
      {"long rows", random(200, 5000, [](Index r, auto &) { return Index(r % 50 == 7 ? 4000 : 11); })},
      {"very long rows", random(7, 40000, [](Index r, auto &) { return Index(r % 3 ? 30000 : 5); })},
      {"short rows", random(70000, 300000, [](Index r, auto &) { return Index(r % 3); })},
      {"columns that come again", [] { return repeated_columns(); }},
      {"no entries", [] { return Matrix{}; }}};
  }
};

TYPED_TEST_SUITE(BccooBuildOnDevice, BccooTypes, FormatName);

TYPED_TEST(BccooBuildOnDevice, HasTheBytesOfTheHost)
{
  std::int64_t turn = 0;
  for (const auto &named : this->matrices())
    for (const Mode mode : {Mode::rounded, Mode::exact}) {
      const typename TestFixture::Problem problem(named, mode);
      for (std::int64_t h = 1; h <= 8; ++h)
        for (const std::int64_t w : {h, 9 - h}) {
          const Settings settings = this->shaped(h, w, turn++);
          ASSERT_EQ(image_difference<typename TestFixture::Scalar>(typename TestFixture::Host(problem.a.view(), settings),
                                                                   this->on_device(problem.a, settings)->image()),
                    "")
            << named.name << ", " << describe(bccoo_options(settings));
        }
    }
}

// With columns in any order, which are put in order on the host.
TYPED_TEST(BccooBuildOnDevice, ColumnsInAnyOrder)
{
  auto a = this->grid(30, 3);
  for (typename TestFixture::Index r = 0; r < a.rows; ++r) std::reverse(a.col.begin() + a.row_ptr[r], a.col.begin() + a.row_ptr[r + 1]);
  set_values(a, 3, false);
  EXPECT_EQ(image_difference<typename TestFixture::Scalar>(typename TestFixture::Host(a.view(), {}), this->on_device(a, {})->image()), "");
}

// Each value is one of few, and another one of them in each place, so that tables keep them; one that is none of them
// is taken, too.
TYPED_TEST(BccooBuildOnDevice, ValuesInTablesAreTakenOver)
{
  using Scalar = typename TestFixture::Scalar;
  for (const bool large : {false, true}) {
    auto       a          = this->grid(60, 3);
    const auto set_values = [&](std::size_t step) {
      a.val.resize(a.col.size());
      for (std::size_t i = 0; i < a.val.size(); ++i) a.val[i] = Scalar(0.1 + 1.0 / static_cast<double>(1 + i * step % (large ? 200 : 12)));
    };
    set_values(7);
    const auto matrix = this->on_device(a, {{"values", large ? block_values_table256 : block_values_table16}});
    EXPECT_NE(fact(matrix->facts(), "tiles").find(large ? "table of 256 " : "table of 16 "), std::string::npos);
    set_values(11);
    matrix->refresh(a.view());
    EXPECT_EQ(fact(matrix->facts(), "refreshed on the device"), "1 of 1 times");
    ASSERT_EQ(block_decoding_error(typename TestFixture::Host(matrix->image()), a.view()), "");
    a.val[a.val.size() / 2] = 0.123456789;
    matrix->refresh(a.view());
    EXPECT_EQ(fact(matrix->facts(), "refreshed on the device"), "1 of 2 times");
    ASSERT_EQ(block_decoding_error(typename TestFixture::Host(matrix->image()), a.view()), "");
  }
}

} // namespace
} // namespace petscspmv::test
