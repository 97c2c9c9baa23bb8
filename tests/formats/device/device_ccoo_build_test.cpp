// How ccoo gets to the device and is kept up to date there: what is made on the device has the bytes of what is made on
// the host.

#include "formats/ccoo/ccoo_images.hpp"
#include "device_problems.hpp"
#include "impls/ccoo/device/matrix.hpp"
#include "support/rounded.hpp"

namespace petscspmv::test {
namespace {

/// What is on the device, copied back.
template <class Scalar, class Index> auto image_of(const Format<Scalar, Index> &format)
{
  return dynamic_cast<const ccoo::DeviceMatrix<Scalar, Index> &>(format).image();
}

template <class F> class CcooBuildOnDevice : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Scalar;
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::P;
  using typename CcooFixture<F>::Matrix;
  using Named  = NamedMatrix<Scalar, Index>;
  using Image  = ImageOf<Scalar, Index>;
  using Device = FormatPtr<Scalar, Index>;

  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }

  static Device on_device(const Matrix &a, const OptionValues &options)
  {
    return ccoo::on_device(a.view(), options, Execution{MemorySpace::device, 2});
  }
  static Device      on_device(const Matrix &a, const Settings &settings) { return on_device(a, ccoo_options(settings)); }
  static std::string fact(const Device &m, std::string_view name) { return test::fact(m->facts(), name); }

  /// Every kind of piece, and matrices of several kinds.
  static std::vector<Named> matrices()
  {
    const auto         random = [](Index rows, Index cols, auto length) { return [=] { return P::random(rows, cols, 71, length); }; };
    std::vector<Named> list{
      {"7-point stencil", [] { return P::stencil(20); }},
      {"constant stencil", [] { return constant_stencil<Scalar, Index>(20); }, true},
      {"periodic values", [] { return periodic_diagonals<Scalar, Index>(128 * 30 + 5); }, true},
      {"some constant diagonals", [] { return some_constant_diagonals<Scalar, Index>(5003, 7, false); }, true},
      {"some constant diagonals with holes", [] { return some_constant_diagonals<Scalar, Index>(5003, 7, true); }, true},
      {"rows of few kinds", [] { return rows_of_few_kinds<Scalar, Index>(40003); }, true},
      {"hot columns", [] { return graph_with_hot_columns<Scalar, Index>(300000); }, false, true},
      {"long rows", random(200000, 200000, [](Index r, auto &) { return Index(r % 10000 == 4567 ? 5000 : 6); }), false, true},
      {"gaps between rows", random(30000, 500, [](Index r, auto &) { return Index(r % 40009 == 5 ? 1
                                                                                  : r % 3        ? 0
                                                                                                 : r % 5); })},
      {"few rows", random(20, 40000, [](Index r, auto &) { return Index(r % 4 ? 200 * r : 5000); })},
      {"no entries", [] { return Matrix{}; }}};
    for (const Index b : {2, 3, 6})
      for (const bool blocked : {true, false})
        list.push_back(
          {"nodes of " + std::to_string(b) + (blocked ? ", blocked" : ""), [=] { return nodes_of<Scalar>(b, blocked, false); }});
    return list;
  }

  static std::vector<Settings> settings(const Named &named)
  {
    std::vector<Settings> list{as_if_large()};
    if (named.large) return list;
    for (const Settings &s :
         {Settings{{slide_option, When::always}}, Settings{{tile_option, TileChoice::diagonal}}, Settings{{tile_option, TileChoice::chunk}},
          Settings{{values_option, Coding::table16}}, Settings{{values_option, Coding::single}},
          Settings{{tile_option, TileChoice::chunk}, {columns_option, ColumnBits::bits32}}})
      list.push_back(as_if_large(s));
    for (const auto values : Codings{std::nullopt, Coding::table16, Coding::single, Coding::raw})
      list.push_back({{batches_option, When::always},
                      {values_option, values},
                      {columns_option, petscspmv::number_of(values) % 2 ? ColumnBits::bits8 : ColumnBits::bits32}});
    return list;
  }
};

TYPED_TEST_SUITE(CcooBuildOnDevice, CcooTypes, FormatName);

TYPED_TEST(CcooBuildOnDevice, HasTheBytesOfTheHost)
{
  for (const auto &named : this->matrices())
    for (const Mode mode : {Mode::rounded, Mode::exact}) {
      const typename TestFixture::Problem problem(named, mode);
      for (const Settings &settings : this->settings(named)) {
        if (mode == Mode::exact && settings.size() > 1) continue;
        const auto host = host_image(problem.a.view(), ccoo_options(settings));
        ASSERT_EQ(image_difference<typename TestFixture::Scalar>(host, image_of(*this->on_device(problem.a, settings))), "")
          << named.name << ", " << describe(ccoo_options(settings));
      }
    }
}

// Values that are as different and as alike as they were, from the host and from the device itself, whatever the kind
// of piece.
TYPED_TEST(CcooBuildOnDevice, NewValuesAreTakenOver)
{
  for (const auto &named : this->matrices()) {
    const typename TestFixture::Problem problem(named, Mode::rounded);
    if (problem.a.col.empty()) continue;
    for (const Settings &settings : this->settings(named)) {
      SCOPED_TRACE(named.name + ", " + describe(ccoo_options(settings)));
      const auto matrix = this->on_device(problem.a, settings);
      for (const bool from_device : {false, true}) {
        const auto now = scaled(problem.a, from_device ? -0.5 : 2); // no new digits: what was exact in fp32 still is
        const DeviceVector<typename TestFixture::Scalar> there(now.val);
        auto                                             view = now.view();
        if (from_device) view.val = there.data();
        matrix->refresh(view);
        ASSERT_EQ(decoding_error(typename TestFixture::Image(image_of(*matrix)), now.view()), "");
      }
      EXPECT_EQ(this->fact(matrix, "refreshed on the device"), "2 of 2 times");
    }
  }
}

// Where a matrix may lose bits: the bytes of the host's, products of the rounded matrix, and new values are rounded
// anew. One that has no float is kept.
TYPED_TEST(CcooBuildOnDevice, RoundsWhereItMay)
{
  using P            = typename TestFixture::P;
  using Scalar       = typename TestFixture::Scalar;
  using Index        = typename TestFixture::Index;
  const auto decoded = [](const auto &image, auto to) { // the entries of a row come in their order
    auto next = to.row_ptr;
    image.decode([&](auto row, auto, Scalar value) { to.val[static_cast<std::size_t>(next[row]++)] = value; });
    return to;
  };
  for (auto a :
       {P::random(3001, 3000, 84, [](auto r, auto &) { return 10 + r % 9; }), P::stencil(20), nodes_of<Scalar, Index>(2, true, false),
        nodes_of<Scalar, Index>(3, false, false), some_constant_diagonals<Scalar, Index>(5003, 7, true)}) {
    if (a.rows != 5003) set_values(a, 5, false);
    for (const Settings &settings : {Settings{{tile_option, TileChoice::chunk}}, Settings{{batches_option, When::always}}, as_if_large()}) {
      auto options = ccoo_options(settings);
      options.set(precision_option, Precision::single);
      SCOPED_TRACE(describe(options));
      OnDevice<TypeParam> format(a.view(), options, Execution{MemorySpace::device, 2});
      EXPECT_EQ(image_difference<Scalar>(host_image(a.view(), options), image_of(*this->on_device(a, options))), "");
      for (const double factor : {1.0, -2.0}) {
        const auto now = scaled(a, factor), near = decoded(host_image(now.view(), options), now);
        if (factor != 1) format.format().refresh(now.view());
        ASSERT_EQ(decoding_error(format.format(), near.view()), "");
        const auto right = problem_with(near);
        for (const auto &c : right.cases) ASSERT_EQ(right.wrong(format, c, 0.5, -1.0), "");
      }
      auto beyond       = a;
      beyond.val.back() = 1e-60;
      format.format().refresh(beyond.view());
      ASSERT_EQ(decoding_error(format.format(), decoded(host_image(beyond.view(), options), beyond).view()), "");
    }
  }
}

// One value that does not fit, wherever it is.
TYPED_TEST(CcooBuildOnDevice, WhatDoesNotFitIsMadeAnew)
{
  for (const auto &named : this->matrices()) {
    const typename TestFixture::Problem problem(named, Mode::rounded);
    if (problem.a.col.empty()) continue;
    for (const auto batches : {When::never, When::always}) {
      const auto matrix = this->on_device(problem.a, {{batches_option, batches}});
      for (const std::size_t at : {std::size_t(0), problem.a.col.size() / 3, problem.a.col.size() - 1}) {
        auto now    = problem.a;
        now.val[at] = typename TestFixture::Scalar(0.123456789);
        matrix->refresh(now.view());
        ASSERT_EQ(decoding_error(typename TestFixture::Image(image_of(*matrix)), now.view()), "") << named.name << ", entry " << at;
      }
    }
  }
}

/// All memory that the device has left, but for so many bytes.
class OtherMemory {
public:
  explicit OtherMemory(std::size_t left)
  {
    check(cudaMalloc(&left_, left));
    for (std::size_t size = std::size_t(1) << 36; size >= (1 << 20); size /= 2)
      for (void *p; cudaMalloc(&p, size) == cudaSuccess;) taken_.push_back(p);
    static_cast<void>(cudaGetLastError());
    check(cudaFree(left_));
  }
  ~OtherMemory()
  {
    for (void *p : taken_) static_cast<void>(cudaFree(p));
  }
  OtherMemory(const OtherMemory &)            = delete;
  OtherMemory &operator=(const OtherMemory &) = delete;

private:
  void               *left_ = nullptr;
  std::vector<void *> taken_;
};

// A matrix of 70 MiB as it is kept: with less room it is refused, with a little more it is made on the host, with room
// for its rows, too, on the device.
TEST(CcooInLittleMemory, IsMadeWhereverThereIsRoom)
{
  using P = Patterns<double, std::int32_t>;
  if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  const Problem<double, std::int32_t> problem(P::regular(600000, 600000, 10, 5), Mode::rounded);
  const auto build = [&] { return ccoo::on_device(problem.a.view(), ccoo_options({}), Execution{MemorySpace::device, 2}); };
  const auto host  = host_image(problem.a.view(), ccoo_options({}));
  for (const std::size_t left : {32, 100, 200}) {
    const OtherMemory others(left << 20);
    if (left == 32) {
      EXPECT_THROW(build(), FormatError);
      continue;
    }
    const auto matrix = build();
    EXPECT_EQ(image_difference<double>(host, image_of(*matrix)), "") << left;
    const auto now = scaled(problem.a, 2);
    matrix->refresh(now.view());
    EXPECT_EQ(decoding_error(ImageOf<double, std::int32_t>(image_of(*matrix)), now.view()), "") << left;
  }
}

} // namespace
} // namespace petscspmv::test
