// ccoo on matrices that nobody has thought of: a few kinds of rows after each other in random sizes, random values,
// random options.
//
// Runs for FUZZ_SECONDS over all four types together (default 20), from seed FUZZ_SEED on (default 1). What fails says
// its seed; FUZZ_SEED of it and FUZZ_SECONDS=1 show it again.

#include <chrono>
#include <initializer_list>
#include <numeric>

#include "ccoo_checks.hpp"

namespace petscspmv::test {
namespace {

template <class Scalar, class Index> class RandomMatrix {
  using Matrix = CsrMatrix<Scalar, Index>;

public:
  explicit RandomMatrix(unsigned seed) : random_(seed) { }

  Matrix make()
  {
    a_.cols                 = static_cast<Index>(pick({1, 7, 64, 255, 256, 257, 300, 2000, 65536, 65537, 70000}));
    const std::int64_t size = pick({8, 100, 700, 3000}), parts = random_.integer(1, 5);
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t rows = random_.integer(0, size);
      switch (random_.integer(0, 6)) {
      case 0:
        empty(rows);
        break;
      case 1:
        stencil(rows);
        break;
      case 2:
        broken_stencil(rows);
        break;
      case 3:
        nodes(rows);
        break;
      case 4:
        scattered(rows);
        break;
      case 5:
        neighbours(rows);
        break;
      default:
        long_rows(rows);
        break;
      }
    }
    set_values();
    return std::move(a_);
  }

  /// Other values for the same pattern: all, some, few, or none that differ.
  void change_values(Matrix &a)
  {
    const std::int64_t share = pick({0, 1, 1, 50, 1000});
    if (share == 0 && random_.integer(0, 1)) return draw_values(a);
    const auto once = set();
    for (Scalar &v : a.val)
      if (random_.integer(0, 999) < share) v = value(once);
    if (!a.val.empty() && random_.integer(0, 1))
      a.val[static_cast<std::size_t>(random_.integer(0, std::ssize(a.val) - 1))] = random_.number();
  }

  std::int64_t pick(std::initializer_list<std::int64_t> list) { return list.begin()[random_.integer(0, std::ssize(list) - 1)]; }
  auto        &random() { return random_; }

private:
  /// What values are drawn from: `different` of them, floats or not, with some that compare as nothing else does.
  struct Set {
    std::int64_t different;
    bool         single, delicate;
  };
  Set set() { return {pick({1, 2, 16, 17, 100, 256, 257, 3000, 100000}), random_.integer(0, 1) == 0, random_.integer(0, 9) == 0}; }

  Scalar value(const Set &s)
  {
    const auto part = [&]() -> double {
      if (s.delicate && random_.integer(0, 5) == 0) return random_.integer(0, 1) ? -0.0 : std::numeric_limits<double>::denorm_min();
      const std::int64_t k = random_.integer(0, s.different - 1) - s.different / 3; // also below zero
      const auto         v = static_cast<double>(k);
      return s.single ? v / 8 : v / 10;
    };
    if constexpr (IsComplex<Scalar>::value) {
      const double re = part();
      return {re, random_.integer(0, 1) ? part() : 0.0};
    } else return part();
  }
  void draw_values(Matrix &a)
  {
    const Set s = set();
    for (Scalar &v : a.val) v = value(s);
  }

  /// Changes from part to part of the matrix, and may repeat from row to row.
  void set_values()
  {
    const bool by_row = random_.integer(0, 2) == 0;
    Set        s      = set();
    for (Index r = 0; r < a_.rows; ++r) {
      if (random_.integer(0, 800) == 0) s = set();
      for (Index k = a_.row_ptr[r]; k < a_.row_ptr[r + 1]; ++k) {
        const Index i = k - a_.row_ptr[r], before = r > 0 && i < a_.row_ptr[r] - a_.row_ptr[r - 1] ? a_.row_ptr[r - 1] + i : -1;
        a_.val[static_cast<std::size_t>(k)] =
          by_row && before >= 0 && random_.integer(0, 300) ? a_.val[static_cast<std::size_t>(before)] : value(s);
      }
    }
  }

  void add(const std::vector<std::int64_t> &columns)
  {
    std::vector<Index> inside;
    for (const std::int64_t c : columns)
      if (c >= 0 && c < a_.cols) inside.push_back(static_cast<Index>(c));
    a_.add_row(inside);
  }
  std::vector<std::int64_t> columns(std::int64_t n, std::int64_t first, std::int64_t last)
  {
    std::vector<std::int64_t> list;
    for (; n > 0; --n) list.push_back(random_.integer(first, last));
    if (random_.integer(0, 30)) std::sort(list.begin(), list.end());
    if (random_.integer(0, 30)) list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
  std::vector<std::int64_t> offsets()
  {
    std::vector<std::int64_t> list{0};
    for (std::int64_t n = random_.integer(0, 12); n > 0; --n)
      list.push_back(random_.integer(-1, 1) * pick({1, 2, 7, 8, 30, 31, 900, a_.cols - 1}));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  void empty(std::int64_t rows)
  {
    for (; rows > 0; --rows) a_.add_row({});
  }
  void stencil(std::int64_t rows) { banded(rows, 1000000); }
  void broken_stencil(std::int64_t rows) { banded(rows, pick({3, 10, 40, 300})); }
  void banded(std::int64_t rows, std::int64_t rare)
  {
    const auto list = offsets();
    for (const std::int64_t from = random_.integer(0, 3) ? a_.rows : 0; rows > 0; --rows) {
      std::vector<std::int64_t> row;
      for (const std::int64_t d : list)
        if (random_.integer(1, rare) < rare) row.push_back(a_.rows - from + d);
      add(row);
    }
  }
  void nodes(std::int64_t rows)
  {
    const std::int64_t b = random_.integer(1, 7), most = pick({3, 20, 60});
    while (rows > 0) {
      const auto list = columns(random_.integer(0, most), 0, a_.cols - 1);
      for (std::int64_t n = random_.integer(0, 40) ? b : random_.integer(1, 9); n > 0; --n, --rows) add(list);
    }
  }
  void scattered(std::int64_t rows)
  {
    for (const std::int64_t most = pick({1, 5, 30, 100}); rows > 0; --rows) add(columns(random_.integer(0, most), 0, a_.cols - 1));
  }
  void neighbours(std::int64_t rows)
  {
    for (const std::int64_t reach = pick({4, 20, 120, 250}); rows > 0; --rows) {
      const std::int64_t at = a_.rows % a_.cols;
      add(columns(random_.integer(0, 12), at - reach, at + reach));
    }
  }
  void long_rows(std::int64_t rows)
  {
    for (; rows > 0; --rows) {
      const std::int64_t n = random_.integer(0, 100) ? random_.integer(0, 4) : pick({250, 300, 2049, 17000});
      if (random_.integer(0, 1)) add(columns(n, 0, a_.cols - 1));
      else {
        const std::int64_t        first = random_.integer(0, a_.cols - 1);
        std::vector<std::int64_t> list(static_cast<std::size_t>(n));
        std::iota(list.begin(), list.end(), first);
        add(list);
      }
    }
  }

  Random<Scalar> random_;
  Matrix         a_;
};

template <class F> class CcooFuzzTest : public CcooFixture<F> {
};
TYPED_TEST_SUITE(CcooFuzzTest, CcooTypes, FormatName);

/// Defaults as often as not, else anything.
template <class F, class Make> OptionValues random_options(Make &make, const std::vector<std::int64_t> &isas)
{
  OptionValues options(F::options());
  for (const OptionSpec &spec : F::options())
    if (spec.key != "isa" && !loses_bits(spec) && make.random().integer(0, 1))
      options.set(spec.key,
                  make.random().integer(spec.min, spec.choices.empty() && make.random().integer(0, 1) ? std::min(spec.max, spec.min + 40)
                                                                                                      : spec.max));
  options.set("isa", isas[static_cast<std::size_t>(make.random().integer(0, std::ssize(isas) - 1))]);
  return options;
}

template <class F> std::string try_seed(unsigned seed, const std::vector<std::int64_t> &isas)
{
  using Scalar = typename F::scalar_type;
  using Index  = typename F::index_type;
  RandomMatrix<Scalar, Index> make(seed);
  auto                        problem = problem_with(make.make());
  const OptionValues          options = random_options<F>(make, isas);
  const std::string           what    = "\nseed " + std::to_string(seed) + ", " + describe(options);
  const auto                  threads = static_cast<int>(make.random().integer(1, 4));
  F                           format(problem.a.view(), options, {MemorySpace::host, threads});
  if (format.footprint().total() != F::predicted_bytes(problem.a.view(), options)) return "not as large as predicted" + what;
  if (options == OptionValues(F::options()) && format.footprint().total() > bytes_allowed(problem.a.view())) return "too large" + what;
  if (const std::string error = anything_wrong(format, problem); !error.empty()) return error + what;
  for (int k = 0; k < 2; ++k) {
    make.change_values(problem.a);
    for (auto &c : problem.cases) problem.refer(c);
    format.refresh(problem.a.view());
    if (const std::string error = anything_wrong(format, problem); !error.empty()) return error + ", refreshed" + what;
  }
  return "";
}

TYPED_TEST(CcooFuzzTest, DecodesMultipliesAndRefreshes)
{
  const auto end  = std::chrono::steady_clock::now() + std::chrono::milliseconds(1000 * setting("FUZZ_SECONDS", 20) / 4);
  auto       seed = static_cast<unsigned>(setting("FUZZ_SEED", 1));
  const auto isas = instruction_sets<TypeParam>();
  const auto from = seed;
  do ASSERT_EQ(try_seed<TypeParam>(seed++, isas), "");
  while (std::chrono::steady_clock::now() < end);
  this->RecordProperty("matrices", static_cast<int>(seed - from));
}

} // namespace
} // namespace petscspmv::test
