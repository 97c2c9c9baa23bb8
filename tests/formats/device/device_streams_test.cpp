// One matrix on several streams: products that would write the same memory of the matrix, its changes and its end, and
// the end of a stream. Each stream has vectors of its own.

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>
#include <sstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device_problems.hpp"
#include "formats/through_kokkos.hpp"

namespace petscspmv::test {
namespace {

/// One that waits for no other one. When it ends, what is queued goes on.
class Stream {
public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream &)            = delete;
  Stream &operator=(const Stream &) = delete;

  operator cudaStream_t() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
};

/// Products with one x, of so many columns that are alike, each with a y of its own.
template <class F> class Series {
  using Problem = test::Problem<double, std::int32_t>;

public:
  static constexpr int count = 16;

  /// What is to be multiplied is `factor` times the case's.
  Series(const Problem &problem, const Problem::Case &c, double factor, int columns = 1)
    : case_(c), columns_(columns), rows_(c.y_before.size()), x_(begin(problem, factor)), y_(all_bytes() / sizeof(double))
  {
  }

  void clear(cudaStream_t stream) { check(cudaMemsetAsync(y_.data(), 0xff, all_bytes(), stream)); }

  /// Product number k.
  void queue(F &format, cudaStream_t stream, int k)
  {
    runtime::use_stream(stream);
    double *const y = y_.data() + static_cast<std::size_t>(k * columns_) * rows_;
    if (columns_ == 1) format.multiply(case_.op, 1.0, x_.data(), 0.0, y);
    else
      format.multiply_many(Operation::none, 1.0, x_.data(), static_cast<std::int64_t>(case_.x.size()), 0.0, y,
                           static_cast<std::int64_t>(rows_), columns_);
  }

  /// Empty if products first .. last - 1, which are over, are what the oracle says, where nothing is rounded.
  std::string wrong(int first = 0, int last = count) const
  {
    const std::vector<double> all = y_.get();
    for (int k = first * columns_; k < last * columns_; ++k) {
      const auto [expected, y] = std::mismatch(expected_.begin(), expected_.end(), all.begin() + k * std::ssize(expected_));
      if (expected == expected_.end()) continue;
      std::ostringstream text;
      text << name(case_.op) << ", product " << k / columns_ << ": row " << expected - expected_.begin() << " has " << *y << " instead of "
           << *expected;
      return text.str();
    }
    return "";
  }

private:
  /// What all columns begin with, and what is expected of them.
  std::vector<double> begin(const Problem &problem, double factor)
  {
    for (double &v : case_.x) v *= factor;
    problem.refer(case_);
    for (const auto &sum : case_.reference.sum) expected_.push_back(static_cast<double>(sum.real()));
    std::vector<double> all;
    for (int c = 0; c < columns_; ++c) all.insert(all.end(), case_.x.begin(), case_.x.end());
    return all;
  }
  std::size_t all_bytes() const { return count * static_cast<std::size_t>(columns_) * rows_ * sizeof(double); }

  Problem::Case        case_;
  int                  columns_;
  std::size_t          rows_;
  std::vector<double>  expected_;
  DeviceVector<double> x_, y_;
};

template <class F> class StreamsTest : public OnDeviceOnly {
protected:
  using Series = test::Series<F>;

  static constexpr int rounds = 3;

  void SetUp() override
  {
    OnDeviceOnly::SetUp();
    if (!IsSkipped()) busy_ = std::make_unique<DeviceVector<char>>(busy_bytes);
  }
  void TearDown() override { runtime::use_stream(nullptr); }

  /// They stay: Kokkos keeps what it has for a stream.
  static cudaStream_t stream(int k)
  {
    static const auto &streams = *new std::array<Stream, 2>;
    return streams[static_cast<std::size_t>(k)];
  }

  /// So long that what is queued behind it on two streams begins on both at the same time.
  void keep_busy(cudaStream_t stream) const { check(cudaMemsetAsync(busy_->data(), 0, busy_bytes, stream)); }

  /// check(problem, format) for each matrix and some options. The format is built on the second stream.
  template <class Check> static void for_all(const Check &check)
  {
    for (const Named &named : all()) {
      const Problem problem(named, Mode::exact);
      for (const OptionValues &options : option_variants<OnDevice<F>>(1)) {
        SCOPED_TRACE(named.name + ", " + describe(options));
        check(problem, build(problem, options));
        if (::testing::Test::HasFailure()) return;
      }
    }
  }

  static std::unique_ptr<F> build(const Problem &problem, const OptionValues &options = OptionValues(F::options()))
  {
    runtime::use_stream(stream(1));
    return std::make_unique<F>(problem.a.view(), options, Execution{MemorySpace::device, 1});
  }

  static constexpr std::size_t ops = F::transposes ? 2 : 1;

  static auto plain_and_transposed(const Problem &problem) { return std::span(problem.cases).first(ops); }

  /// All products of both, in turns.
  void in_turns(F &format, Series &a, Series &b)
  {
    for (int k = 0; k < 2; ++k) {
      (k == 0 ? a : b).clear(stream(k));
      keep_busy(stream(k));
    }
    for (int k = 0; k < Series::count; ++k) {
      a.queue(format, stream(0), k);
      b.queue(format, stream(1), k);
    }
    check(cudaDeviceSynchronize());
    ASSERT_EQ(a.wrong(), "");
    ASSERT_EQ(b.wrong(), "");
  }

private:
  static constexpr std::size_t busy_bytes = std::size_t(1) << 30;

  std::unique_ptr<DeviceVector<char>> busy_;
};
TYPED_TEST_SUITE_P(StreamsTest);

TYPED_TEST_P(StreamsTest, ProductsInTurns)
{
  this->for_all([this](const auto &problem, const auto &format) {
    for (const auto &c : this->plain_and_transposed(problem)) {
      typename TestFixture::Series a(problem, c, 1), b(problem, c, -3);
      for (int round = 0; round < TestFixture::rounds; ++round) ASSERT_NO_FATAL_FAILURE(this->in_turns(*format, a, b));
    }
  });
}

TYPED_TEST_P(StreamsTest, SeveralVectorsInTurns)
{
  for (const auto &named : this->all()) {
    SCOPED_TRACE(named.name);
    const typename TestFixture::Problem problem(named, Mode::exact);
    const auto                          format = this->build(problem);
    typename TestFixture::Series        a(problem, problem.cases[0], 1, 3), b(problem, problem.cases[0], -3, 3);
    for (int round = 0; round < TestFixture::rounds; ++round) ASSERT_NO_FATAL_FAILURE(this->in_turns(*format, a, b));
  }
}

// With one matrix and with two, on two streams and on one: the kernels of one product are not among those of another
// one. From the first transposed product on.
TYPED_TEST_P(StreamsTest, ProductsByTwoThreads)
{
  using Series = typename TestFixture::Series;
  this->for_all([this](const auto &problem, const auto &format) {
    const auto other_format = this->build(problem);
    const auto at_once      = [&](const auto &c, TypeParam &second, int streams) {
      std::barrier start(2);
      std::string  wrong[2];
      const auto   work = [&](int thread) {
        const cudaStream_t stream = this->stream(thread % streams);
        Series             series(problem, c, thread == 0 ? 1 : -3);
        start.arrive_and_wait();
        for (int round = 0; round < TestFixture::rounds && wrong[thread].empty(); ++round) {
          series.clear(stream);
          for (int k = 0; k < Series::count; ++k) series.queue(thread == 0 ? *format : second, stream, k);
          check(cudaStreamSynchronize(stream));
          wrong[thread] = series.wrong();
        }
      };
      std::thread other([&work] { work(1); });
      work(0);
      other.join();
      EXPECT_EQ(wrong[0] + wrong[1], "") << streams << " streams";
    };
    for (const auto &c : this->plain_and_transposed(problem))
      for (const int streams : {2, 1})
        for (TypeParam *second : {format.get(), other_format.get()}) at_once(c, *second, streams);
  });
}

// Products that are queued before a change have the old values, whatever stream they are on.
TYPED_TEST_P(StreamsTest, ChangesComeBetweenProducts)
{
  using Problem = typename TestFixture::Problem;
  using Series  = typename TestFixture::Series;
  for (const auto &named : this->all()) {
    SCOPED_TRACE(named.name);
    const Problem problems[] = {{named, Mode::exact, 1}, {named, Mode::exact, 2}};
    const auto    format     = this->build(problems[0]);
    for (std::size_t op = 0; op < TestFixture::ops; ++op) {
      const auto of           = [op](const Problem &problem, double factor) { return Series(problem, problem.cases[op], factor); };
      Series     series[2][2] = {{of(problems[0], 1), of(problems[0], -3)}, {of(problems[1], 1), of(problems[1], -3)}};
      for (int round = 0; round < TestFixture::rounds; ++round) {
        for (int values = 0; values < 2; ++values) {
          runtime::use_stream(this->stream(round % 2));
          format->refresh(problems[values].a.view());
          for (int k = 0; k < 2; ++k) {
            this->keep_busy(this->stream(k));
            series[values][k].clear(this->stream(k));
          }
          for (int k = 0; k < Series::count; ++k)
            for (int s = 0; s < 2; ++s) series[values][s].queue(*format, this->stream(s), k);
        }
        check(cudaDeviceSynchronize());
        for (int values = 0; values < 2; ++values)
          for (const Series &s : series[values]) ASSERT_EQ(s.wrong(), "") << "values " << values;
      }
    }
  }
}

TYPED_TEST_P(StreamsTest, AMatrixMayEndBeforeItsProducts)
{
  using Series = typename TestFixture::Series;
  for (const auto &named : this->all()) {
    SCOPED_TRACE(named.name);
    const typename TestFixture::Problem problem(named, Mode::exact);
    Series                              a(problem, problem.cases[0], 1), b(problem, problem.cases[0], -3);
    auto                                format = this->build(problem);
    for (int k = 0; k < 2; ++k) this->keep_busy(this->stream(k));
    for (int k = 0; k < Series::count; ++k) {
      a.queue(*format, this->stream(0), k);
      b.queue(*format, this->stream(1), k);
    }
    format.reset();
    format = this->build(problem); // in the same memory, if that has been given back
    check(cudaDeviceSynchronize());
    ASSERT_EQ(a.wrong(), "");
    ASSERT_EQ(b.wrong(), "");
  }
}

// A graph knows no other streams; afterwards, products are kept in order as before.
TYPED_TEST_P(StreamsTest, ProductsAreRecordedAfterOthers)
{
  this->for_all([this](const auto &problem, const auto &format) {
    for (const auto &c : this->plain_and_transposed(problem)) {
      typename TestFixture::Series a(problem, c, 1), b(problem, c, -3);
      ASSERT_NO_FATAL_FAILURE(this->in_turns(*format, a, b));
      const cudaStream_t stream = this->stream(0);
      {
        const Recording products(stream, [&] {
          for (int k = 0; k < 3; ++k) a.queue(*format, stream, k);
        });
        a.clear(stream);
        products.replay(3);
        ASSERT_EQ(a.wrong(0, 3), "");
      }
      ASSERT_NO_FATAL_FAILURE(this->in_turns(*format, a, b));
    }
  });
}

REGISTER_TYPED_TEST_SUITE_P(StreamsTest, ProductsInTurns, SeveralVectorsInTurns, ProductsByTwoThreads, ChangesComeBetweenProducts,
                            AMatrixMayEndBeforeItsProducts, ProductsAreRecordedAfterOthers);

using RealFormats  = AllFormats<double, std::int32_t>;
using RealPortable = Portable<RealFormats>::types;
INSTANTIATE_TYPED_TEST_SUITE_P(Device, StreamsTest, RealFormats, FormatName);
INSTANTIATE_TYPED_TEST_SUITE_P(DeviceKokkos, StreamsTest, RealPortable, FormatName);

template <class F> class EndingStreamsTest : public StreamsTest<F> {
};
TYPED_TEST_SUITE(EndingStreamsTest, RealFormats, FormatName);

// Its work goes on, and a new stream may have its address.
TYPED_TEST(EndingStreamsTest, ProductsWaitForThoseOfAStreamThatHasEnded)
{
  using Series = typename TestFixture::Series;
  this->for_all([this](const auto &problem, const auto &format) {
    for (const auto &c : this->plain_and_transposed(problem)) {
      Series a(problem, c, 1), b(problem, c, -3);
      for (int round = 0; round < TestFixture::rounds; ++round) {
        a.clear(nullptr);
        b.clear(nullptr);
        check(cudaDeviceSynchronize());
        for (int k = 0; k < Series::count; ++k) {
          {
            const Stream first;
            if (k == 0) this->keep_busy(first);
            a.queue(*format, first, k);
          }
          const Stream second;
          b.queue(*format, second, k);
        }
        check(cudaDeviceSynchronize());
        ASSERT_EQ(a.wrong(), "");
        ASSERT_EQ(b.wrong(), "");
      }
    }
  });
}

} // namespace
} // namespace petscspmv::test
