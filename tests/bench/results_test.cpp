/// \file results_test.cpp
/// Records, files of results, reports: golden texts made on a fake clock, and what happens to damaged files.
///
/// To accept new texts: PETSCSPMV_UPDATE_GOLDEN=1 bench_results_test; then read the difference.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/complaints.hpp"
#include "bench/fakes.hpp"
#include "matrix/statistics.hpp"
#include "records/csv.hpp"
#include "records/json.hpp"
#include "records/results_file.hpp"
#include "report/baseline.hpp"
#include "report/report.hpp"

using namespace petscspmv::bench;
namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path &path)
{
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void expect_golden(const std::string &name, const std::string &text)
{
  const fs::path path = fs::path(GOLDEN_FOLDER) / name;
  if (std::getenv("PETSCSPMV_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, read_text(path)) << "differs from " << path;
}

struct Player {
  CompetitorName name;
  FakeBehaviour  does;
};

/// A type that is fast, one that is wrong on the last matrix, and three peers.
std::vector<Player> players(double pace, bool spoiled)
{
  return {
    {{"fasttype", "", Role::type, 1, 1}, {.build = 8 * pace, .product = pace, .refresh = pace / 2, .bytes = ProductBytes{3000, 1000}}},
    {{"badtype", "height=64", Role::type, 1, 1},
     {.build = pace, .product = pace / 4, .error = spoiled ? 1.0 : 0.0, .right_products = 1, .bytes = ProductBytes{5000, 0}}},
    {{"raw:fasttype", "", Role::raw, 1, 1}, {.build = 8 * pace, .product = pace - 2e-7}},
    {{"aij", "", Role::peer, 1, 1}, {.product = 1.5 * pace, .bytes = ProductBytes{7000, 0}}},
    {{"mkl", "", Role::peer, 1, 1}, {.build = 20 * pace, .product = spoiled ? 0.8 * pace : 1.2 * pace}},
    {{"baij", "", Role::peer, 1, 1}, {.fails = "blocks, there are none"}}};
}

Record blank(const std::string &call, const CsrMatrix &a, const CompetitorName &who)
{
  Record r;
  r.command    = "spmv";
  r.date       = FakeClock().date();
  r.matrix     = {call, "generator", statistics_of(a)};
  r.competitor = who;
  r.machine    = {"Abacus 3000", 2, 100000, std::int64_t(1) << 34, "Linux 6.1 x86_64"};
  r.bandwidth  = {20e9, 18e9};
  r.versions   = {"0.1.0", "abc123", "3.18.5", "GNU 12.2.0", "Open MPI", {{"mkl", "2026.0"}}};
  return r;
}

/// Runs the protocol on a fake clock.
std::vector<Record> measure(const std::string &call, const std::vector<Player> &competitors)
{
  FakeContest f;
  f.matrix = parse_generator(call).generate();
  f.local  = {&f.matrix, f.matrix.rows, 0, 0, f.matrix.cols};
  f.oracle = Oracle(f.local);
  for (const Player &p : competitors) {
    f.add(p.name.name, p.name.role, p.does);
    f.entrants.back().name = p.name;
  }
  Contest contest = f.contest();
  contest.build();
  std::vector<Record> records;
  for (Regime regime : {Regime::cold, Regime::warm}) {
    contest.run(regime);
    for (const Entrant &e : f.entrants) {
      Record r  = blank(call, f.matrix, e.name);
      r.regime  = regime;
      r.status  = e.status;
      r.reason  = e.reason;
      r.error   = e.error == 0 ? 0 : e.error < 1 ? 0.25 : 1e9; // the exact value depends on the compiler's sums
      r.first   = e.first;
      r.bytes   = e.product->bytes();
      r.repeats = e.repeats;
      if (e.runs()) r.time = e.time;
      if (e.status == Status::wrong) r.reason = "the result after timing differs from the oracle's";
      records.push_back(r);
    }
  }
  return records;
}

std::vector<Record> measure(const std::string &call, double pace, bool spoiled)
{
  return measure(call, players(pace, spoiled));
}

std::vector<Record> sample_records()
{
  std::vector<Record> records;
  for (auto [call, pace, spoiled] :
       {std::tuple("5pt:10", 1e-6, false), std::tuple("27pt:8", 2e-5, false), std::tuple("lp:20x300", 3e-6, true)}) {
    const auto more = measure(call, pace, spoiled);
    records.insert(records.end(), more.begin(), more.end());
  }
  return records;
}

std::vector<Record> conversion_records()
{
  const CsrMatrix     a = parse_generator("5pt:10").generate();
  std::vector<Record> records;
  for (const Player &p : players(1e-6, false)) {
    if (!p.does.fails.empty()) continue;
    Record r     = blank("5pt:10", a, p.name);
    r.command    = "convert";
    r.time       = quantiles_of({p.does.product});
    r.bytes      = p.does.bytes;
    r.conversion = Conversion{quantiles_of({p.does.build, 2 * p.does.build}), quantiles_of({p.does.refresh})};
    records.push_back(r);
  }
  return records;
}

std::vector<Record> solve_records()
{
  std::vector<Record> records;
  const CsrMatrix     a = parse_generator("5pt:10").generate();
  for (auto [name, seconds, role] :
       {std::tuple("fasttype", 0.5, Role::type), std::tuple("aij", 1.0, Role::peer), std::tuple("aijsell", 0.75, Role::peer)}) {
    Record r  = blank("5pt:10", a, {name, "", role, 1, 2});
    r.command = "solve";
    r.solve   = Solve{"cg",
                    "jacobi",
                    25,
                    3e-9,
                    1e-8,
                    quantiles_of({0.01}),
                    quantiles_of({0.002}),
                    quantiles_of({seconds}),
                    quantiles_of({seconds / 40}),
                    quantiles_of({seconds + 0.012}),
                    quantiles_of({seconds / 2})};
    records.push_back(r);
  }
  return records;
}

/// The same protocol with what a device adds; one of the peers cannot be recorded, one is wrong.
std::vector<Record> device_records()
{
  const std::vector<Player> competitors = {
    {{"fasttype", "", Role::type, 1, 1}, {.build = 3e-5, .product = 2e-5, .bytes = ProductBytes{6000, 6000}}},
    {{"aijcusparse", "", Role::peer, 1, 1}, {.build = 1e-4, .product = 4e-5, .bytes = ProductBytes{5920, 5920}}},
    {{"csrvector", "", Role::peer, 1, 1}, {.product = 1e-5, .error = 1.0, .right_products = 1}},
    {{"cusparse-csr1", "", Role::peer, 1, 1}, {.build = 1e-4, .product = 3e-5, .bytes = ProductBytes{5920, 6176}}}};
  std::vector<Record> records = measure("5pt:10", competitors);
  for (Record &r : records) {
    const bool cold = r.regime == Regime::cold;
    r.bandwidth     = {4e12, 3.9e12};
    r.device        = OnDevice{{"Abacus GPU", "CUDA 13.0, driver for 13.1", 50000000, 150000000000, 132},
                        {cold ? 2.7e-6 : 1.5e-6, cold ? 4.2e-6 : 2.1e-6},
                        536870912,
                        !cold && r.competitor.name != "aijcusparse",
                        r.competitor.name == "aijcusparse" ? 9e-6 : 3e-6};
  }
  return records;
}

/// One that brings rows, one that does so and takes longer, one that needs no rows, one without a result, and a peer.
std::vector<Record> device_conversion_records()
{
  const CsrMatrix     a = parse_generator("5pt:10").generate();
  std::vector<Record> records;
  for (auto [name, build, role] :
       {std::tuple("aijspec", 3e-4, Role::type), std::tuple("fasttype", 5e-4, Role::type), std::tuple("tinytype", 1e-4, Role::type),
        std::tuple("badtype", 1e-5, Role::type), std::tuple("aijcusparse", 4e-3, Role::peer)}) {
    Record r     = blank("5pt:10", a, {name, "", role, 1, 1});
    r.command    = "convert";
    r.status     = std::string(name) == "badtype" ? Status::wrong : Status::ok;
    r.time       = quantiles_of({role == Role::peer ? 4e-5 : 1e-5});
    r.conversion = Conversion{quantiles_of({build}), quantiles_of({build / 2})};
    r.device     = OnDevice{{"Abacus GPU", "CUDA 13.0, driver for 13.1", 50000000, 150000000000, 132}, {}, 536870912, true, 3e-6};
    records.push_back(r);
  }
  return records;
}

class ResultsFolder : public testing::Test {
protected:
  ResultsFolder() : path((fs::temp_directory_path() / ("petscspmv-results-" + std::to_string(getpid()) + ".jsonl")).string())
  {
    fs::remove(path);
  }
  ~ResultsFolder() override { fs::remove(path); }

  std::string path;
};

} // namespace

TEST(Golden, TerminalTable)
{
  const auto  records = sample_records();
  std::string text;
  for (std::size_t begin = 0; begin < records.size(); begin += 6)
    text += terminal_table({records.begin() + std::ptrdiff_t(begin), records.begin() + std::ptrdiff_t(begin + 6)});
  text += roof_legend(records) + terminal_table(conversion_records()) + terminal_table(solve_records());
  EXPECT_EQ(roof_legend(conversion_records()), "") << "there are no roofs";
  expect_golden("table.txt", text);
}

// What those who ran have to say is told once for all who say it, and a single nonzero is no nonzeros.
TEST(TerminalTable, RemarksAndASingleNonzero)
{
  std::vector<Record> records;
  for (const char *name : {"fasttype", "aij", "othertype"}) {
    records.push_back(blank("one", parse_generator("5pt:1").generate(), {name, "", Role::type, 1, 1}));
    records.back().command = "spmv";
    if (records.back().competitor.name != "aij") records.back().reason = "AIJ multiplies this one";
  }
  const std::string text = terminal_table(records);
  EXPECT_NE(text.find("one: 1 x 1, 1 nonzero, "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  fasttype, othertype: AIJ multiplies this one\n"), std::string::npos) << text;
}

TEST(Golden, Report)
{
  auto records = sample_records();
  for (const auto &more : {conversion_records(), solve_records()}) records.insert(records.end(), more.begin(), more.end());
  expect_golden("report.md", markdown_report(records, 0.02));
}

TEST(Golden, JsonAndCsv)
{
  const auto  records = measure("5pt:10", 1e-6, true);
  std::string text;
  for (const Record &r : records) text += to_json(r) + "\n";
  text += to_json(conversion_records()[0]) + "\n" + to_json(solve_records()[0]) + "\n";
  expect_golden("records.jsonl", text);
  expect_golden("records.csv", to_csv(records));
}

TEST(Golden, OnADevice)
{
  const auto  records = device_records();
  const auto  half    = records.begin() + std::ptrdiff_t(records.size() / 2);
  std::string lines;
  for (const Record &r : records) lines += to_json(r) + "\n";
  expect_golden("device-table.txt", terminal_table({records.begin(), half}) + terminal_table({half, records.end()}));
  expect_golden("device-report.md", markdown_report(records, 0.02));
  expect_golden("device-records.jsonl", lines);
  expect_golden("device-records.csv", to_csv(records));
}

TEST(Golden, ConversionOnADevice)
{
  expect_golden("device-conversion.md", markdown_report(device_conversion_records(), 0.02));
}

TEST(Report, TheSameTypeOnHostAndDeviceIsTwoMeasurements)
{
  auto       records = device_records();
  const auto before  = records;
  for (Record &r : records) r.device.reset();
  records.insert(records.end(), before.begin(), before.end());
  EXPECT_EQ(latest(records).size(), records.size()) << "a product on the device replaces none on the host";
  const std::string report = markdown_report(records, 0.02), device = markdown_report(before, 0.02);
  ASSERT_GT(report.size(), device.size());
  EXPECT_EQ(report.substr(report.size() - device.size()), device) << "those on the host have no part in the tables of the device";
}

TEST(Report, WrongResultsAreInNoMean)
{
  const std::string report = markdown_report(sample_records(), 0.02);
  // badtype is four times as fast as fasttype, and wrong on one matrix of three.
  EXPECT_NE(report.find("**WRONG**: badtype:height=64 on lp:20x300"), std::string::npos);
  EXPECT_NE(report.find("| badtype:height=64 | aij       |        2 |          6.00x"), std::string::npos) << report;
}

// aijcusparse, the usual opponent, has met one of two matrices: whoever met both stands in the tables that have room
// for one.
TEST(Report, TheMainOpponentHasMetMostMatrices)
{
  auto       records = device_records();
  const auto first   = records;
  for (Record r : first)
    if (r.competitor.name != "aijcusparse") {
      r.matrix.name = "5pt:11";
      records.push_back(r);
    }
  const std::string alone = markdown_report(first, 0.02), both = markdown_report(records, 0.02);
  EXPECT_NE(alone.find("| against aijcusparse |"), std::string::npos) << alone;
  EXPECT_NE(both.find("| against cusparse-csr1 |"), std::string::npos) << both;
  EXPECT_EQ(both.find("| against aijcusparse |"), std::string::npos) << both;
}

// 460, 10,648 and 2,017 nonzeros by 16 bytes, of which a product reads 3,000; and what is wrong counts here neither.
TEST(Report, FootprintsAreComparedWithCoordinates)
{
  auto records = sample_records();
  for (Record &r : records)
    if (r.competitor.name == "fasttype" && r.matrix.name == "5pt:10") r.bytes->read = std::int64_t(2) * 16 * 460;
  const std::string report = markdown_report(records, 0.02);
  EXPECT_NE(report.find("| fasttype          |        3 |           11.26 |          30 % | -100 % (5pt:10)"), std::string::npos) << report;
  EXPECT_NE(report.find("| badtype:height=64 |        2 |            5.67 |          65 % |"), std::string::npos) << report;
}

TEST(Json, ComesBackAsItWas)
{
  auto records = sample_records();
  for (const auto &more : {conversion_records(), solve_records(), device_records()})
    records.insert(records.end(), more.begin(), more.end());
  for (const Record &r : records) EXPECT_EQ(to_json(from_json(to_json(r))), to_json(r));
  Record infinite = records[0];
  infinite.error  = INFINITY;
  EXPECT_EQ(from_json(to_json(infinite)).error, INFINITY);
}

TEST(Json, SaysWhatIsNoWholeNumber)
{
  std::string line = to_json(sample_records()[0]);
  line.replace(line.find("\"ranks\":") + 8, 1, "5e19");
  expect_complaint([&] { from_json(line); }, "'ranks' is no whole number");
}

TEST_F(ResultsFolder, ResumeGoesOnAfterAKill)
{
  const auto records = sample_records();
  {
    ResultsFile file(path, IfExists::refuse);
    file.append({records.begin(), records.begin() + 6});
  }
  // A kill in the middle of a line.
  std::ofstream(path, std::ios::binary | std::ios::app) << to_json(records[6]).substr(0, 200);
  EXPECT_EQ(read_results(path).size(), 6U);

  ResultsFile file(path, IfExists::resume);
  EXPECT_TRUE(file.holds({records.begin(), records.begin() + 6}));
  EXPECT_FALSE(file.holds({records.begin(), records.begin() + 7}));
  file.append({records.begin() + 6, records.end()});
  const auto all = read_results(path);
  ASSERT_EQ(all.size(), records.size());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(to_json(all[k]), to_json(records[k]));
}

TEST_F(ResultsFolder, ResumeMeasuresAnewWithAnotherProgram)
{
  auto records = sample_records();
  ResultsFile(path, IfExists::refuse).append(records);
  const ResultsFile file(path, IfExists::resume);
  records[0].versions.commit = "def456";
  EXPECT_FALSE(file.holds({records[0]}));
}

TEST_F(ResultsFolder, NothingIsOverwrittenUnasked)
{
  ResultsFile(path, IfExists::refuse).append(sample_records());
  EXPECT_THROW(ResultsFile(path, IfExists::refuse), InputError);
  ResultsFile replaced(path, IfExists::replace);
  EXPECT_EQ(read_results(path).size(), 0U);
}

TEST_F(ResultsFolder, ABadLineIsNamed)
{
  std::ofstream(path) << to_json(sample_records()[0]) << "\n{}\n";
  expect_complaint([&] { read_results(path); }, "', line 2: this is not a record");
  EXPECT_THROW(read_results("/nowhere/results.jsonl"), InputError);
  EXPECT_THROW(ResultsFile("/nowhere/results.jsonl", IfExists::refuse), InputError);
}

TEST(Records, TheLastOfTheSameCounts)
{
  auto records = measure("5pt:10", 1e-6, false), again = measure("5pt:10", 2e-6, false);
  again.resize(1);
  records.insert(records.end(), again.begin(), again.end());
  const auto last = latest(records);
  ASSERT_EQ(last.size(), 12U);
  EXPECT_NEAR(last.back().time.median, 2e-6, 1e-12);
}

TEST(Baseline, SlowerIsARegression)
{
  const auto before = measure("5pt:10", 1e-6, false), slower = measure("5pt:10", 1.1e-6, false);
  EXPECT_EQ(compare_with_baseline(before, before, 0.05).regressions, 0);
  EXPECT_EQ(compare_with_baseline(before, before, 0.05).compared, 10);
  EXPECT_EQ(compare_with_baseline(slower, before, 0.05).regressions, 10);
  EXPECT_EQ(compare_with_baseline(slower, before, 0.2).regressions, 0);
  EXPECT_EQ(compare_with_baseline(before, slower, 0.05).regressions, 0) << "faster is none";
}

TEST(Baseline, NoLongerRightIsARegression)
{
  const auto before = measure("5pt:10", 1e-6, false);
  auto       now    = before;
  now[0].status     = Status::wrong;
  const auto result = compare_with_baseline(now, before, 0.05);
  EXPECT_EQ(result.regressions, 1);
  EXPECT_NE(result.text.find("wrong"), std::string::npos);
}
