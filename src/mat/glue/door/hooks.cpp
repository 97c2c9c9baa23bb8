#include "glue/door/hooks.hpp"

#include <array>
#include <utility>

#include "glue/door/attach.hpp"
#include "glue/gamg/gamg.hpp"
#include "glue/ops/ops.hpp"
#include "glue/ops/product.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

namespace {

using Create = PetscErrorCode (*)(Mat);

/// PETSc's own functions that create these types; null for those that this PETSc lacks.
std::array<Create, kParentTypes.size()> own_create{};

/// While a matrix is made that is to be PETSc's alone.
int hooks_are_off = 0;

template <std::size_t type> PetscErrorCode MatCreate_Hooked(Mat A)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall((*own_create[type])(A));
  if (hooks_are_off > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)A, kParentTypes[type], &same)); // -mat_seqaij_type may have made it another subtype
  if (!same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AttachByOptions(A));
  PetscCall(GuardProducts(A));
  PetscCall(HookConversions(A));
  PetscCall(MatSetOperation(A, MATOP_SET_FROM_OPTIONS, (VoidFn)MatSetFromOptions_Shadow)); // A may get a prefix by then
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... type> PetscErrorCode HookAll(std::index_sequence<type...>)
{
  constexpr Create hooks[] = {MatCreate_Hooked<type>...};

  PetscFunctionBegin;
  for (std::size_t k = 0; k < kParentTypes.size(); ++k) {
    Create create = nullptr;
    PetscCall(PetscFunctionListFind(MatList, kParentTypes[k], &create));
    if (!create || create == hooks[k]) continue;
    own_create[k] = create;
    PetscCall(MatRegister(kParentTypes[k], hooks[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode InstallHooks()
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage()); // the list is empty before
  PetscCall(HookAll(std::make_index_sequence<kParentTypes.size()>()));
  PetscCall(HookFactors());
  PetscCall(HookGamg());
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string MethodNames()
{
  std::string names;
  for (const MatKind *kind : KnownKinds()) names += kind->root + ", ";
  return names + "auto or none";
}

PetscErrorCode FindMethod(const char name[], const MatKind **kind)
{
  const std::string_view text = name;

  PetscFunctionBegin;
  *kind = text == "none" ? nullptr : FindKind(text == "auto" ? "aijauto" : name);
  PetscCheck(*kind || text == "none", PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "There is no method '%s' for products; there are %s",
             name, MethodNames().c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MethodFromOptions(Mat A, const MatKind **kind, bool *given)
{
  const char *prefix = ((PetscObject)A)->prefix;
  char        name[64];
  PetscBool   set = PETSC_FALSE;

  PetscFunctionBegin;
  *kind = nullptr;
  PetscCall(ReadString(A, prefix, "-mat_spmv", name, sizeof name, &set));
  if (!set && prefix) PetscCall(ReadString(A, NULL, "-mat_spmv", name, sizeof name, &set));
  *given = set;
  if (set) PetscCall(FindMethod(name, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AttachByOptions(Mat A)
{
  const MatKind *kind;
  Entry          e;
  PetscBool      can;
  bool           given = false;

  PetscFunctionBegin;
  PetscCall(IsParentType(A, &can)); // one of PETSc's other subtypes was asked for by name
  if (can) PetscCall(MethodFromOptions(A, &kind, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Find(A, &e));
  if (kind) PetscCall(ShadowAttach(A, *kind));
  else if (e.own) PetscCall(ShadowDetach(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateParent(MatType type, Mat *A)
{
  PetscOptions  none = nullptr;
  const Finally destroy([&] { return PetscOptionsDestroy(&none); });

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(PetscOptionsCreate(&none)); // -mat_seqaij_type must not make it another subtype, nor -help speak of it
  PetscCall(PetscObjectSetOptions((PetscObject)*A, none));
  const Finally without([&] { return PetscObjectSetOptions((PetscObject)*A, NULL); });
  ++hooks_are_off;
  const Finally on([] { return --hooks_are_off; });
  PetscCall(MatSetType(*A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
