// The contract for the kernels through Kokkos, on the device, and what DeviceTest asks of the others.

#include <vector>

#include "formats/columns_contract.hpp"
#include "device_problems.hpp"
#include "formats/format_contract.hpp"
#include "formats/through_kokkos.hpp"

namespace petscspmv::test {

using DeviceKokkosFormats = AllOnDevice<Portable<Formats>::types>::types;

INSTANTIATE_TYPED_TEST_SUITE_P(DeviceKokkos, FormatTest, DeviceKokkosFormats, FormatName);
INSTANTIATE_TYPED_TEST_SUITE_P(DeviceKokkos, ColumnsTest, DeviceKokkosFormats, FormatName);

namespace {

template <class F> class DeviceKokkosTest : public OnDeviceOnly {
protected:
  using Problem = ProblemOf<F>;
};

using RealPortable = Portable<AllFormats<double, std::int32_t>>::types;
TYPED_TEST_SUITE(DeviceKokkosTest, RealPortable, FormatName);

TYPED_TEST(DeviceKokkosTest, GivesTheSameBitsManyTimes)
{
  for (const auto &named : TestFixture::all()) {
    SCOPED_TRACE(named.name);
    typename TestFixture::Problem problem(named, Mode::rounded);
    OnDevice<TypeParam>           format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (const auto &c : problem.cases) {
      if (c.op == Operation::hermitian) continue;
      const auto           expected = problem.multiply(format, c, 1.0, 0.0);
      DeviceVector<double> x(c.x), y(expected.size());
      for (int repeat = 0; repeat < 100; ++repeat) {
        check(cudaMemset(y.data(), 0xff, expected.size() * sizeof(double)));
        format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data());
        ASSERT_TRUE(same_bits(expected, y.get())) << name(c.op) << ", repetition " << repeat;
      }
    }
  }
}

// As DeviceTest asks of the others. A refresh may find that they are somewhere else, or no longer there.
TYPED_TEST(DeviceKokkosTest, TakesArraysThatAreOnTheDevice)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : TestFixture::all()) {
    SCOPED_TRACE(named.name);
    const Problem                    problem(named, Mode::exact, 1), other(named, Mode::exact, 2);
    const DeviceVector<std::int32_t> col(problem.a.col);
    const DeviceVector<double>       val(problem.a.val), other_val(other.a.val);
    auto                             view = problem.a.view();
    view.device_col                       = col.data();
    view.val                              = val.data();
    OnDevice<TypeParam> format(view, OptionValues(TypeParam::options()), {});
    const auto          check_all = [&format](const Problem &now, bool borrowed) {
      for (const auto &c : now.cases) EXPECT_EQ(now.wrong(format, c, 1.0, 0.0), "") << name(c.op);
      EXPECT_EQ(Columns(now, 9, Mode::exact).wrong(format, 1.0, 0.0, Mode::exact), "");
      for (const Footprint::Array &array : format.format().footprint().arrays)
        if (array.name == "values" || array.name == "columns") { EXPECT_EQ(TypeParam::borrows && borrowed, array.borrowed) << array.name; }
    };
    check_all(problem, true);
    view.val = other_val.data();
    format.refresh(view);
    check_all(other, true);
    format.refresh(problem.a.view());
    check_all(problem, false);
    format.refresh(view);
    check_all(other, true);
  }
}

// Nothing in a product may allocate, wait or decide on the host, but for Kokkos' own memory for a stream, at the first
// product on it, and the room for several vectors, at the first product with some.
TYPED_TEST(DeviceKokkosTest, ProductsCanBeRecordedInAGraph)
{
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const auto &named : TestFixture::all()) {
    SCOPED_TRACE(named.name);
    typename TestFixture::Problem problem(named, Mode::rounded);
    runtime::use_stream(stream);
    OnDevice<TypeParam> format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (auto &c : problem.cases) {
      auto                 expected = problem.multiply(format, c, 1.0, 0.0); // builds the transpose
      DeviceVector<double> x(c.x), y(expected.size());
      const Recording      product(stream, [&] { format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data()); });
      for (double &e : c.x) e = -2 * e;
      x.set(c.x);
      product.replay(3);
      for (double &e : expected) e = -2 * e + 0.0;
      EXPECT_TRUE(same_bits(expected, y.get())) << name(c.op);
    }

    const int           columns = 11;
    const auto          rows = static_cast<std::size_t>(problem.a.rows), cols = static_cast<std::size_t>(problem.a.cols);
    std::vector<double> several = make_vector<double>(columns * cols, 3, Mode::rounded), expected(columns * rows);
    format.multiply_many(Operation::none, 1.0, several.data(), problem.a.cols, 0.0, expected.data(), problem.a.rows, columns);
    DeviceVector<double> x(several), y(expected.size());
    const Recording      product(stream, [&] {
      format.format().multiply_many(Operation::none, 1.0, x.data(), problem.a.cols, 0.0, y.data(), problem.a.rows, columns);
    });
    for (double &e : several) e = -2 * e;
    x.set(several);
    product.replay(3);
    for (double &e : expected) e = -2 * e + 0.0;
    EXPECT_TRUE(same_bits(expected, y.get())) << columns << " vectors";
    runtime::use_stream(nullptr);
  }
  // The stream stays: Kokkos keeps what it has for it.
}

} // namespace
} // namespace petscspmv::test
