/// Options: from the database, with a prefix, from the program; what -help says; what is refused.

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdlib>

#include "core/precision.hpp"
#include "core/runtime.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/attach.hpp"
#include "glue/door/hooks.hpp"
#include "glue/options.hpp"
#include "glue/door/registry.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;
using petscspmv::OptionSpec;

namespace {

class Options : public TypeTest {
protected:
  static const shadow::MatKind &kind() { return *shadow::FindKind(root().c_str()); }

  using List = std::vector<std::pair<std::string, OptionSpec>>;

  /// Every option of the type and every option of all types, with the full name.
  List all() const
  {
    List                           options;
    const petscspmv::OptionValues &common = shadow::CommonOptions();
    for (const OptionSpec &spec : kind().format.options) options.emplace_back(option_prefix() + std::string(spec.key), spec);
    for (const OptionSpec &spec : common.table()) options.emplace_back("-mat_spmv_" + std::string(spec.key), spec);
    return options;
  }

  /// Those that the database has, and the others.
  List listed(bool are = true) const
  {
    List options = all();
    std::erase_if(options, [are](const auto &option) { return option.second.internal == are; });
    return options;
  }

  /// A legal value that is not the default.
  static PetscInt    another(const OptionSpec &spec) { return (PetscInt)(spec.default_value == spec.min ? spec.min + 1 : spec.min); }
  static std::string with_prefix(const std::string &prefix, const std::string &name) { return "-" + prefix + name.substr(1); }
  static PetscInt    get(Mat A, const OptionSpec &spec)
  {
    PetscInt value;
    Ok(MatSpMVGetOption(A, std::string(spec.key).c_str(), &value));
    return value;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, Options, EachType(), TypeName);

TEST_P(Options, DefaultsAreInForce)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  for (const auto &[name, spec] : all()) EXPECT_EQ(spec.default_value, get(A, spec)) << name;
}

TEST_P(Options, AreReadFromTheDatabase)
{
  for (const auto &[name, spec] : listed()) {
    const OptionGuard guard(name, spec.text(another(spec)));
    const Owned<Mat>  A = CreateSample(kSquare, root());
    Ok(MatSetFromOptions(A));
    EXPECT_EQ(another(spec), get(A, spec)) << name;
    SetSampleValues(A, kSquare);
    ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
  }
}

TEST_P(Options, AreReadOnceIfTheProgramNeverAsks)
{
  for (const auto &[name, spec] : listed()) {
    Owned<Mat> A;
    {
      const OptionGuard guard(name, spec.text(another(spec)));
      A = MakeSample(kSquare, root());
      MultiplyOnce(A);
      EXPECT_EQ(another(spec), get(A, spec)) << name;
    }
    const OptionGuard guard(name, spec.text((PetscInt)spec.default_value));
    SetSampleValues(A, kSquare.with_seed(2));
    EXPECT_EQ(0, CountsDuring([&] { MultiplyOnce(A); }).builds) << name;
    EXPECT_EQ(another(spec), get(A, spec)) << name << " was read a second time";
  }
}

TEST_P(Options, PrefixIsRespected)
{
  for (const auto &[name, spec] : listed()) {
    const OptionGuard guard(with_prefix("first_", name), spec.text(another(spec)));
    for (bool first : {true, false})
      for (bool asks : {true, false}) {
        const Owned<Mat> A = CreateSample(kSquare, root());
        Ok(MatSetOptionsPrefix(A, first ? "first_" : "second_"));
        if (asks) Ok(MatSetFromOptions(A));
        SetSampleValues(A, kSquare);
        MultiplyOnce(A);
        EXPECT_EQ(first ? another(spec) : spec.default_value, get(A, spec)) << name;
        if (BlocksOf(A) == 1) continue;
        Mat blocks[2];
        Ok(shadow::GetBlocks(A, blocks));
        for (Mat block : blocks) EXPECT_EQ(get(A, spec), get(block, spec)) << name << " of a block";
      }
  }
}

TEST_P(Options, WithoutPrefixAreForMatricesWithOneThatHasNoOther)
{
  for (const auto &[name, spec] : listed())
    for (bool has_own : {false, true})
      for (bool asks : {true, false}) {
        const OptionGuard guard(name, spec.text(another(spec)));
        const OptionGuard own(with_prefix(has_own ? "first_" : "second_", name), spec.text((PetscInt)spec.default_value));
        const Owned<Mat>  A = CreateSample(kSquare, root());
        Ok(MatSetOptionsPrefix(A, "first_"));
        if (asks) Ok(MatSetFromOptions(A));
        SetSampleValues(A, kSquare);
        MultiplyOnce(A);
        EXPECT_EQ(has_own ? spec.default_value : another(spec), get(A, spec)) << name;
      }
}

// Before the first product, too, where nobody asks unless one may be there.
TEST_P(Options, AreFoundHoweverTheyAreWrittenAndInOptionsOfTheMatrix)
{
  for (const auto &[name, spec] : listed()) {
    std::string capitals = name;
    std::transform(capitals.begin(), capitals.end(), capitals.begin(), [](unsigned char c) { return (char)std::toupper(c); });
    const OptionGuard guard(capitals, spec.text(another(spec)));
    const Owned<Mat>  A = MakeSample(kSquare, root());
    MultiplyOnce(A);
    EXPECT_EQ(another(spec), get(A, spec)) << capitals;
  }
  const auto options       = listed();
  const auto &[name, spec] = options.front();
  PetscOptions own;
  Ok(PetscOptionsCreate(&own));
  Ok(PetscOptionsSetValue(own, name.c_str(), spec.text(another(spec)).c_str()));
  {
    const Owned<Mat> A = MakeSample(kSquare, root());
    Ok(PetscObjectSetOptions((PetscObject)(Mat)A, own));
    MultiplyOnce(A);
    EXPECT_EQ(another(spec), get(A, spec)) << name << " of the matrix";
  }
  Ok(PetscOptionsDestroy(&own));
}

TEST_P(Options, OfTheProgramAreKeptWhenTheDatabaseIsReadAgain)
{
  for (const auto &[name, spec] : all()) {
    const Owned<Mat> A = MakeSample(kSquare, root());
    Ok(MatSpMVSetOption(A, std::string(spec.key).c_str(), another(spec)));
    Ok(MatSetFromOptions(A)); // vectors move to where the option says
    MultiplyOnce(A);
    Ok(MatSetFromOptions(A));
    EXPECT_EQ(another(spec), get(A, spec)) << name;
    EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { MultiplyOnce(A); })) << name << ": nothing new";
  }
}

TEST_P(Options, OfTheProgramWinOverTheDatabase)
{
  for (const auto &[name, spec] : listed()) {
    const OptionGuard guard(name, spec.text(another(spec)));
    const Owned<Mat>  A = CreateSample(kSquare, root());
    Ok(MatSpMVSetOption(A, std::string(spec.key).c_str(), (PetscInt)spec.default_value));
    SetSampleValues(A, kSquare);
    MultiplyOnce(A);
    EXPECT_EQ(spec.default_value, get(A, spec)) << name;
  }
}

TEST_P(Options, ANewValueBuildsTheFormatAnew)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  for (const auto &[name, spec] : all()) {
    if (petscspmv::loses_bits(spec)) continue; // products are not the same
    MultiplyOnce(A);
    Ok(MatSpMVSetOption(A, std::string(spec.key).c_str(), another(spec)));
    EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsDuring([&] { ExpectSameProducts(A, reference); })) << name;
  }
}

TEST_P(Options, OutOfRangeIsRefusedAndTheOldValueStays)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  MultiplyOnce(A);
  for (const auto &[name, spec] : all())
    for (std::int64_t value : {spec.min - 1, spec.max + 1}) {
      const std::string key(spec.key);
      const Failure     failure = FailureOf([&] { return MatSpMVSetOption(A, key.c_str(), (PetscInt)value); });
      EXPECT_EQ(PETSC_ERR_ARG_OUTOFRANGE, failure.code) << name;
      ExpectContains(failure.message, name);
      ExpectContains(failure.message, std::to_string(value));
      ExpectContains(failure.message, std::to_string(spec.min));
      ExpectContains(failure.message, std::to_string(spec.max));
      EXPECT_EQ(spec.default_value, get(A, spec)) << name;
    }
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { ExpectSameProducts(A, reference); }));
}

TEST_P(Options, AnUnknownKeyIsRefusedWithTheKnownOnes)
{
  const Owned<Mat> A     = MakeSample(kSquare, root());
  PetscInt         value = 5;
  const Failure    set   = FailureOf([&] { return MatSpMVSetOption(A, "colour", 1); });
  const Failure    got   = FailureOf([&] { return MatSpMVGetOption(A, "colour", &value); });
  EXPECT_EQ(PETSC_ERR_ARG_OUTOFRANGE, set.code);
  EXPECT_EQ(PETSC_ERR_ARG_OUTOFRANGE, got.code);
  EXPECT_EQ(5, value);
  ExpectContains(set.message, option_prefix() + "colour");
  for (const OptionSpec &spec : kind().format.options) ExpectContains(set.message, std::string(spec.key));
  ExpectContains(got.message, "colour");
  ExpectContains(got.message, world_type());
}

/// Wrong values in the database: a sentence when they are read, and then a matrix that works with the value it had.
TEST_P(Options, WrongValuesInTheDatabase)
{
  std::size_t turn = 0; // one kind of product after the other
  for (const auto &[name, spec] : listed())
    for (bool asks : {true, false}) {
      const std::string wrong = spec.choices.empty() ? std::to_string(spec.max + 1) : "odd";
      const Owned<Mat>  A     = CreateSample(kSquare, root());
      const OptionGuard guard(name, wrong);
      Failure           failure;
      if (asks) failure = FailureOf([&] { return MatSetFromOptions(A); });
      SetSampleValues(A, kSquare);
      if (!asks) {
        while (IsRefused(A, ProductKinds()[turn % ProductKinds().size()])) ++turn;
        const ProductKind &product = ProductKinds()[turn++ % ProductKinds().size()];
        const Owned<Vec>   x = InputOf(A, product), y = OutputOf(A, product);
        failure = FailureOf([&] { return product.apply(A, x, y); }); // of a parallel matrix as a whole, and not of each block
      }
      EXPECT_NE(PETSC_SUCCESS, failure.code) << name;
      ExpectContains(failure.message, name);
      ExpectContains(failure.message, wrong);

      ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
      Mat mat = A;
      Ok(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &mat));
      ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
    }
}

TEST_P(Options, QuestionsToAMatrixThatIsNotOursAreRefused)
{
  const Owned<Mat> A = MakeSample(kSquare, MATAIJ);
  PetscInt         value;
  for (const Failure &failure :
       {FailureOf([&] { return MatSpMVSetOption(A, "threads", 1); }), FailureOf([&] { return MatSpMVGetOption(A, "threads", &value); }),
        FailureOf([&] { return MatSpMVGetCounts(A, &value, NULL); }), FailureOf([&] { return MatSpMVGetFootprint(A, NULL, NULL); })}) {
    EXPECT_EQ(PETSC_ERR_ARG_WRONG, failure.code);
    ExpectContains(failure.message, TypeOf(A));
    ExpectContains(failure.message, "MatConvert");
  }
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

/// -mat_spmv_isa is for all types that have kernels for several.
TEST_P(Options, TheInstructionSetIsThatOfAllTypes)
{
  const Owned<Mat> has = MakeSample(kSquare, root());
  PetscInt         value;
  if (FailureOf([&] { return MatSpMVGetOption(has, "isa", &value); }).code != PETSC_SUCCESS) return;
  const OptionGuard all("-mat_spmv_isa", "portable");
  const Owned<Mat>  A = MakeSample(kSquare, root());
  Ok(MatSpMVGetOption(A, "isa", &value));
  EXPECT_EQ(1, value);
  const std::string view = Viewed(A, PETSC_VIEWER_ASCII_INFO);
  if (Rank() == 0) ExpectContains(view, " -mat_spmv_isa portable ");
}

/// -mat_spmv_precision is for matrices that are named by their prefix, and no other ones.
TEST_P(Options, PrecisionIsLostByMatricesWithTheirPrefixAlone)
{
  const Owned<Mat> exact = MakeSample(kSquare, root());
  PetscInt         value;
  if (FailureOf([&] { return MatSpMVGetOption(exact, "precision", &value); }).code != PETSC_SUCCESS) return;
  {
    const OptionGuard all("-mat_spmv_precision", "single");
    const Owned<Mat>  A       = CreateSample(kSquare, root());
    const Failure     failure = FailureOf([&] { return MatSetFromOptions(A); });
    EXPECT_EQ(PETSC_ERR_ARG_INCOMP, failure.code);
    for (const char *part : {"-mat_spmv_precision single", "-<prefix>mat_spmv_precision", "MatSetOptionsPrefix()", "MatDuplicate()"})
      ExpectContains(failure.message, part);
    SetSampleValues(A, kSquare);
    ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
    Ok(MatSpMVGetOption(A, "precision", &value));
    EXPECT_EQ(0, value);
  }
  const OptionGuard some("-p_mat_spmv_precision", "single");
  for (const char *prefix : {"p_", "a_"}) {
    const Owned<Mat> A = CreateSample(kSquare, root());
    Ok(MatSetOptionsPrefix(A, prefix));
    Ok(MatSetFromOptions(A));
    Ok(MatSpMVGetOption(A, "precision", &value));
    EXPECT_EQ(prefix[0] == 'p', value) << prefix;
    SetSampleValues(A, kSquare);
    const bool        counts = BlocksOf(A) == 1 && !LivesOnDevice(root()); // what is small keeps all bits on a device
    const std::string view   = Viewed(A, PETSC_VIEWER_ASCII_INFO);
    EXPECT_EQ(counts && prefix[0] == 'p', view.find("values that have lost bits") != std::string::npos);
    EXPECT_EQ(Rank() == 0 && prefix[0] == 'p', view.find(" -mat_spmv_precision single ") != std::string::npos);
  }
}

/// A copy of a matrix that has multiplied asks anew, with its own prefix.
TEST_P(Options, CopiesHaveAPrecisionOfTheirOwn)
{
  const Owned<Mat>  A = MakeSample(kSquare, root());
  const OptionGuard some("-p_mat_spmv_precision", "single");
  PetscInt          value;
  if (FailureOf([&] { return MatSpMVGetOption(A, "precision", &value); }).code != PETSC_SUCCESS) return;
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
  Owned<Mat> P;
  Ok(MatDuplicate(A, MAT_COPY_VALUES, P.out()));
  Ok(MatSetOptionsPrefix(P, "p_"));
  Ok(MatSetFromOptions(P));
  Ok(MatSpMVGetOption(P, "precision", &value));
  EXPECT_EQ(1, value);
  Ok(MatSpMVGetOption(A, "precision", &value));
  EXPECT_EQ(0, value);
}

TEST_P(Options, ASearchForThemEndsWithASentence)
{
  const Failure failure = FailureOf([&] { return MatSpMVTune(MakeSample(kSquare, root()), 10); });
  EXPECT_EQ(PETSC_ERR_SUP, failure.code);
  ExpectContains(failure.message, "petscspmv-bench");
}

TEST_P(Options, InternalOnesAreNotInTheDatabase)
{
  for (const auto &[name, spec] : listed(false)) {
    const OptionGuard guard(name, spec.text(another(spec)));
    const Owned<Mat>  A = CreateSample(kSquare, root());
    Ok(MatSetFromOptions(A));
    EXPECT_EQ(spec.default_value, get(A, spec)) << name;
  }
}

/// Collects what PETSc would print for -help.
std::string help_text;

PetscErrorCode CollectHelp(MPI_Comm, const char format[], ...)
{
  char    line[4096];
  va_list arguments;
  size_t  length;

  PetscFunctionBegin;
  va_start(arguments, format);
  PetscCall(PetscVSNPrintf(line, sizeof(line), format, &length, arguments));
  va_end(arguments);
  help_text += line;
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(Options, HelpNamesEachOfThemButTheInternalOnes)
{
  for (const bool asks : {false, true}) {
    const std::string prefix = "help_" + std::to_string(asks) + root() + "_"; // told once for each prefix
    const Owned<Mat>  A      = CreateSample(kSquare, root());
    Ok(MatSetOptionsPrefix(A, prefix.c_str()));
    help_text.clear();
    PetscHelpPrintf = CollectHelp;
    {
      const OptionGuard guard("-help");
      if (asks) Ok(MatSetFromOptions(A));
      SetSampleValues(A, kSquare);
      MultiplyOnce(A);
    }
    PetscHelpPrintf = PetscHelpPrintfDefault;
    for (const auto &[name, spec] : listed()) {
      ExpectContains(help_text, with_prefix(prefix, name));
      ExpectContains(help_text, std::string(spec.help));
      for (const auto &choice : spec.choices) ExpectContains(help_text, std::string(choice));
    }
    for (const auto &[name, spec] : listed(false))
      EXPECT_EQ(help_text.find(with_prefix(prefix, name) + (spec.choices.empty() ? ":" : " ")), std::string::npos) << name;
  }
}

TEST_P(Options, HelpNamesTheMethodOfEveryAIJMatrixOnce)
{
  for (const std::string &method : {std::string(), root()}) {
    const std::string prefix = "method_" + method + "_of_" + root() + "_";
    const OptionGuard guard(method.empty() ? "-unrelated" : "-" + prefix + "mat_spmv", method);
    help_text.clear();
    PetscHelpPrintf = CollectHelp;
    for (int turn = 0; turn < 2; ++turn) {
      const OptionGuard help("-help");
      const Owned<Mat>  A = CreateSample(kSquare, MATAIJ);
      Ok(MatSetOptionsPrefix(A, prefix.c_str()));
      Ok(MatSetFromOptions(A));
    }
    PetscHelpPrintf        = PetscHelpPrintfDefault;
    const std::string name = "-" + prefix + "mat_spmv", now = " <now " + (method.empty() ? "none" : method);
    const bool        colon = help_text.find(name + ":") != std::string::npos; // PETSc 3.26 writes one
    const std::string line  = name + (colon ? ":" : "") + now;
    ExpectContains(help_text, line);
    EXPECT_EQ(std::string::npos, help_text.find(line, help_text.find(line) + 1)) << "told twice: " << help_text;
    ExpectContains(help_text, shadow::MethodNames());
  }
}

TEST_P(Options, ThreadsReachTheFormat)
{
  if (root() != TestMirror::name) return; // it keeps a journal; the glue is the same for all types
  const Owned<Mat> A         = MakeSample(kSquare, root(), PETSC_COMM_SELF);
  const char      *omp       = std::getenv("OMP_NUM_THREADS");
  const int        by_itself = omp ? std::max(1, std::atoi(omp)) : 1;
  const auto       least     = [](int asked) { return std::min(asked, petscspmv::runtime::max_threads()); };
  MultiplyOnce(A); // may start the runtime
  EXPECT_EQ(least(by_itself), Journal().entries.back().threads);
  for (int threads : {1, 2, 5}) {
    Ok(MatSpMVSetOption(A, "threads", threads));
    MultiplyOnce(A);
    EXPECT_EQ(least(threads), Journal().entries.back().threads);
    if (by_itself > 1 || threads != 2 || petscspmv::runtime::has_device())
      continue; // a device has Kokkos started, with the threads of then
    EXPECT_EQ(2, petscspmv::runtime::max_threads()) << "one thread has kept others from starting";
  }
}

} // namespace
