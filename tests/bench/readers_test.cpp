/// \file readers_test.cpp
/// Files: what they mean, and what is said about bad ones.

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "bench/complaints.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/petsc_binary.hpp"
#include "matrix/source.hpp"
#include "records/json.hpp"
#include "support/reader_cases.hpp"

using namespace petscspmv::bench;
namespace fs = std::filesystem;

namespace {

CsrMatrix read(const std::string &text)
{
  const auto source = open_bytes(text, "a.mtx");
  return read_matrix_market(*source);
}

void expect_refused(const std::string &text, const std::string &part)
{
  expect_complaint([&] { read(text); }, part, text);
}

const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

class Folder : public testing::Test {
protected:
  Folder() : path(fs::temp_directory_path() / ("petscspmv-readers-" + std::to_string(getpid())))
  {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() override { fs::remove_all(path); }

  std::string write(const std::string &name, const std::string &content) const
  {
    std::ofstream(path / name, std::ios::binary) << content;
    return (path / name).string();
  }
  std::string write_gzipped(const std::string &name, const std::string &content) const
  {
    gzFile file = gzopen((path / name).c_str(), "wb");
    gzwrite(file, content.data(), unsigned(content.size()));
    gzclose(file);
    return (path / name).string();
  }

  fs::path path;
};

std::string big_endian(std::initializer_list<std::int64_t> integers, std::initializer_list<double> reals, int bytes = 4)
{
  std::string text;
  const auto  add = [&text](std::uint64_t bits, int n) {
    for (int k = n - 1; k >= 0; --k) text += char(bits >> (8 * k) & 0xff);
  };
  for (std::int64_t i : integers) add(std::uint64_t(i), bytes);
  for (double r : reals) add(std::bit_cast<std::uint64_t>(r), 8);
  return text;
}

CsrMatrix read_binary(const std::string &bytes)
{
  const auto source = open_bytes(bytes, "a.petsc");
  return read_petsc_binary(*source);
}

} // namespace

TEST(MatrixMarket, SharedFiles)
{
  for (const auto &c : petscspmv::test::reader_cases(READER_FILES)) {
    CsrMatrix         a;
    const std::string words    = complaint([&] {
      for (const auto &source : find_sources({c.path})) a = source.make();
    });
    const std::string expected = c.kind == "complex"   ? "the matrix is complex"
                                 : c.kind == "refused" ? "line " + std::to_string(c.line)
                                                       : "no complaint";
    ASSERT_NE(words.find(expected), std::string::npos) << c.path << ": " << words;
    if (c.kind != "matrix") continue;
    std::vector<double> all(std::size_t(a.rows) * std::size_t(a.cols), 0);
    for (Index r = 0; r < a.rows; ++r)
      for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
        all[std::size_t(r) * std::size_t(a.cols) + std::size_t(a.col[k])] = a.val[k];
        EXPECT_TRUE(k == a.row_ptr[r] || a.col[k - 1] < a.col[k]) << c.path << ": entries of the same place add up";
      }
    if (c.path.ends_with("skew.mtx")) { EXPECT_EQ(a.nonzeros(), a.rows * (a.rows - 1)) << "there is no diagonal"; }
    EXPECT_EQ(a.rows, c.rows) << c.path;
    EXPECT_EQ(a.cols, c.cols) << c.path;
    EXPECT_EQ(all, c.values) << c.path;
  }
}

TEST(MatrixMarket, ValuesTooSmallToBeRepresentedAreZero)
{
  EXPECT_EQ(read(kReal + "1 3 3\n1 1 1e-400\n1 2 1E-400\n1 3 1D-400\n").val, (std::vector<double>{0, 0, 0}));
  expect_refused(kReal + "1 1 1\n1 1 1E400\n", "one finite value");
}

TEST(MatrixMarket, EmptyMatrices)
{
  EXPECT_EQ(read(kReal + "0 0 0\n").rows, 0);
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n0 7\n").cols, 7);
}

TEST(MatrixMarket, BadFilesAreRefusedByLine)
{
  expect_refused("", "'a.mtx' is empty");
  expect_refused("1 2 3\n", "line 1: expected '%%MatrixMarket matrix");
  expect_refused("%%MatrixMarket matrix coordinate complex general\n", "line 1: the matrix is complex");
  expect_refused("%%MatrixMarket matrix coordinate real diagonal\n", "found 'diagonal' for the symmetry");
  expect_refused("%%MatrixMarket matrix array pattern general\n", "found 'pattern' for the field");
  expect_refused(kReal, "ends after line 1; expected a line with three whole numbers");
  expect_refused(kReal + "3 3\n", "line 2: expected three whole numbers");
  expect_refused(kReal + "3 3 -1\n", "line 2: expected three whole numbers");
  expect_refused(kReal + "3 3 99999999999999999999\n", "line 2: expected three whole numbers");
  expect_refused("%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n", "line 2: a symmetric matrix must be square");
  expect_refused(kReal + "3 3 2\n1 1 1\n", "ends after line 3 with 1 entries, but its head announced 2");
  expect_refused(kReal + "3 3 1\n1 1 1\n2 2 2\n", "line 4: the file should have ended");
  expect_refused(kReal + "3 3 1\n4 1 1\n", "line 3: the row is 4, but they are numbered 1 to 3");
  expect_refused(kReal + "3 3 1\n1 0 1\n", "line 3: the column is 0, but they are numbered 1 to 3");
  expect_refused(kReal + "3 3 1\n1 1\n", "line 3: expected row, column and one finite value, found '1 1'");
  expect_refused(kReal + "3 3 1\n1 1 nan\n", "line 3: expected row, column and one finite value");
  expect_refused(kReal + "3 3 1\n1 1 1e999\n", "line 3: expected row, column and one finite value");
  expect_refused(kReal + "3 3 1\n1 1 1 1\n", "line 3: expected row, column and one finite value");
  expect_refused(kReal + "3 3 1\n1 x 1\n", "found '1 x 1'");
  expect_refused("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3 4\n", "line 5: expected one finite value");
  if (sizeof(Index) == 4) expect_refused(kReal + "9999999999 3 1\n", "does not fit the 32-bit integers");
}

TEST(MatrixMarket, AHeadThatPromisesTooMuchTakesNoMemory)
{
  expect_refused(kReal + "2000000000 3 2000000000000000\n1 1 1\n", "with 1 entries, but its head announced 2000000000000000");
  expect_refused(kReal + "1 1 1\n" + std::string(3 << 20, '1'), "line 3: the line is longer than");
}

TEST(PetscBinary, ReadsWhatMatViewWrites)
{
  for (int bytes : {4, 8}) {
    const CsrMatrix a = read_binary(big_endian({1211216, 2, 3, 3, 2, 1, 2, 0, 1}, {}, bytes) + big_endian({}, {1.5, -2, 1e300}));
    EXPECT_EQ(a.rows, 2);
    EXPECT_EQ(a.cols, 3);
    EXPECT_EQ(a.col, (std::vector<Index>{0, 2, 1}));
    EXPECT_EQ(a.val, (std::vector<double>{-2, 1.5, 1e300}));
  }
}

TEST(PetscBinary, BadFilesAreRefused)
{
  const auto expect = [](const std::string &bytes, const std::string &part) { expect_complaint([&] { read_binary(bytes); }, part); };
  expect("", "ends at byte 0, where the class of the object was expected");
  expect(big_endian({1211217, 2, 3, 3}, {}), "does not begin with the number 1211216");
  expect(big_endian({1211216, 2, 3}, {}), "the number of nonzeros was expected");
  expect(big_endian({1211216, 2, 3, -1}, {}), "dense");
  expect(big_endian({1211216, -2, 3, 1}, {}), "-2 x 3");
  expect(big_endian({1211216, 2, 3, 3, 2, 1, 2, 0}, {}), "should have 60 bytes");
  expect(big_endian({1211216, 2, 3, 3, 4, 1, 2, 0, 1}, {1, 2, 3}), "the length of row 0 is 4");
  expect(big_endian({1211216, 2, 3, 3, 1, 1, 2, 0, 1}, {1, 2, 3}), "add up to 2, not to 3");
  expect(big_endian({1211216, 2, 3, 3, 2, 1, 3, 0, 1}, {1, 2, 3}), "row 0 has column 3");
  expect(big_endian({1211216, 2, 3, 3, 2, 1, 2, 0, 1}, {1, 2, std::nan("")}), "a value in row 1 is not a finite number");
}

TEST(PetscBinary, ComplexValuesAreRefused)
{
  for (int bytes : {4, 8}) {
    const std::string head = big_endian({1211216, 2, 3, 3, 2, 1, 2, 0, 1}, {}, bytes), real = head + big_endian({}, {1, 2, 3});
    expect_complaint([&] { read_binary(head + big_endian({}, {1.5, 0, -2, 1, 4, 0})); }, "the values are complex");
    EXPECT_EQ(read_binary(real + big_endian({1211214, 1}, {}, bytes) + big_endian({}, {7})).nonzeros(), 3) << "a vector may follow";
  }
}

TEST_F(Folder, FilesAreToldByTheirBytes)
{
  write("b.mtx", kReal + "2 2 1\n1 1 1\n");
  write_gzipped("a.mtx.gz", kReal + "2 2 2\n1 1 1\n2 2 1\n");
  write("c.bin", big_endian({1211216, 2, 3, 3, 2, 1, 2, 0, 1}, {1, 2, 3}));
  write("notes.txt", "nothing");
  const auto sources = find_sources({path.string()});
  ASSERT_EQ(sources.size(), 3U) << "files of other kinds are left alone";
  EXPECT_EQ(sources[0].name, "a");
  EXPECT_EQ(sources[0].predict().nonzeros, 2);
  EXPECT_EQ(sources[0].make().nonzeros(), 2);
  EXPECT_EQ(sources[1].make().nonzeros(), 1);
  EXPECT_EQ(sources[2].predict().cols, 3);
  EXPECT_EQ(sources[2].make().nonzeros(), 3);
}

TEST_F(Folder, BadFilesAreNamed)
{
  const auto expect = [](const std::string &argument, const std::string &part) {
    const auto make = [&] {
      for (const auto &source : find_sources({argument})) source.make();
    };
    expect_complaint(make, part, argument);
  };
  expect(path.string(), "There is no matrix in the folder");
  expect((path / "none.mtx").string(), "There is no file");
  expect("none.mtx", "There is no file and no generator 'none.mtx'. The generators are");
  expect(write("empty.mtx", ""), "is empty");
  ASSERT_EQ(mkfifo((path / "pipe").c_str(), 0600), 0);
  expect((path / "pipe").string(), "is a pipe or a device");
  expect(write("picture.mtx", "\x89PNG...."), "line 1: expected '%%MatrixMarket' or");

  std::string content = kReal + "2000 2000 2000\n";
  for (int k = 1; k <= 2000; ++k) content += std::to_string(k) + " " + std::to_string(2001 - k) + " " + std::to_string(1.0 / k) + "\n";
  const std::string whole = write_gzipped("whole.mtx.gz", content);
  std::ifstream     file(whole, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  expect(write("half.mtx.gz", bytes.substr(0, bytes.size() / 2)), "is damaged or cut off");
}

TEST(Json, SaysWhatIsMissing)
{
  expect_complaint([] { from_json(R"({"command":"spmv"})"); }, "'date' not found");
  EXPECT_THROW(from_json("not JSON"), InputError);
  EXPECT_THROW(from_json("[]"), InputError);
}
