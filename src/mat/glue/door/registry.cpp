#include "glue/door/registry.hpp"

#include <algorithm>
#include <array>

#include "glue/door/attach.hpp"
#include "glue/events.hpp"
#include "glue/door/hooks.hpp"
#include "glue/options.hpp"

namespace petscspmv::shadow {

namespace {

std::vector<const MatKind *> &Kinds()
{
  static auto &kinds = *new std::vector<const MatKind *>;
  return kinds;
}

} // namespace

MatKind::MatKind(const FormatType<PetscScalar, PetscInt> &f, const MatKind *goes_on_as)
  : format(f), options(f.options, "-mat_" + std::string(f.name) + "_"), root(f.name), fast(goes_on_as)
{
  const std::string suffix = root.starts_with("aij") ? root : "aij" + root;
  seq                      = "seq" + suffix;
  mpi                      = "mpi" + suffix;
  short_seq                = "seq" + root;
  short_mpi                = "mpi" + root;
}

std::span<const MatKind *const> KnownKinds()
{
  return Kinds();
}

const MatKind &PlainKind()
{
  return **std::find_if(Kinds().begin(), Kinds().end(), [](const MatKind *k) { return k->format.transposes; });
}

const MatKind *FindKind(const char type_name[])
{
  if (!type_name) return nullptr;
  const auto &kinds = Kinds();
  const auto  found = std::find_if(kinds.begin(), kinds.end(), [type_name](const MatKind *k) {
    const std::array names{&k->root, &k->seq, &k->mpi, &k->short_seq, &k->short_mpi};
    return std::any_of(names.begin(), names.end(), [type_name](const std::string *name) { return *name == type_name; });
  });
  return found == kinds.end() ? nullptr : *found;
}

PetscErrorCode RegisterKind(const MatKind &kind, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat))
{
  PetscErrorCode (*known)(Mat) = nullptr;

  PetscFunctionBegin;
  // PETSc's lists are new after each PetscInitialize, ours is not.
  if (!FindKind(kind.root.c_str())) Kinds().push_back(&kind);
  PetscCall(InstallHooks());
  PetscCall(RegisterEvents());
  PetscCall(TellUnusedOptionsAtTheEnd());
  PetscCall(PetscFunctionListFind(MatList, kind.seq.c_str(), &known));
  if (known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatRegister(kind.seq.c_str(), create_seq));
  PetscCall(MatRegister(kind.mpi.c_str(), create_mpi));
  PetscCall(MatRegisterRootName(kind.root.c_str(), kind.seq.c_str(), kind.mpi.c_str()));
  if (kind.short_seq != kind.seq) { // root names, because these are replaced before anything else is made of them
    PetscCall(MatRegisterRootName(kind.short_seq.c_str(), kind.seq.c_str(), kind.seq.c_str()));
    PetscCall(MatRegisterRootName(kind.short_mpi.c_str(), kind.mpi.c_str(), kind.mpi.c_str()));
    PetscCall(MatSeqAIJRegister(kind.short_seq.c_str(), MatConvertFrom_Shadow));
  }
  PetscCall(MatSeqAIJRegister(kind.seq.c_str(), MatConvertFrom_Shadow)); // -mat_seqaij_type, MatSeqAIJSetType
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
