// The reader of Matrix Market files in examples/: what it makes of good files, on every rank.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "matrixmarket_files.hpp"
#include "support/reader_cases.hpp"

namespace {

constexpr bool complex_scalars = PetscDefined(USE_COMPLEX) != 0;

struct Dense {
  PetscInt                 rows = 0, cols = 0;
  PetscInt                 entries = 0; ///< stored ones
  std::vector<PetscScalar> values;      ///< rows x cols, row by row
};

/// The whole matrix on every rank.
Dense Load(const char *name)
{
  Mat      A = NewMatrix();
  Dense    d;
  PetscInt first, last;
  Must(MatrixMarketLoad(A, name));
  Must(MatGetSize(A, &d.rows, &d.cols));
  d.values.assign(static_cast<std::size_t>(d.rows) * static_cast<std::size_t>(d.cols), 0);
  Must(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    PetscInt           n;
    const PetscInt    *cols;
    const PetscScalar *vals;
    Must(MatGetRow(A, row, &n, &cols, &vals));
    d.entries += n;
    PetscScalar *in_row = d.values.data() + static_cast<std::ptrdiff_t>(row) * d.cols;
    for (PetscInt k = 0; k < n; k++) in_row[cols[k]] = vals[k];
    Must(MatRestoreRow(A, row, &n, &cols, &vals));
  }
  MPI_Allreduce(MPI_IN_PLACE, d.values.data(), static_cast<int>(d.values.size()), MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &d.entries, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  Must(MatDestroy(&A));
  return d;
}

Dense LoadText(const std::string &text, bool compress = false)
{
  const File file(text, compress);
  return Load(file.name());
}

using Values = std::vector<PetscScalar>;

TEST(MatrixMarket, SharedFiles)
{
  for (const auto &c : petscspmv::test::reader_cases(READER_FILES)) {
    if (c.kind == "refused" || (c.kind == "complex" && !complex_scalars)) {
      const std::string said = Complaint(c.path.c_str()), expected = c.kind == "complex" ? "is complex" : "line " + std::to_string(c.line);
      EXPECT_NE(said.find(expected), std::string::npos) << c.path << ": " << said;
      continue;
    }
    const Dense d = Load(c.path.c_str());
    Values      expected;
#if defined(PETSC_USE_COMPLEX)
    for (std::size_t i = 0; c.kind == "complex" && i < c.values.size(); i += 2)
      expected.push_back(PetscCMPLX(c.values[i], c.values[i + 1]));
#endif
    if (c.kind == "matrix") expected.assign(c.values.begin(), c.values.end());
    EXPECT_EQ(d.rows, c.rows) << c.path;
    EXPECT_EQ(d.cols, c.cols) << c.path;
    EXPECT_EQ(d.values, expected) << c.path;
  }
}

TEST(MatrixMarket, EntriesAreStoredOnce)
{
  EXPECT_EQ(LoadText(small).entries, 4);
  EXPECT_EQ(LoadText(banner + "real symmetric\n3 3 3\n1 1 4\n2 1 5\n3 2 6\n").entries, 5);
  EXPECT_EQ(LoadText(banner + "real general\n2 2 3\n2 2 1\n2 2 10\n2 2 100\n").entries, 1);
}

TEST(MatrixMarket, SymmetricMatricesKnowThatTheyAre)
{
  const File file(banner + "real symmetric\n2 2 1\n2 1 5\n");
  Mat        A = NewMatrix();
  PetscBool  set, symmetric;
  Must(MatrixMarketLoad(A, file.name()));
  Must(MatIsSymmetricKnown(A, &set, &symmetric));
  EXPECT_TRUE(set && symmetric);
  Must(MatDestroy(&A));
}

#if defined(PETSC_USE_COMPLEX)
TEST(MatrixMarket, ComplexIsMirrored)
{
  EXPECT_EQ(LoadText(banner + "complex hermitian\n2 2 1\n2 1 5 1\n").values, (Values{0, PetscCMPLX(5, -1), PetscCMPLX(5, 1), 0}));
  EXPECT_EQ(LoadText(banner + "complex symmetric\n2 2 1\n2 1 5 1\n").values, (Values{0, PetscCMPLX(5, 1), PetscCMPLX(5, 1), 0}));
}
#else
TEST(MatrixMarket, ComplexIsRefusedWithTheRemedy)
{
  const File file(banner + "complex general\n1 2 2\n1 1 1 2\n1 2 -3 0.5\n");
  EXPECT_NE(Complaint(file.name()).find("--with-scalar-type=complex"), std::string::npos);
}
#endif

TEST(MatrixMarket, EmptyMatrices)
{
  EXPECT_EQ(LoadText(banner + "real general\n0 3 0\n").values.size(), 0U);
}

TEST(MatrixMarket, MoreEntriesThanTheFirstAllocation)
{
  const int   n    = 10000;
  std::string text = banner + "integer general\n" + std::to_string(n) + " 1 " + std::to_string(n) + "\n";
  for (int i = n; i > 0; i--) text += std::to_string(i) + " 1 " + std::to_string(i) + "\n";
  const Dense d = LoadText(text, true);
  for (int i = 0; i < n; i++) ASSERT_EQ(d.values[static_cast<std::size_t>(i)], static_cast<PetscScalar>(i + 1));
}

TEST(MatrixMarket, SizesThatAreSetHaveToFit)
{
  const File file(small);
  Mat        A = NewMatrix();
  Must(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 3, 3));
  Errors errors;
  EXPECT_NE(static_cast<int>(MatrixMarketLoad(A, file.name())), 0);
  EXPECT_NE(errors.text.find("3 rows and 2 columns, but the matrix to fill has 3 and 3"), std::string::npos) << errors.text;
  Must(MatDestroy(&A));
}

TEST(MatrixMarket, FilesOfTheExamples)
{
  struct {
    const char *name;
    PetscInt    rows, entries;
    bool        needs_complex;
  } const files[] = {
    {"LFAT5", 14, 46, false},     {"jagmesh7", 1138, 7450, false}, {"orsirr_2", 886, 5970, false},
    {"west0067", 67, 294, false}, {"young1c", 841, 4089, true},
  };
  for (const auto &f : files) {
    const std::string path = std::string(EXAMPLES_DATA) + "/" + f.name + ".mtx.gz";
    if (f.needs_complex && !complex_scalars) {
      EXPECT_NE(Complaint(path.c_str()).find("complex"), std::string::npos);
      continue;
    }
    const Dense d = Load(path.c_str());
    EXPECT_EQ(d.rows, f.rows) << f.name;
    EXPECT_EQ(d.cols, f.rows) << f.name;
    EXPECT_EQ(d.entries, f.entries) << f.name;
  }
}

TEST(MatrixMarket, IsToldFromBinaryFiles)
{
  const std::string class_id("\0\x12\x7b\x50", 4);
  const File        plain(small), compressed(small, true), misspelt("%MatrixMarket"), blank("\n"), binary(class_id), empty("");
  const auto        is = [](const char *name) {
    PetscBool yes;
    Must(MatrixMarketTest(PETSC_COMM_WORLD, name, &yes));
    return yes == PETSC_TRUE;
  };
  EXPECT_TRUE(is(plain.name()));
  EXPECT_TRUE(is(compressed.name()));
  EXPECT_TRUE(is(misspelt.name())); // so that the reader says what is wrong with it
  EXPECT_TRUE(is(blank.name()));
  EXPECT_FALSE(is(binary.name()));
  EXPECT_FALSE(is(empty.name()));
  EXPECT_FALSE(is("there-is-no.mtx"));
  EXPECT_FALSE(is("."));
}

TEST(MatrixMarket, PipesAreRefused)
{
  const std::string name = File("").name() + std::string(".pipe");
  if (Rank() == 0) { EXPECT_EQ(mkfifo(name.c_str(), 0600), 0); }
  MPI_Barrier(PETSC_COMM_WORLD);
  {
    Errors    errors;
    PetscBool yes;
    EXPECT_NE(static_cast<int>(MatrixMarketTest(PETSC_COMM_WORLD, name.c_str(), &yes)), 0);
    EXPECT_NE(errors.text.find("is a pipe or a device"), std::string::npos) << errors.text;
  }
  if (Rank() == 0) std::remove(name.c_str());
}

} // namespace
