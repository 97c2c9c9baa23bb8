// The reader of Matrix Market files in examples/: bad ones give sentences on every rank.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "matrixmarket_files.hpp"

namespace {

struct BadFile {
  std::string text, expected;
};

TEST(MatrixMarket, BadFilesGiveSentences)
{
  const BadFile files[] = {
    {"", "line 0: A Matrix Market file begins with"},
    {"1 1 1\n1 1 1\n", "line 1: A Matrix Market file begins with"},
    {banner + "real\n1 1 1\n1 1 1\n", "line 1: A Matrix Market file begins with"},
    {"%%MatrixMarket matrix sheet real general\n1 1\n1\n", "this is 'matrix sheet'"},
    {"%%MatrixMarket vector coordinate real general\n1 1\n1\n", "this is 'vector coordinate'"},
    {banner + "quaternion general\n", "line 1: The field is 'quaternion'"},
    {banner + "real lopsided\n", "line 1: The symmetry is 'lopsided'"},
    {banner + "real general\n% nothing more\n", "line 2: The file ends before the line with the numbers of rows"},
    {banner + "real general\n2 2\n", "line 2: The number of entries should be a whole number"},
    {banner + "real general\n-2 2 1\n1 1 1\n", "line 2: The number of rows should be a whole number"},
    {banner + "real general\n2 99999999999999999999 1\n1 1 1\n", "line 2: The number of columns should be a whole number"},
    {banner + "real general\n2 2 1 1\n1 1 1\n", "line 2: The line should end before '1"},
    {banner + "real symmetric\n2 3 1\n1 1 1\n", "line 2: A symmetric matrix is square, but this one has 2 rows and 3 columns"},
    {banner + "real general\n2 2 2\n1 1 1\n", "line 3: The file ends here, after 1 of the 2 entries"},
    {banner + "real general\n2 2 9000000000000000000\n1 1 1\n", "line 3: The file ends here, after 1 of the 9000000000000000000 entries"},
    {banner + "real general\n2 2 1\n1 1 1\n2 2 1\n", "line 4: There is more in the file than the 1 entries"},
    {banner + "real general\n2 2 1\n0 1 1\n", "line 3: The row should be a whole number from 1 to 2"},
    {banner + "real general\n2 2 1\n1 3 1\n", "line 3: The column should be a whole number from 1 to 2"},
    {banner + "real general\n2 2 1\n1 1.5 1\n", "line 3: The column should be a whole number from 1 to 2"},
    {banner + "real general\n2 2 1\n1 1\n", "line 3: There should be a finite number"},
    {banner + "real general\n2 2 1\n1 1 one\n", "line 3: There should be a finite number where the line goes on with 'one"},
    {banner + "real general\n2 2 1\n1 1 1.0x\n", "line 3: There should be a finite number where the line goes on with '1.0x"},
    {banner + "real general\n2 2 1\n1 1 1 1\n", "line 3: The line should end before '1"},
    {banner + "pattern general\n2 2 1\n1 1 1\n", "line 3: The line should end before '1"},
    {banner + "real symmetric\n2 2 1\n1 2 1\n", "line 3: Of a symmetric matrix only the lower triangle"},
    {banner + "real skew-symmetric\n2 2 1\n2 2 1\n", "line 3: A skew-symmetric matrix has nothing on its diagonal"},
    {banner + "real general\n%" + std::string(2000, 'x') + "\n", "line 2: The line is longer than the 1024 characters"},
  };
  for (const BadFile &bad : files) {
    const File        file(bad.text);
    const std::string said = Complaint(file.name());
    EXPECT_NE(said.find(bad.expected), std::string::npos) << "expected: " << bad.expected << "\nbut said: " << said;
  }
}

TEST(MatrixMarket, AMissingFileIsNamed)
{
  EXPECT_NE(Complaint("there-is-no.mtx").find("there-is-no.mtx cannot be opened: No such file"), std::string::npos);
}

std::string Bytes(const std::string &path)
{
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MatrixMarket, TruncatedArchivesGiveSentences)
{
  const std::string whole = Bytes(std::string(EXAMPLES_DATA) + "/west0067.mtx.gz");
  ASSERT_GT(whole.size(), 1000U);
  bool called_a_part = false;
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    const File        file(whole.substr(0, length));
    const std::string said = Complaint(file.name());
    EXPECT_NE(said, "") << length << " bytes of " << whole.size();
    called_a_part = called_a_part || said.find("is it only a part of the original?") != std::string::npos;
  }
  EXPECT_TRUE(called_a_part);
}

TEST(MatrixMarket, DamagedFilesDoNotCrash)
{
  std::mt19937      random(1);
  const std::string archive = Bytes(std::string(EXAMPLES_DATA) + "/LFAT5.mtx.gz");
  std::string       text    = small;
  for (int i = 0; i < 300; i++) {
    std::string       damaged = i % 2 ? archive : text;
    const std::size_t place   = random() % damaged.size();
    damaged[place]            = static_cast<char>(random());
    const File        file(damaged);
    const std::string said = Complaint(file.name());
    EXPECT_TRUE(said.empty() || said.find(file.name()) != std::string::npos) << said;
  }
}

} // namespace
