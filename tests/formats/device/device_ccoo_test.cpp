// What is known of ccoo alone on the device.

#include <numeric>

#include "formats/ccoo/ccoo_images.hpp"
#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

using Real = Ccoo<double, std::int32_t>;

class CcooOnDevice : public OnDeviceOnly {
protected:
  using Problem = ProblemOf<Real>;

  static Real build(const Matrix &a, const Settings &settings = {})
  {
    return Real(a.view(), ccoo_options(settings), {MemorySpace::device, 2});
  }

  static Named constant_stencil(std::int32_t n)
  {
    return {"stencil of " + std::to_string(n),
            [n] {
              Matrix a = P::stencil(n);
              for (auto [r, c, v] : a.entries()) // another value for each direction
                v = 0.1 * (1 + (c > r) + 2 * (std::abs(c - r) > 1) + 4 * (std::abs(c - r) > n) + 8 * (c == r));
              return a;
            },
            true};
  }

  /// Twenty rows that have a third of all entries, as in circuits, and more chunks than add the parts of cut rows
  /// themselves.
  static Named circuit()
  {
    return {"circuit", [] { return P::random(200000, 200000, 71, [](std::int32_t r, auto &) { return r % 10000 == 4567 ? 30000 : 6; }); }};
  }

  /// Entries, products with factors of all kinds, the same bits a hundred times, and what is not finite in x in the
  /// rows that it belongs to.
  static void expect_right_and_repeatable(Problem &problem, OnDevice<Real> &format)
  {
    ASSERT_EQ(decoding_error(format.format(), problem.a.view()), "");
    for (auto &c : problem.cases) {
      for (double alpha : {1.0, -2.0})
        for (double beta : {0.0, 1.0, -0.5}) EXPECT_EQ(problem.wrong(format, c, alpha, beta), "");
      const auto expected = Problem::multiply(format, c, 1.0, 0.0);
      const int  repeats  = 100;
      for (int k = 0; k < repeats; ++k) ASSERT_TRUE(same_bits(expected, Problem::multiply(format, c, 1.0, 0.0)));
      for (const double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (const std::size_t at : {std::size_t(0), c.x.size() / 2, c.x.size() - 1}) {
          const double kept = std::exchange(c.x[at], poison);
          problem.refer(c);
          EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "") << at;
          c.x[at] = kept;
        }
      problem.refer(c);
    }
  }
};

TEST_F(CcooOnDevice, EveryEntryComesBack)
{
  for (const Named &named : all()) {
    const Problem problem(named, Mode::rounded);
    for (const auto tile : {TileChoice::automatic, TileChoice::diagonal, TileChoice::chunk})
      for (const auto values : Codings{std::nullopt, Coding::single, Coding::raw})
        for (const auto batches : {When::never, When::always})
          ASSERT_EQ(
            decoding_error(build(problem.a, {{tile_option, tile}, {values_option, values}, {batches_option, batches}}), problem.a.view()),
            "")
            << named.name;
  }
}

TEST_F(CcooOnDevice, StencilsAreUnitsAndOthersChunks)
{
  const OptionValues options = ccoo_options(as_if_large());
  const Facts        stencil = facts<Real>("7-point stencil", options), power_law = facts<Real>("power law", options);
  EXPECT_EQ(test::fact(stencil, "entries in units"), std::to_string(P::stencil(20).col.size()));
  EXPECT_EQ(test::fact(power_law, "entries in units"), "0");
  EXPECT_NE(test::fact(power_law, "cut rows"), "0");
}

TEST_F(CcooOnDevice, RowsAreCutInOneLaunchOrInTwo)
{
  const Problem problem(circuit(), Mode::rounded);
  for (const auto values : Codings{std::nullopt, Coding::raw}) {
    OnDevice<Real> format(problem.a.view(), ccoo_options(as_if_large({{values_option, values}})), {});
    EXPECT_GT(counted(format.format(), "chunks of 512 entries"), 256);
    EXPECT_EQ(fact(format.format(), "cut rows"), "20");
    for (const auto &c : problem.cases)
      for (double beta : {0.0, -0.5}) EXPECT_EQ(problem.wrong(format, c, 2.0, beta), "");
  }
}

// Matrices that are hard for other pieces, in all codings, and rows in more parts than a warp has lanes.
TEST_F(CcooOnDevice, Batches)
{
  std::vector<Named> matrices = all();
  matrices.push_back(
    {"long rows among short ones", [] {
       return P::random(3000, 90000, 72, [](std::int32_t r, auto &) { return r % 700 == 8 ? 40000 : r % 9 == 1 ? 300 : 4; });
     }});
  // more rows in parts than wait where no device is asked, and so many long ones of all lengths that they fill batches
  matrices.push_back(
    {"many long rows", [] {
       return P::random(60000, 150000, 74, [](std::int32_t r, auto &) { return r % 400 == 8 ? 1500 : r % 40 == 1 ? 100 + r % 800 : 4; });
     }});
  for (const Named &named : matrices) {
    SCOPED_TRACE(named.name);
    for (const auto values : Codings{std::nullopt, Coding::constant, Coding::table16, Coding::single, Coding::raw}) {
      Problem problem(named, values == Coding::raw ? Mode::rounded : Mode::exact);
      if (values == Coding::constant) {
        for (double &v : problem.a.val) v = 3;
        for (auto &c : problem.cases) problem.refer(c);
      }
      OnDevice<Real> format(problem.a.view(), ccoo_options({{batches_option, When::always}, {values_option, values}}), {});
      EXPECT_GT(counted(format.format(), "batches of 1024 entries"), 0);
      if (values == Coding::raw) expect_right_and_repeatable(problem, format);
      for (const auto &c : problem.cases)
        for (double beta : {0.0, 1.0, -0.5}) EXPECT_EQ(problem.wrong(format, c, 2.0, beta), "") << values_option.name(values);
    }
  }
}

// A NaN with all bits is what the parts of a row are told from that are not there yet.
TEST_F(CcooOnDevice, PartsThatAreNaN)
{
  const Problem  problem(P::regular(2, 5000, 5000, 73), Mode::rounded);
  OnDevice<Real> format(problem.a.view(), ccoo_options({{batches_option, When::always}}), {});
  EXPECT_EQ(fact(format.format(), "cut rows"), "2");
  DeviceVector<double> x(problem.cases[0].x), y(2);
  check(cudaMemset(x.data(), 0xff, 5000 * sizeof(double)));
  for (int k = 0; k < 3; ++k) format.format().multiply(Operation::none, 1.0, x.data(), 0.0, y.data());
  for (const double v : y.get()) EXPECT_TRUE(std::isnan(v));
}

// A product may begin before the one in front of it has ended: each takes the vector that the one before writes.
// Permutations, so that results are exact.
TEST_F(CcooOnDevice, BatchesWaitForTheProductBefore)
{
  for (const std::int32_t n : {301, 60001}) {
    const auto image  = [n](std::int32_t r) { return static_cast<std::int32_t>((std::int64_t(r) * 7919 + 3) % n); };
    auto       format = build(P::by_rows(n, n, [&](std::int32_t r) { return P::Row({image(r)}); }), {{batches_option, When::always}});
    std::vector<double> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0.0);
    DeviceVector<double> x(expected), y(static_cast<std::size_t>(n));
    constexpr int        pairs = 50;
    for (int k = 0; k < pairs; ++k) {
      format.multiply(Operation::none, 1.0, x.data(), 0.0, y.data());
      format.multiply(Operation::none, 1.0, y.data(), 0.0, x.data());
    }
    for (int k = 0; k < 2 * pairs; ++k) {
      const std::vector<double> before = expected;
      for (std::int32_t r = 0; r < n; ++r) expected[static_cast<std::size_t>(r)] = before[static_cast<std::size_t>(image(r))];
    }
    EXPECT_EQ(x.get(), expected) << n;
  }
}

// Nodes of two to six rows, of equal and of different lengths, with columns in blocks and without.
TEST_F(CcooOnDevice, NodesOfTwoToSixRows)
{
  for (std::int32_t b = 2; b <= 6; ++b)
    for (const bool blocked : {true, false})
      for (const bool alike : {true, false}) {
        SCOPED_TRACE(testing::Message() << "nodes of " << b << (blocked ? ", blocked" : "") << (alike ? ", alike" : ""));
        const Problem  problem(nodes_of<double>(b, blocked, alike), Mode::rounded);
        OnDevice<Real> format(problem.a.view(), ccoo_options(as_if_large()), {});
        EXPECT_GE(counted(format.format(), "units of 32 nodes"), 1501 / 32);
        for (const auto &c : problem.cases)
          for (double beta : {0.0, 0.5}) EXPECT_EQ(problem.wrong(format, c, 0.5, beta), "");
        ASSERT_EQ(decoding_error(format.format(), problem.a.view()), "");
      }
}

// Rows that share values; x begins at an odd address, too.
TEST_F(CcooOnDevice, RowsOfFewKinds)
{
  Problem        problem({"rows of few kinds", [] { return rows_of_few_kinds<double, std::int32_t>(40003); }, true}, Mode::rounded);
  OnDevice<Real> format(problem.a.view(), ccoo_options(as_if_large({{tile_option, TileChoice::diagonal}})), {});
  EXPECT_NE(fact(format.format(), "units of 128 rows").find("shared by rows"), std::string::npos);
  expect_right_and_repeatable(problem, format);
  expect_same_at_odd_addresses(format, problem.cases[0]);
}

// Slots that have one value beside others.
TEST_F(CcooOnDevice, SomeSlotsHaveOneValueAndOthersMany)
{
  for (const bool holes : {false, true}) {
    Problem problem({"diagonals", [holes] { return some_constant_diagonals<double, std::int32_t>(20003, 7, holes); }, true}, Mode::rounded);
    OnDevice<Real> format(problem.a.view(), ccoo_options(as_if_large({{tile_option, TileChoice::diagonal}})), {});
    EXPECT_NE(fact(format.format(), "units of 128 rows").find("some of both"), std::string::npos);
    expect_right_and_repeatable(problem, format);
  }
}

// Entries of x that a block of threads has at hand, with raw values and with one value for all.
TEST_F(CcooOnDevice, HotColumns)
{
  for (const bool alike : {false, true}) {
    const auto graph = [] {
      Matrix a = graph_with_hot_columns<double, std::int32_t>(300001);
      a.val.assign(a.col.size(), 0.5);
      return a;
    };
    Problem        problem({"graph", graph, alike}, Mode::rounded);
    OnDevice<Real> format(problem.a.view(), ccoo_options(as_if_large()), {});
    EXPECT_GT(counted(format.format(), "hot columns"), 3000);
    expect_right_and_repeatable(problem, format);
  }
}

// Chunks that follow each other on one multiprocessor, and long rows by columns.
TEST_F(CcooOnDevice, ConsecutiveChunks)
{
  Problem        problem(wide_band<double, std::int32_t>(70001), Mode::rounded);
  OnDevice<Real> format(problem.a.view(), ccoo_options(as_if_large()), {});
  EXPECT_EQ(fact(format.format(), "multiprocessors take chunks"), "that follow each other");
  expect_right_and_repeatable(problem, format);
}

// Arrays of many megabytes come to the device by way of others, by several threads: each byte in its place, also where
// arrays do not end with a piece.
TEST_F(CcooOnDevice, LargeArraysArriveForAnyNumberOfThreads)
{
  const Problem problem(P::random(300007, 300007, 91, [](std::int32_t r, auto &) { return 3 + r % 9; }), Mode::rounded);
  for (int threads : {1, 2, 7, 20}) {
    const Real format(problem.a.view(), ccoo_options({}), {MemorySpace::device, threads});
    ASSERT_EQ(decoding_error(format, problem.a.view()), "") << threads << " threads";
  }
}

// Also for copies of 16 bytes.
TEST_F(CcooOnDevice, VectorsAtOddAddresses)
{
  std::vector<Named> matrices = all();
  for (std::int32_t n : {5, 12, 13, 20}) matrices.push_back(constant_stencil(n));
  for (const Named &named : matrices) {
    SCOPED_TRACE(named.name);
    const Problem problem(named, Mode::rounded);
    for (const Settings &settings : {as_if_large({{slide_option, When::always}}), Settings{{batches_option, When::always}}}) {
      OnDevice<Real> format(problem.a.view(), ccoo_options(settings), {});
      expect_same_at_odd_addresses(format, problem.cases[0]);
    }
  }
}

TEST_F(CcooOnDevice, SlidingStencils)
{
  std::vector<Named> matrices;
  for (const std::int32_t n : {5, 12, 13, 20, 33}) matrices.push_back(constant_stencil(n));
  for (const std::int32_t b : {2, 3})
    for (const bool open : {false, true})
      matrices.push_back({std::to_string(b) + " unknowns", [=] { return constant_nodes<double, std::int32_t>(12, b, open); }, true});
  for (const Named &named : matrices) {
    SCOPED_TRACE(named.name);
    Problem        problem(named, Mode::rounded);
    OnDevice<Real> format(problem.a.view(), ccoo_options({{tile_option, TileChoice::diagonal}, {slide_option, When::always}}), {});
    EXPECT_NE(fact(format.format(), "units that slide"), "0");
    expect_right_and_repeatable(problem, format);
  }
  Problem infinite(constant_stencil(12), Mode::rounded);
  std::fill(infinite.a.val.begin(), infinite.a.val.end(), std::numeric_limits<double>::infinity()); // must not be multiplied by zero
  EXPECT_EQ(fact(build(infinite.a, {{slide_option, When::always}, {batches_option, When::never}}), "units that slide"), "0");
}

// Constants become random, which their coding cannot keep, and constants again, with the pattern as it was.
TEST_F(CcooOnDevice, RefreshChangesCodings)
{
  for (const Named &named : {Named{"7-point stencil", [] { return P::stencil(20); }}, circuit()}) {
    Problem       constant(named, Mode::exact);
    const Problem random(named, Mode::rounded);
    for (double &v : constant.a.val) v = 2;
    for (auto &c : constant.cases) constant.refer(c);
    OnDevice<Real> format(constant.a.view(), ccoo_options({}), {});
    for (const auto &c : constant.cases) ASSERT_EQ(constant.wrong(format, c, 1.0, 0.0), "") << named.name;
    for (const Problem *now : {&random, &std::as_const(constant)}) {
      format.refresh(now->a.view());
      for (const auto &c : now->cases) EXPECT_EQ(now->wrong(format, c, 1.0, 0.0), "") << named.name;
      ASSERT_EQ(decoding_error(format.format(), now->a.view()), "") << named.name;
    }
  }
}

} // namespace
} // namespace petscspmv::test
