#include "glue/options.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <set>
#include <sstream>
#include <vector>

#include "glue/door/registry.hpp"

namespace petscspmv::shadow {

namespace {

std::mutex guard; // threads may create matrices, each its own

/// What matrices have read since PetscInitialize(), without the dash. PETSc's own marks go with the options:
/// PetscOptionsClear() forgets them, as does whoever gives an option anew.
std::set<std::string> &Reads()
{
  static auto &reads = *new std::set<std::string>;
  return reads;
}

std::string Lower(std::string_view text)
{
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return (char)std::tolower(c); }); // as PETSc compares
  return lower;
}

/// PETSc lets -mg_levels_mat_spmv stand for -mg_levels_1_mat_spmv, and does not say which of them it has found.
void Remember(const std::string &name)
{
  if (!Reads().insert(name).second) return;
  for (std::size_t at = name.find('_'); at != std::string::npos; at = name.find('_', at + 1)) {
    const std::size_t end = name.find_first_not_of("0123456789", at + 1);
    if (end != std::string::npos && end > at + 1 && name[end] == '_') Remember(name.substr(0, at) + name.substr(end));
  }
}

bool IsRead(const std::string &name)
{
  const std::lock_guard lock(guard);
  return Reads().contains(name);
}

/// Whether the option asks for a type of ours.
bool AsksForType(std::string_view option, const char value[])
{
  return (option.ends_with("mat_type") || option.ends_with("mat_seqaij_type")) && FindKind(value);
}

struct KnownOption {
  std::string              name;    ///< "mat_ccoo_tile"
  std::vector<std::string> readers; ///< the roots of the types that read it; all, if there are none
};

std::vector<KnownOption> KnownOptions()
{
  std::vector<KnownOption> known{{"mat_spmv", {}}};
  const OptionValues      &common = CommonOptions();
  for (const OptionSpec &spec : common.table()) known.push_back({"mat_spmv_" + std::string(spec.key), {}});
  for (const MatKind *kind : KnownKinds())
    for (const OptionSpec &spec : kind->format.options) {
      if (spec.internal && !IsForAllTypes(spec)) continue;
      const std::string name = "mat_" + (IsForAllTypes(spec) ? "spmv" : kind->root) + "_" + std::string(spec.key);
      const auto found       = std::find_if(known.begin(), known.end(), [&name](const KnownOption &option) { return option.name == name; });
      if (found == known.end()) known.push_back({name, {kind->root}});
      else found->readers.push_back(kind->root);
    }
  return known;
}

/// Whether the name is made as ours are.
bool LooksLikeOurs(const std::string &name)
{
  const auto mentions = [&name](const std::string &text) { return name.find(text) != std::string::npos; };
  return mentions("mat_spmv") ||
         std::any_of(KnownKinds().begin(), KnownKinds().end(), [&](const MatKind *kind) { return mentions("mat_" + kind->root + "_"); });
}

/// Who would read it.
std::string ReadersOf(const KnownOption &option, const std::string &prefix)
{
  const auto       &readers = option.readers;
  const std::string with    = prefix.empty() ? "" : " with the prefix " + prefix;
  std::string       all     = readers.empty() ? "petscspmv" : "";
  for (const std::string &reader : readers) all += (all.empty() ? "" : " or ") + reader;
  if (option.name == "mat_spmv") return "It is for AIJ matrices" + with + " (-" + prefix + "mat_type aij)";
  return "It is for matrices" + with + " that multiply by " + all + " (-" + prefix + "mat_spmv " +
         (readers.empty() ? "auto" : readers.front()) + ")";
}

/// What to tell of an option that nobody has read, after "but "; nothing if it is not one of ours. `no_matrix` says of
/// which matrices that is known.
std::string Advice(const std::string &name, const char value[], const std::string &no_matrix)
{
  if (AsksForType(name, value))
    return "this program never asked for the type of a matrix. -mat_spmv " + FindKind(value)->root + " reaches all of its AIJ matrices";
  const std::string unread = no_matrix + " has read it";
  for (const KnownOption &known : KnownOptions()) // a prefix need not end with _
    if (name.ends_with(known.name)) return unread + ". " + ReadersOf(known, name.substr(0, name.size() - known.name.size()));
  return LooksLikeOurs(name) ? unread + ", for there is none of this name; -help lists those that there are" : "";
}

struct Line {
  std::string name, text;
};

PetscErrorCode LinesOfThisProcess(const std::string &no_matrix, std::vector<Line> *lines)
{
  PetscBool wanted = PETSC_TRUE;
  PetscInt  n;
  char    **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-options_left", &wanted, NULL));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n; ++i) {
    const std::string name   = Lower(names[i]);
    const std::string advice = IsRead(name) ? "" : Advice(name, values[i], no_matrix);
    if (advice.empty()) continue;
    const std::string given = std::string(names[i]) + (values[i] ? std::string(" ") + values[i] : "");
    lines->push_back({name, "petscspmv: option -" + given + " was given, but " + advice + "; -options_left no silences this.\n"});
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Leaves out what matrices of other processes have read. The first process asks, and all of them must be here.
PetscErrorCode AskOtherProcesses(std::vector<Line> *lines)
{
  std::string names;
  int         length;

  PetscFunctionBegin;
  for (const Line &line : *lines) names += line.name + "\n";
  length = (int)names.size();
  PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (length == 0) PetscFunctionReturn(PETSC_SUCCESS);
  names.resize((std::size_t)length);
  PetscCallMPI(MPI_Bcast(names.data(), length, MPI_CHAR, 0, PETSC_COMM_WORLD));
  std::vector<int>   read; // here, then anywhere
  std::istringstream list(names);
  for (std::string name; std::getline(list, name);) read.push_back(IsRead(name));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, read.data(), (int)read.size(), MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  auto elsewhere = read.begin();
  std::erase_if(*lines, [&elsewhere](const Line &) { return *elsewhere++ != 0; });
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool will_tell  = false; ///< at the end of this PETSc; it can be started again
bool everywhere = false; ///< so will all other processes: they have loaded the library in PetscInitialize()

PetscErrorCode TellUnusedOptions()
{
  PetscMPIInt       rank;
  std::vector<Line> lines;

  PetscFunctionBegin;
  will_tell = false;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) PetscCall(LinesOfThisProcess(everywhere ? "no matrix" : "no matrix of the first process", &lines));
  if (everywhere) PetscCall(AskOtherProcesses(&lines));
  for (const Line &line : lines) PetscCall(PetscFPrintf(PETSC_COMM_SELF, stderr, "%s", line.text.c_str()));
  Reads().clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ReadString(Mat A, const char prefix[], const char option[], char value[], size_t size, PetscBool *given)
{
  const PetscOptions own = ((PetscObject)A)->options;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(own, prefix, option, value, size, given));
  if (*given) RememberRead(own, prefix, option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HasAnyOption(PetscObject object, const char prefix[], std::initializer_list<const char *> options, bool *has)
{
  PetscBool given;

  PetscFunctionBegin;
  *has = false;
  for (const char *option : options) {
    PetscCall(PetscOptionsHasName(object->options, prefix, option, &given));
    *has = *has || given;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RememberRead(PetscOptions own, const char prefix[], std::string_view option)
{
  if (own) return;
  const std::lock_guard lock(guard);
  Remember(Lower((prefix ? prefix : "") + std::string(option.substr(1))));
}

PetscErrorCode RememberType(const MatKind &kind)
{
  char *all;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  const Finally      free([&] { return PetscFree(all); });
  std::istringstream words(all);
  for (std::string option, value; words >> value; option = value) {
    PetscBool used;
    if (!AsksForType(Lower(option), value.c_str()) || FindKind(value.c_str()) != &kind) continue;
    PetscCall(PetscOptionsUsed(NULL, option.c_str() + 1, &used));
    if (used) RememberRead(NULL, NULL, option);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Once: PETSc since 3.20 calls a function as often as it was registered, has room for 256 and does not look, or
/// refuses a second time if built with checks.
PetscErrorCode TellUnusedOptionsAtTheEnd()
{
  PetscBool initialized;

  PetscFunctionBegin;
  if (will_tell) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInitialized(&initialized));
  PetscCall(PetscRegisterFinalize(TellUnusedOptions));
  will_tell = true;
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  everywhere = !initialized || size == 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
