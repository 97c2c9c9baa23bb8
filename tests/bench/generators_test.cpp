/// \file generators_test.cpp
/// Generators: the matrices are sound, the same text gives the same matrix, and their statistics are what they promise.

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>

#include <gtest/gtest.h>

#include "bench/complaints.hpp"
#include "generators/generator.hpp"
#include "generators/twin_table.hpp"
#include "matrix/memory.hpp"
#include "matrix/random.hpp"
#include "matrix/statistics.hpp"

using namespace petscspmv::bench;

namespace {

/// A small call of each generator, and the variants that run other code.
const std::vector<std::string> kCalls = {"5pt:40x30",
                                         "7pt:12x8x5",
                                         "9pt:20,coef=variable",
                                         "7pt:9,coef=diagonal",
                                         "27pt:7,b=3",
                                         "flow:9x8x7,dx=100,x=-20,wheel=1e3",
                                         "materials:16",
                                         "blockfem:9,b=2",
                                         "fem:900",
                                         "fem:600,b=3,order=shuffled",
                                         "fem:800,order=banded,values=table",
                                         "banded:500",
                                         "random:300x200",
                                         "denselines:400",
                                         "rmat:9",
                                         "rmat:9,labels=random",
                                         "powerlaw:800",
                                         "circuit:2000",
                                         "lp:40x900",
                                         "twin:raefsky3",
                                         "5pt:40x30,shuffle=both",
                                         "lp:40x900,shuffle=rows"};

std::uint64_t fingerprint(const CsrMatrix &a)
{
  std::uint64_t h = hash64(std::uint64_t(a.rows), std::uint64_t(a.cols));
  for (Index p : a.row_ptr) h = hash64(h, std::uint64_t(p));
  for (Index c : a.col) h = hash64(h, std::uint64_t(c));
  for (double v : a.val) h = hash64(h, std::bit_cast<std::uint64_t>(v));
  return h;
}

void expect_sound(const CsrMatrix &a)
{
  ASSERT_EQ(a.row_ptr.size(), std::size_t(a.rows) + 1);
  ASSERT_EQ(a.row_ptr.front(), 0);
  ASSERT_EQ(std::size_t(a.row_ptr.back()), a.col.size());
  ASSERT_EQ(a.val.size(), a.col.size());
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      ASSERT_GE(a.col[k], 0);
      ASSERT_LT(a.col[k], a.cols);
      ASSERT_TRUE(std::isfinite(a.val[k]));
      ASSERT_TRUE(k == a.row_ptr[r] || a.col[k - 1] < a.col[k]) << "row " << r;
    }
}

double entry(const CsrMatrix &a, Index r, Index c)
{
  const auto begin = a.col.begin() + a.row_ptr[r], end = a.col.begin() + a.row_ptr[r + 1];
  const auto found = std::lower_bound(begin, end, c);
  return found != end && *found == c ? a.val[std::size_t(found - a.col.begin())] : 0;
}

MatrixStatistics statistics(const std::string &call)
{
  return statistics_of(parse_generator(call).generate());
}

} // namespace

TEST(Generators, MakeSoundMatricesOfThePredictedSize)
{
  for (const std::string &text : kCalls) {
    SCOPED_TRACE(text);
    const GeneratorCall call = parse_generator(text);
    const CsrMatrix     a    = call.generate();
    const Size          size = call.predict();
    expect_sound(a);
    EXPECT_LE(a.rows, size.rows);
    EXPECT_LE(a.cols, size.cols);
    EXPECT_LE(double(a.nonzeros()), 1.1 * double(size.nonzeros)) << "memory would be predicted too low";
    EXPECT_GT(a.nonzeros(), 0);
  }
}

TEST(Generators, TheListIsTestedInFull)
{
  for (const Generator &g : generators())
    EXPECT_TRUE(
      std::any_of(kCalls.begin(), kCalls.end(), [&g](const std::string &call) { return call.starts_with(std::string(g.name) + ":"); }))
      << g.name << " has no call in this test";
}

TEST(Generators, SameSeedSameMatrixAnotherSeedAnother)
{
  for (const std::string &text : kCalls) {
    SCOPED_TRACE(text);
    const std::uint64_t first = fingerprint(parse_generator(text).generate());
    EXPECT_EQ(first, fingerprint(parse_generator(text).generate()));
    const auto has      = [&text](const char *part) { return text.find(part) != std::string::npos; };
    const bool constant = text.starts_with("flow:") || (has("pt:") && !has("coef") && !has("shuffle"));
    EXPECT_EQ(constant, first == fingerprint(parse_generator(text + ",seed=2").generate()));
  }
}

// Results are compared across versions by the names of matrices: a generator that changes needs another name.
TEST(Generators, NamesMeanTheSameMatrixInEveryVersion)
{
  EXPECT_EQ(fingerprint(parse_generator("7pt:12x8x5,coef=variable").generate()), 0xe210ca9fcfa480a5U);
  EXPECT_EQ(fingerprint(parse_generator("rmat:9,labels=random").generate()), 0x25cace60179f2439U);
  EXPECT_EQ(fingerprint(parse_generator("fem:600,b=3").generate()), 0x571aec2c0393af27U);
}

TEST(Generators, StencilsHaveTheirPoints)
{
  const CsrMatrix a = parse_generator("7pt:5").generate();
  EXPECT_EQ(a.rows, 125);
  EXPECT_EQ(a.nonzeros(), 7 * 125 - 6 * 25);
  EXPECT_EQ(entry(a, 62, 62), 6);
  EXPECT_EQ(entry(a, 62, 62 + 25), -1);
  EXPECT_EQ(entry(a, 62, 62 + 26), 0);
  EXPECT_EQ(statistics("27pt:5").row_max, 27);
  EXPECT_EQ(statistics("9pt:5").size.nonzeros, 169);
  const MatrixStatistics blocks = statistics("5pt:6,b=4");
  EXPECT_EQ(blocks.block_size, 4);
  EXPECT_EQ(blocks.block_fill, 1);
  EXPECT_EQ(blocks.size.nonzeros, (5 * 36 - 4 * 6) * 16);
}

// Upwind: what flows in counts more than what flows out.
TEST(Generators, FlowsComeFromUpwind)
{
  const CsrMatrix still = parse_generator("flow:5,dz=7").generate(), flows = parse_generator("flow:5,x=12,y=-6").generate();
  EXPECT_EQ(entry(still, 62, 62), 2 + 2 + 2 * 7);
  EXPECT_EQ(entry(still, 62, 62 + 25), -7);
  EXPECT_EQ(entry(flows, 62, 61), -1 - 2);
  EXPECT_EQ(entry(flows, 62, 63), -1);
  EXPECT_EQ(entry(flows, 62, 62 + 5), -1 - 1);
  EXPECT_EQ(entry(flows, 62, 62), 6 + 2 + 1);
}

TEST(Generators, MeshesAreSymmetricAndDominatedByTheirDiagonals)
{
  for (const char *text : {"7pt:6,coef=variable", "7pt:6,coef=diagonal", "27pt:4,b=2,coef=variable", "fem:200,b=2", "fem:200,values=table",
                           "materials:9", "blockfem:5"}) {
    SCOPED_TRACE(text);
    const CsrMatrix a = parse_generator(text).generate();
    for (Index r = 0; r < a.rows; ++r) {
      double others = 0;
      for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
        ASSERT_EQ(a.val[k], entry(a, a.col[k], r));
        if (a.col[k] != r) others += std::fabs(a.val[k]);
      }
      ASSERT_GE(entry(a, r, r), others * (1 - 1e-12)) << "row " << r;
    }
  }
}

TEST(Generators, MaterialsLeaveGapsAndFewValues)
{
  const CsrMatrix     a = parse_generator("materials:24").generate();
  std::vector<double> values(a.val);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  EXPECT_LT(a.rows, 24 * 24 * 24 - 500) << "there are no holes";
  EXPECT_GT(statistics_of(a).diagonals, 7) << "the numbering has no gaps";
  EXPECT_LT(values.size(), 500U);
}

TEST(Generators, PointCloudsHaveTheirNeighboursAndNumbering)
{
  const MatrixStatistics hilbert = statistics("fem:20k"), shuffled = statistics("fem:20k,order=shuffled"),
                         banded = statistics("fem:20k,order=banded");
  EXPECT_NEAR(hilbert.row_mean, 15, 1.5); // fewer at the boundary
  EXPECT_EQ(hilbert.size.nonzeros, shuffled.size.nonzeros) << "the same mesh in another order";
  EXPECT_EQ(hilbert.size.nonzeros, banded.size.nonzeros);
  EXPECT_LT(double(banded.bandwidth), 0.1 * 20000);
  EXPECT_LT(hilbert.mean_span, 0.5 * shuffled.mean_span);
  EXPECT_EQ(statistics("fem:2k,b=3").block_size, 3);
}

TEST(Generators, GraphsAreSkewed)
{
  const MatrixStatistics rmat = statistics("rmat:14"), power = statistics("powerlaw:20k,mean=10");
  EXPECT_NEAR(rmat.row_mean, 16, 3); // repeated edges are merged
  EXPECT_GT(rmat.row_deviation, 2 * rmat.row_mean);
  EXPECT_GT(rmat.empty_rows, 0);
  EXPECT_NEAR(power.row_mean, 10, 2.5);
  EXPECT_GT(double(power.row_max), 50 * power.row_mean);
}

TEST(Generators, CircuitsAndDenseLinesHaveLongRows)
{
  const MatrixStatistics circuit = statistics("circuit:20k,long=5"), lines = statistics("denselines:5k,rows=3,cols=2");
  EXPECT_NEAR(double(circuit.row_max), 0.14 * 20000 * 0.93, 150); // some columns are drawn twice
  EXPECT_NEAR(circuit.row_mean, 5 + 5 * 2600.0 / 20000, 0.3);
  EXPECT_EQ(circuit.kind, "long rows");
  EXPECT_EQ(lines.row_max, 5000);
  const CsrMatrix a    = parse_generator("denselines:5k,rows=3,cols=2").generate();
  std::int64_t    full = 0;
  for (Index r = 0; r < a.rows; ++r) full += a.row_ptr[r + 1] - a.row_ptr[r] == a.cols;
  EXPECT_EQ(full, 3);
}

TEST(Generators, LinearProgramsAreWide)
{
  const MatrixStatistics s = statistics("lp:200x20k,col=10");
  EXPECT_EQ(s.kind, "rectangular");
  EXPECT_NEAR(double(s.size.nonzeros) / 20000, 10, 0.7);
  EXPECT_GT(double(s.row_max), 3 * s.row_mean);
}

TEST(Generators, ShufflingPermutes)
{
  const MatrixStatistics plain = statistics("7pt:10"), both = statistics("7pt:10,shuffle=both"), rows = statistics("7pt:10,shuffle=rows");
  EXPECT_EQ(plain.size.nonzeros, both.size.nonzeros);
  EXPECT_NEAR(plain.row_deviation, both.row_deviation, 1e-12);
  EXPECT_GT(both.bandwidth, plain.bandwidth);
  EXPECT_NEAR(rows.mean_span, plain.mean_span, 1e-9) << "rows keep their columns";
  const CsrMatrix a = parse_generator("7pt:10,shuffle=both").generate();
  for (Index r = 0; r < a.rows; ++r) EXPECT_EQ(entry(a, r, r), 6);
}

class Twins : public testing::TestWithParam<TwinStatistics> { };

TEST_P(Twins, HaveThePublishedStatistics)
{
  const TwinStatistics  &t = GetParam();
  const MatrixStatistics s = statistics("twin:" + std::string(t.name));
  EXPECT_EQ(s.size.rows, t.rows);
  EXPECT_EQ(s.size.cols, t.cols);
  EXPECT_EQ(s.size.nonzeros, std::llround(double(t.rows) * t.row_mean));
  EXPECT_NEAR(s.row_deviation, t.row_deviation, 0.05 * t.row_deviation + 0.05);
  EXPECT_EQ(s.row_max, std::llround(t.row_mean * (1 + t.skew)));
  EXPECT_NEAR(s.mean_span / double(s.size.cols), t.span, 0.05 * t.span);
  EXPECT_NEAR(s.neighbours, t.neighbours, 0.4);
}

// All of them hold; those with few nonzeros are enough to see that the code does.
std::vector<TwinStatistics> small_twins()
{
  std::vector<TwinStatistics> small;
  for (const TwinStatistics &t : kTwins)
    if (double(t.rows) * t.row_mean < 4.2e6) small.push_back(t);
  return small;
}

INSTANTIATE_TEST_SUITE_P(Table, Twins, testing::ValuesIn(small_twins()), [](const auto &info) {
  std::string name(info.param.name);
  std::replace_if(
    name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(GeneratorCalls, AreRefusedWithTheRemedy)
{
  const auto expect = [](const std::string &call, const std::string &part) {
    expect_complaint([&] { parse_generator(call).predict(); }, part, call);
  };
  expect("8pt:10", "The generators are: 5pt, 7pt");
  expect("7pt:ten", "'ten' is given for the size in '7pt:ten'");
  expect("7pt:0", "between 1 and");
  expect("7pt:1000000", "more than 10^12 nodes");
  expect("materials:1000000", "more than 10^12 nodes");
  expect("5pt:9999999999999", "between 1 and 10^12");
  expect("7pt:10x10", "7pt takes n or nx x ny x nz");
  expect("7pt:10,coef=wild", "one of: constant, diagonal, variable");
  expect("7pt:10,b=99", "between 1 and 16");
  expect("7pt:10,bs=3", "the keys: b, coef, seed, shuffle");
  expect("twin:cantt", "There are: scircuit");
  expect("rmat:60", "10 to 30");
  EXPECT_THROW(parse_generator("lp:10x20,shuffle=both").generate(), InputError);
}

TEST(GeneratorCalls, SizesMayBeShort)
{
  EXPECT_EQ(parse_count("200k", "n"), 200000);
  EXPECT_EQ(parse_count("1.5M", "n"), 1500000);
  EXPECT_THROW(parse_count("1.5", "n"), InputError);
  EXPECT_THROW(parse_count("k", "n"), InputError);
  EXPECT_THROW(parse_count("-3", "n"), InputError);
  EXPECT_THROW(parse_count("1e999", "n"), InputError);
}

TEST(Memory, IsPredictedBeforeItIsTaken)
{
  const Size size = parse_generator("7pt:1000").predict();
  EXPECT_EQ(size.rows, 1000000000);
  const std::int64_t needed = predicted_memory(size, 3);
  EXPECT_GT(needed, 3 * csr_bytes(size));
  expect_complaint([&] { check_memory("7pt:1000", size, needed, std::int64_t(16) << 30); }, "17.2 GB are free");
  EXPECT_NO_THROW(check_memory("7pt:10", {1000, 1000, 7000}, predicted_memory({1000, 1000, 7000}, 9), 1 << 24));
  EXPECT_GT(available_memory(), 0);
}

TEST(Statistics, ClassesAreToldByStructure)
{
  const auto kind = [](const std::string &call) { return statistics_of(parse_generator(call).generate()).kind; };
  EXPECT_EQ(kind("7pt:30"), "diagonals");
  EXPECT_EQ(kind("27pt:8,b=3"), "blocks");
  EXPECT_EQ(kind("lp:50x2000"), "rectangular");
  EXPECT_EQ(kind("circuit:50k"), "long rows");
  EXPECT_EQ(kind("fem:5k"), "unstructured");
  EXPECT_EQ(kind("rmat:8"), "skewed");
}
