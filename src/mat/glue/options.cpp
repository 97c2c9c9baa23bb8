#include "glue/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <set>

#include "core/precision.hpp"
#include "core/runtime.hpp"
#include "glue/door/attach.hpp"
#include "glue/door/hooks.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"
#include "glue/route.hpp"

namespace petscspmv::shadow {

namespace {

// AMD Zen 4, rows of three entries: 42 entries take 37 ns by AIJ, 81 ns as ccoo, 87 ns as aijspec; 150 entries 100,
// 122, 158 ns; 300 entries 190, 177, 260 ns; 400 entries 260, 218, 330 ns. Called through the type, AIJ's functions
// take 20 ns more.
constexpr std::int64_t kTiny = 300;

constexpr std::array<OptionSpec, 9> kCommonTable{{
  {"threads", 0, 0, 1024,
   "Host threads of a product; 0 stands for OMP_NUM_THREADS, or 1 if that is not set. What products on a device need is prepared by as "
   "many, or by all processors of the process up to 16"},
  kVecTypeOption,
  kKernelsOption,
  kSweepsOption,
  kExchangeOption,
  kSetupOption,
  kProductsOption,
  kBindFreesOption,
  {"tiny", kTiny, 0, 1000000,
   "Entries up to which a sequential matrix on the host is multiplied by AIJ's own functions, because a call of any other takes longer "
   "than they do; 0 for none"},
}};

PetscErrorCode SetOption(OptionValues &values, std::string_view key, PetscInt value)
{
  std::string failure;

  PetscFunctionBegin;
  try {
    values.set(key, value);
  } catch (const FormatError &e) {
    failure = e.what();
  }
  PetscCheck(failure.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s", failure.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HasOption(const OptionValues &values, std::string_view key)
{
  return std::any_of(values.table().begin(), values.table().end(), [key](const OptionSpec &spec) { return spec.key == key; });
}

/// One option of the table: reads it if given, and lists it with -help.
PetscErrorCode ReadOption(const OptionSpec &spec, const std::string &name, OptionItems PetscOptionsObject, OptionValues &values)
{
  const std::string help(spec.help);
  auto              value = (PetscInt)values[spec.key];
  PetscBool         given = PETSC_FALSE;

  PetscFunctionBegin;
  if (spec.choices.empty()) {
    PetscCall(PetscOptionsInt(name.c_str(), help.c_str(), "MatSpMVSetOption", value, &value, &given));
  } else {
    std::vector<const char *> list;
    for (const std::string_view text : spec.choices) list.push_back(text.data()); // literals end with 0
    PetscInt index = value - (PetscInt)spec.min;
    PetscCall(PetscOptionsEList(name.c_str(), help.c_str(), "MatSpMVSetOption", list.data(), (PetscInt)list.size(),
                                list[(std::size_t)index], &index, &given));
    value = index + (PetscInt)spec.min;
  }
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  RememberRead(PetscOptionsObject->options, PetscOptionsObject->prefix, name);
  PetscCheck(!loses_bits(spec) || value == spec.default_value || (PetscOptionsObject->prefix && *PetscOptionsObject->prefix),
             PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Option %s %s without a prefix would make every matrix less exact, the operator too; give it with the prefix of a matrix that "
             "only preconditions, -<prefix>%s, where MatSetOptionsPrefix() has set one, and if that is the operator itself, precondition "
             "with a copy (MatDuplicate())",
             name.c_str(), spec.text(value).c_str(), name.c_str() + 1);
  PetscCall(SetOption(values, spec.key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadTable(const std::string &prefix, OptionItems items, OptionValues &values)
{
  PetscFunctionBegin;
  for (const OptionSpec &spec : values.table())
    if (!spec.internal) PetscCall(ReadOption(spec, prefix + std::string(spec.key), items, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

const OptionValues &CommonOptions()
{
  static const auto &defaults = *new OptionValues(kCommonTable, "-mat_spmv_");
  return defaults;
}

bool IsForAllTypes(const OptionSpec &spec)
{
  return spec.key == "isa" || loses_bits(spec);
}

/// Whether -help has already told of these options, of a type or -mat_spmv, for matrices with A's prefix. PETSc asks
/// that of the matrix as a whole, and a matrix that had its type before MatSetFromOptions() counts as told of.
static bool HelpIsTold(Mat A, const std::string &what, OptionItems items)
{
  static auto &told = *new std::set<std::pair<std::string, std::string>>;

  if (!items->printhelp || items->count != 1) return true; // not the time to print
  const char *prefix = ((PetscObject)A)->prefix;
  return !told.emplace(what, prefix ? prefix : "").second;
}

static PetscErrorCode ReadTables(const MatKind &kind, OptionItems PetscOptionsObject, OptionValues &options, OptionValues &common)
{
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, ("petscspmv: " + kind.root).c_str());
  for (const OptionSpec &spec : options.table())
    if (IsForAllTypes(spec)) PetscCall(ReadOption(spec, "-mat_spmv_" + std::string(spec.key), PetscOptionsObject, options));
  PetscCall(ReadTable("-mat_" + kind.root + "_", PetscOptionsObject, options));
  PetscCall(ReadTable("-mat_spmv_", PetscOptionsObject, common));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Without a prefix, options are for all matrices; with one, for those that have it. Solvers give blocks, levels and
/// fields a prefix before their first product, as PCBJACOBI does ("sub_"), and users who know of none mean these, too;
/// so do those who name the prefix of the matrix around a block.
static PetscErrorCode ReadWithEachPrefix(const Shadow &shadow, OptionItems items, OptionValues &options, OptionValues &common)
{
  char *const     own    = items->prefix;
  const PetscBool told   = items->alreadyprinted;
  std::string     outer  = shadow.outer_prefix;
  char *const     around = outer.empty() ? NULL : outer.data();
  const Finally   restore([&] { items->prefix = own; });

  PetscFunctionBegin;
  items->alreadyprinted = PETSC_TRUE; // -help names those of the narrowest prefix
  if (own || around) {
    items->prefix = NULL;
    PetscCall(ReadTables(*shadow.kind, items, options, common));
  }
  if (own && around) {
    items->prefix = around;
    PetscCall(ReadTables(*shadow.kind, items, options, common));
  }
  items->alreadyprinted = told;
  items->prefix         = own ? own : around;
  PetscCall(ReadTables(*shadow.kind, items, options, common));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// After options have been read or set: what hangs on them, but for the type of vectors. A matrix that is not assembled
/// yet is left alone: the program may not have said how large it is, and assembly asks again.
static PetscErrorCode ApplyOptions(const Entry &e)
{
  PetscBool assembled;

  PetscFunctionBegin;
  PetscCall(MatAssembled(e.A, &assembled));
  if (!assembled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckSize(e));
  if (e.own->mpi) PetscCall(AttachBlocks(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadOptions(const Entry &e, OptionItems items)
{
  Shadow *const   shadow = e.own;
  PetscErrorCode  ierr;
  const PetscBool told = items->alreadyprinted;

  PetscFunctionBegin;
  OptionValues options = shadow->options, common = shadow->common;
  items->alreadyprinted = HelpIsTold(e.A, shadow->kind->root, items) ? PETSC_TRUE : PETSC_FALSE;
  ierr                  = ReadWithEachPrefix(*shadow, items, options, common);
  items->alreadyprinted = told;
  if (!ierr) shadow->configure(options, common);
  shadow->options_read = true; // whatever came of it: a wrong value is an error once, and then the matrix goes on as it was
  PetscCall(ApplyOptions(e));  // blocks need not ask again, whatever came of it
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// True if the options given include -help or may include one of ours. Scans them once: they are few, and querying each
/// option of ours would dominate the first product of a matrix without MatSetFromOptions().
static PetscErrorCode MayBeGiven(Mat A, const MatKind &kind, bool *may)
{
  char *given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(((PetscObject)A)->options, &given));
  const Finally free([&] { return PetscFree(given); });
  std::string   text(given);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return (char)std::tolower(c); }); // as PETSc compares
  const auto has = [&text](const std::string &part) { return text.find(part) != std::string::npos; };
  *may           = has("mat_spmv_") || has("mat_" + kind.root + "_") || has("-h");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// -help names -mat_spmv for whatever matrix would follow it, whether it has been given or not.
static PetscErrorCode HelpOnMethod(const Entry &e, OptionItems PetscOptionsObject)
{
  const std::string now  = e.own ? e.own->kind->root : "none";
  const std::string help = "Method by which AIJ matrices multiply, as they are created: " + MethodNames();
  const PetscBool   told = PetscOptionsObject->alreadyprinted;
  PetscBool         can;
  char              value[64];

  PetscFunctionBegin;
  PetscCall(IsParentType(e.A, &can));
  if (!can || HelpIsTold(e.A, "mat_spmv", PetscOptionsObject)) PetscFunctionReturn(PETSC_SUCCESS);
  const Finally restore([&] { PetscOptionsObject->alreadyprinted = told; });
  PetscOptionsObject->alreadyprinted = PETSC_FALSE;
  PetscOptionsHeadBegin(PetscOptionsObject, "petscspmv");
  PetscCall(PetscOptionsString("-mat_spmv", help.c_str(), "MatSpMVSetMethod", now.c_str(), value, sizeof value, NULL));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetFromOptions_Shadow(Mat A, OptionItems items)
{
  Entry  e;
  VoidFn parent;

  PetscFunctionBegin;
  PetscCall(TypesFunction(A, MATOP_SET_FROM_OPTIONS, &parent));
  if (parent) PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat, OptionItems)>(parent))(A, items));
  PetscCall(AttachByOptions(A)); // with a prefix that A may not have had before
  PetscCall(Find(A, &e));
  PetscCall(HelpOnMethod(e, items));
  if (!e.own && !IsShadowType(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EnterUnread(A, &e));
  PetscCall(ReadOptions(e, items));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows SetFromOptionsRows()
{
  static const Row rows[] = {{MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow}};
  return {rows, rows};
}

PetscErrorCode ReadOptionsOnce(const Entry &e)
{
  PetscErrorCode ierr;
  bool           may = true;

  PetscFunctionBegin;
  static std::mutex     asking; // PETSc's options are not for several threads, and first products of several matrices come with theirs
  const std::lock_guard lock(asking);
  const auto            turn = e.own->products.take_turn();    // products wait until the options are applied
  if (e.own->options_read) PetscFunctionReturn(PETSC_SUCCESS); // another thread has read them meanwhile
  PetscCall(MayBeGiven(e.A, *e.own->kind, &may));
  if (!may) {
    e.own->options_read = true;
    PetscCall(ApplyOptions(e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscObjectOptionsBegin((PetscObject)e.A);
  ierr = ReadOptions(e, PetscOptionsObject);
  PetscOptionsEnd();
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowSetOption(Mat A, const char key[], PetscInt value)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  OptionValues options = e.own->options, common = e.own->common;
  PetscCall(SetOption(HasOption(common, key) ? common : options, key, value));
  e.own->configure(options, common);
  PetscCall(ApplyOptions(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShadowGetOption(Mat A, const char key[], PetscInt *value)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(Enter(A, &e));
  const OptionValues &values = HasOption(e.own->common, key) ? e.own->common : e.own->options;
  PetscCheck(HasOption(values, key), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "Matrices of type %s have no option %s; -mat_view ::ascii_info lists those they have", ((PetscObject)A)->type_name, key);
  *value = (PetscInt)values[key];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What OMP_NUM_THREADS says; 0 if it is not set.
static int ThreadsOfEnvironment()
{
  const char *omp = std::getenv("OMP_NUM_THREADS");
  return omp ? std::max(1, std::atoi(omp)) : 0;
}

PetscErrorCode ShadowThreads(const Shadow &shadow, MemorySpace space, int *threads)
{
  // Threads that prepare a matrix for a device, where nobody has said how many: with 1, 4 and 16, a 7-point stencil on
  // 160^3 points takes 227, 69 and 23 ms, one with three unknowns on 64^3 points 1110, 360 and 135 ms.
  constexpr int    most_preparing = 16;
  static const int of_environment = ThreadsOfEnvironment(); // as OpenMP itself, which asks once
  int              asked          = (int)shadow.common["threads"];

  PetscFunctionBegin;
  if (asked == 0) asked = of_environment;
  *threads = std::max(1, asked);
  PetscCallCXX(runtime::start(*threads));
  if (space == MemorySpace::host) *threads = std::min(*threads, runtime::max_threads());
  else if (asked == 0) *threads = std::min(runtime::processors(), most_preparing);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
