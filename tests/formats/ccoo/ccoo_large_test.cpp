// ccoo beyond what 32 bits count: more than 2^31 entries, and nearly 2^31 columns, in little memory.
//
// The arrays of the CSR matrix are a file of some MiB in memory, mapped again and again, side by side. The end of them
// is memory of its own, so that an offset that has lost its upper bits does not go unnoticed.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "ccoo_checks.hpp"

#if defined(__linux__)
  #include <sys/mman.h>
  #include <sys/resource.h>
  #include <unistd.h>

namespace petscspmv::test {
namespace {

/// An array that repeats `period` (whose bytes are whole pages) for `length` entries or somewhat more.
template <class T> class RepeatedArray {
public:
  RepeatedArray(const std::vector<T> &period, std::int64_t length)
  {
    const std::size_t bytes = period.size() * sizeof(T);
    times_                  = (static_cast<std::size_t>(length) * sizeof(T) + bytes - 1) / bytes;
    bytes_                  = times_ * bytes;
    void *const all         = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const int   file        = memfd_create("period", 0);
    if (all == MAP_FAILED || file < 0) return;
    data_ = static_cast<T *>(all);
    good_ = write(file, period.data(), bytes) == static_cast<ssize_t>(bytes);
    for (std::size_t i = 0; i < times_ && good_; ++i) // changes stay in this mapping
      good_ =
        mmap(reinterpret_cast<std::byte *>(all) + i * bytes, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
    close(file);
  }
  RepeatedArray(const RepeatedArray &)            = delete;
  RepeatedArray &operator=(const RepeatedArray &) = delete;
  ~RepeatedArray()
  {
    if (data_) munmap(data_, bytes_);
  }

  bool good() const { return good_; }
  T   *data() const { return data_; }

private:
  T          *data_  = nullptr;
  std::size_t times_ = 0, bytes_ = 0;
  bool        good_ = false;
};

using Large = Ccoo<double, std::int64_t>;

  #if defined(__has_feature)
    #if __has_feature(thread_sanitizer)
      #define PETSCSPMV_SANITIZED
    #endif
  #endif
  #if defined(PETSCSPMV_SANITIZED) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
  #else
constexpr bool sanitized = false;
  #endif

/// A matrix of more than 2^31 entries: every row has the columns 0 .. n - 1, and values of 1, but for the last row,
/// whose values are 2.
struct Repeated {
  explicit Repeated(std::int64_t n)
    : rows((std::int64_t(1) << 31) / n + 5), cols(n), row_ptr(static_cast<std::size_t>(rows) + 1), col(period(n), rows * n),
      val(std::vector<double>(std::size_t(1) << 20, 1.0), rows * n)
  {
    for (std::int64_t r = 0; r <= rows; ++r) row_ptr[static_cast<std::size_t>(r)] = r * n;
    if (good()) std::fill(val.data() + (rows - 1) * n, val.data() + rows * n, 2.0);
  }
  static std::vector<std::int64_t> period(std::int64_t n)
  {
    std::vector<std::int64_t> columns(std::size_t(1) << 20);
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<std::int64_t>(k) % n;
    return columns;
  }

  bool                          good() const { return col.good() && val.good(); }
  CsrView<double, std::int64_t> view() const { return {rows, cols, row_ptr.data(), col.data(), val.data()}; }

  std::int64_t                rows, cols;
  std::vector<std::int64_t>   row_ptr;
  RepeatedArray<std::int64_t> col;
  RepeatedArray<double>       val;
};

void check_more_entries_than_32_bits_count(std::int64_t n, const Settings &settings)
{
  if (sanitized) GTEST_SKIP() << "With a sanitizer this takes minutes.";
  const Repeated a(n);
  if (!a.good()) GTEST_SKIP() << "The system does not map so much.";
  Large format(a.view(), ccoo_options(settings), {MemorySpace::host, 2});
  EXPECT_LT(format.footprint().total(), std::size_t(1) << 30);

  std::vector<double> x(static_cast<std::size_t>(n)), y(static_cast<std::size_t>(a.rows));
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = static_cast<double>(c % 100);
  for (std::size_t r = 0; r < y.size(); ++r) y[r] = static_cast<double>(r);
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  format.multiply(Operation::none, 1, x.data(), 1, y.data());
  std::int64_t wrong = 0;
  for (std::size_t r = 0; r < y.size(); ++r) wrong += y[r] != static_cast<double>(r) + (r + 1 < y.size() ? sum : 2 * sum);
  EXPECT_EQ(wrong, 0) << "rows of " << a.rows;
}

// Rows that are long: pieces whose columns are consecutive take no memory.
TEST(CcooLarge, MoreEntriesThan32BitsCountInLongRows)
{
  check_more_entries_than_32_bits_count(std::int64_t(1) << 20, {});
}

// Tiles, whose columns take a byte for a node.
TEST(CcooLarge, MoreEntriesThan32BitsCountInTiles)
{
  check_more_entries_than_32_bits_count(256, {{tile_option, TileChoice::gather}});
}

TEST(CcooLarge, AsManyColumnsAs32BitsCount)
{
  using Matrix                 = CsrMatrix<double, std::int32_t>;
  constexpr std::int32_t cols  = std::numeric_limits<std::int32_t>::max() - 1;
  const std::size_t      bytes = std::size_t(cols) * sizeof(double);
  // Pages of x that nobody writes are not there.
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "The system does not map so much.";
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  auto *const x = static_cast<double *>(memory);

  Matrix a;
  a.cols = cols;
  Random<double> random(3);
  for (std::int32_t r = 0; r < 40; ++r) {
    std::vector<std::int32_t> columns{0, r, cols - 50 + r, cols - 1};
    if (r % 4 == 0) columns = {0, cols - 1};
    if (r % 10 == 7) columns.assign({static_cast<std::int32_t>(random.integer(1, cols - 2))});
    a.add_row(columns);
  }
  for (int r = 0; r < 40; ++r) a.add_row({cols - 1}); // groups with one column look alike, but not from the diagonal
  set_values(a, 5, true);
  for (const std::int32_t c : a.col) x[c] = static_cast<double>(1 + c % 5);
  for (const std::int64_t isa : instruction_sets<Ccoo<double, std::int32_t>>())
    for (const auto tile : every(tile_option))
      for (const auto gather : {Gathers::loads, Gathers::instruction}) {
        Ccoo<double, std::int32_t> format(a.view(),
                                          ccoo_options({{tile_option, tile}, {"isa", isa}, {gather_option, gather}, {"chunk", 9}}), {});
        ASSERT_EQ(decoding_error(format, a.view()), "") << "tile " << tile_option.name(tile);
        std::vector<double> y(80);
        format.multiply(Operation::none, 1, x, 0, y.data());
        for (auto [r, c, v] : a.entries()) y[r] -= v * x[c]; // small integers
        ASSERT_EQ(y, std::vector<double>(80)) << "tile " << tile_option.name(tile) << ", isa " << isa;
      }
  munmap(memory, bytes);
}

/// Lets this process have little more memory than it has.
void limit_memory(std::size_t more)
{
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit limit{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

TEST(CcooLarge, SaysHowMuchItTakesWhereMemoryIsShort)
{
  if (sanitized) GTEST_SKIP() << "Sanitizers need more memory than there is.";
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process of its own: no memory that tests before this one have given back
  auto a = Patterns<double, std::int32_t>::regular(260000, 260000, 20, 5); // 40 MB of values
  set_values(a, 5, false);
  const std::string bytes = std::to_string(Ccoo<double, std::int32_t>::predicted_bytes(a.view(), ccoo_options({})));
  const auto        build = [&a] {
    limit_memory(std::size_t(20) << 20);
    try {
      const Ccoo<double, std::int32_t> format(a.view(), ccoo_options({}), Execution{});
    } catch (const MemoryError &e) {
      std::fputs(e.what(), stderr);
      std::_Exit(0);
    }
    std::_Exit(1);
  };
  EXPECT_EXIT(build(), testing::ExitedWithCode(0), "ccoo takes " + bytes + " bytes .* use more processes, or -mat_type aijspec");
}

} // namespace
} // namespace petscspmv::test
#else
TEST(CcooLarge, MoreEntriesThan32BitsCount)
{
  GTEST_SKIP() << "This test maps memory as Linux does.";
}
#endif
