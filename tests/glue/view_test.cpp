/// What -mat_view ::ascii_info tells.

#include <cstdio>
#include <sstream>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/attach.hpp"
#include "glue/options.hpp"
#include "glue/door/registry.hpp"
#include "glue/shadow.hpp"
#include "petscspmv.h"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

class View : public TypeTest {
protected:
  static const shadow::MatKind &kind() { return *shadow::FindKind(root().c_str()); }

  static void ExpectContains(const std::string &text, const std::string &part)
  {
    if (Rank() == 0) petscspmv::test::ExpectContains(text, part);
  }
  static void ExpectLacks(const std::string &text, const std::string &part)
  {
    EXPECT_TRUE(Rank() > 0 || text.find(part) == std::string::npos) << "'" << part << "' must not be in:\n" << text;
  }
  static std::string Number(const char format[], double value)
  {
    char text[64];
    std::snprintf(text, sizeof(text), format, value);
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, View, EachType(), TypeName);

TEST_P(View, InfoNamesTypeMethodAndOptions)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  Ok(MatSpMVSetOption(A, "threads", 1));
  for (PetscViewerFormat format : {PETSC_VIEWER_ASCII_INFO, PETSC_VIEWER_ASCII_INFO_DETAIL}) {
    const std::string text = Viewed(A, format);
    ExpectContains(text, "type: " + world_type());
    ExpectContains(text, "rows=24, cols=24"); // the parent's view
    ExpectContains(text, std::string(kind().format.method));
    ExpectContains(text, "version " PETSCSPMV_VERSION "\n");
    for (const auto &spec : kind().format.options) {
      const petscspmv::OptionValues defaults(kind().format.options);
      if (!spec.internal) ExpectContains(text, option_prefix() + std::string(spec.key) + " " + defaults.text(spec));
    }
    ExpectContains(text, "-mat_spmv_threads 1");
  }
}

// Of the internal ones those alone that are not as they were.
TEST_P(View, InfoTellsInternalOptionsThatAreSet)
{
  for (const auto &spec : kind().format.options) {
    if (!spec.internal) continue;
    const Owned<Mat>        A = MakeSample(kSquare, root());
    petscspmv::OptionValues values(kind().format.options);
    const std::string       key(spec.key), name = (shadow::IsForAllTypes(spec) ? " -mat_spmv_" : " ") + key + " ";
    ExpectLacks(Viewed(A, PETSC_VIEWER_ASCII_INFO), name + values.text(spec) + " ");
    values.set(spec.key, spec.max);
    if (spec.max == spec.default_value) values.set(spec.key, spec.min);
    Ok(MatSpMVSetOption(A, key.c_str(), (PetscInt)values[spec.key]));
    ExpectContains(Viewed(A, PETSC_VIEWER_ASCII_INFO), name + values.text(spec));
  }
}

TEST_P(View, InfoTellsOptionsThatTheProgramNeverAskedFor)
{
  const OptionGuard guard("-mat_spmv_threads", "3");
  ExpectContains(Viewed(MakeSample(kSquare, root()), PETSC_VIEWER_ASCII_INFO), "-mat_spmv_threads 3");
}

TEST_P(View, InfoTellsBytesAndCounts)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  MultiplyOnce(A);
  Ok(MatScale(A, 2));
  MultiplyOnce(A);
  PetscLogDouble bytes[2], sums[2];
  MatInfo        info;
  Ok(MatSpMVGetFootprint(A, &bytes[0], &bytes[1]));
  MPI_Allreduce(bytes, sums, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  Ok(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  const std::string text   = Viewed(A, PETSC_VIEWER_ASCII_INFO);
  const PetscInt    blocks = Sum(BlocksOf(A));
  ExpectContains(text, "bytes per nonzero: " + Number("%.3g", (sums[0] + sums[1]) / info.nz_used));
  ExpectContains(text, "on top of AIJ: " + Number("%.3g", sums[0] / info.nz_used));
  ExpectContains(text, "built " + std::to_string(blocks) + " times, values refreshed " + std::to_string(blocks) + " times");
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { Viewed(A, PETSC_VIEWER_ASCII_INFO); })) << "looking changes nothing";
}

/// Array by array: of a sequential matrix, and in detail of the first rank's blocks.
TEST_P(View, DetailTellsEachArrayAndFact)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  MultiplyOnce(A);
  Mat blocks[2] = {A, nullptr};
  if (BlocksOf(A) == 2) Ok(shadow::GetBlocks(A, blocks));
  const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL);
  if (Rank() > 0) return;
  for (Mat block : blocks) {
    if (!block) continue;
    shadow::Entry e;
    Ok(shadow::EnterUnread(block, &e));
    shadow::Shadow *const s         = e.own;
    const auto           &format    = *s->at(s->forms().front()).format;
    const auto            footprint = format.footprint();
    for (const auto &array : footprint.arrays)
      ExpectContains(text, "bytes of " + array.name + ": " + std::to_string(array.bytes) +
                             (array.borrowed  ? " (AIJ's own)"
                              : array.scratch ? " (of scratch)"
                                              : ""));
    if (footprint.objects > 0) ExpectContains(text, "bytes of objects: " + std::to_string(footprint.objects));
    if (footprint.scratch > 0)
      ExpectContains(text, "bytes of scratch that a product borrows at most: " + std::to_string(footprint.scratch));
    ExpectContains(text, "bytes kept on top of AIJ: " + std::to_string(s->footprint().kept()) +
                           ", of these in the shadow: " + std::to_string(s->bytes_taken()));
    for (const auto &[name, value] : format.facts()) ExpectContains(text, name + ": " + value);
  }
  if (BlocksOf(A) == 2) {
    ExpectContains(text, "diagonal block of rank 0");
    ExpectContains(text, "off-diagonal block of rank 0");
  }
}

TEST_P(View, BuildsForThePurposeAsAProductWould)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsDuring([&] { Viewed(A, PETSC_VIEWER_ASCII_INFO); }));
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { ExpectSameProducts(A, MakeSample(kSquare, MATAIJ)); }));
}

TEST_P(View, AnUnassembledMatrixCanBeLookedAt)
{
  const Owned<Mat> A = CreateSample(kSquare, root());
  ExpectContains(Viewed(A, PETSC_VIEWER_ASCII_INFO), "not been assembled");
  SetSampleValues(A, kSquare);
  ExpectContains(Viewed(A, PETSC_VIEWER_ASCII_INFO), "built " + std::to_string(Sum(BlocksOf(A))) + " times");

  ExpectContains(Viewed(Sized(root(), 4, 4), PETSC_VIEWER_ASCII_INFO), "not been");
}

/// The operation itself, past MatView, which stops before it at an unassembled matrix.
TEST_P(View, TheOperationCopesWithAnUnassembledMatrix)
{
  const Owned<Mat>   A = CreateSample(kSquare, root(), PETSC_COMM_SELF);
  shadow::VoidFn     function;
  Owned<PetscViewer> viewer;
  Ok(MatGetOperation(A, MATOP_VIEW, &function));
  Ok(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", viewer.out()));
  Ok(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { Ok(((PetscErrorCode(*)(Mat, PetscViewer))function)(A, viewer)); }));
}

TEST_P(View, OfEmptyAndLopsidedMatrices)
{
  Sample lopsided = kSquare;
  lopsided.layout = Layout::first_rank_empty;
  for (const Sample &sample : {Sample{0, 0, false}, Sample{5, 0, false}, Sample{1, 1}, lopsided})
    for (PetscViewerFormat format : {PETSC_VIEWER_ASCII_INFO, PETSC_VIEWER_ASCII_INFO_DETAIL}) {
      const std::string text = Viewed(MakeSample(sample, root()), format);
      ExpectContains(text, "bytes per nonzero");
      ExpectLacks(text, "nan");
      ExpectLacks(text, "inf,");
    }
}

/// The lines of `text` that do not name the type.
std::string WithoutType(const std::string &text)
{
  std::istringstream lines(text);
  std::string        line, rest;
  while (std::getline(lines, line))
    if (line.find("type:") == std::string::npos) rest += line + "\n";
  return rest;
}

TEST_P(View, OtherFormatsAreAijs)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  for (PetscViewerFormat format : {PETSC_VIEWER_DEFAULT, PETSC_VIEWER_ASCII_COMMON, PETSC_VIEWER_ASCII_DENSE, PETSC_VIEWER_NATIVE}) {
    const std::string text = Viewed(A, format);
    EXPECT_EQ(WithoutType(Viewed(reference, format)), WithoutType(text)) << "format " << format;
    ExpectLacks(text, "petscspmv");
  }
  EXPECT_EQ((Counts{0, 0}), CountsOf(A)) << "and nothing was built for them";
}

TEST_P(View, InfoInsideAnotherObject)
{
  const Owned<KSP>   ksp = MakeSolver(MakeSample({24, 24, true, 5, false, true}, root()), PCJACOBI);
  Owned<PetscViewer> viewer;
  Ok(KSPSetUp(ksp));
  Ok(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", viewer.out()));
  Ok(KSPView(ksp, viewer));
}

} // namespace
