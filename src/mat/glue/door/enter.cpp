#include "glue/door/enter.hpp"

#if PetscDefined(HAVE_CUDA)
  #include <petsc/private/matimpl.h> // offloadmask
#endif

#include "glue/door/attach.hpp"
#include "glue/door/hooks.hpp"
#include "glue/ops/ops.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

std::mutex making_shadows;

/// Those of Kokkos are where Kokkos was built for.
bool IsTypeOfDevice(const char *type)
{
  const std::string_view name = type ? type : "";
  return name.ends_with("cusparse") || name.ends_with("kokkos");
}

PetscErrorCode GetHome(Mat A, MemorySpace *home)
{
  PetscBool bound = PETSC_TRUE;

  PetscFunctionBegin;
  if (kCudaPetsc && IsTypeOfDevice(((PetscObject)A)->type_name)) PetscCall(MatBoundToCPU(A, &bound));
  *home = bound ? MemorySpace::host : MemorySpace::device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The method of a matrix that has our operations but has lost its shadow to MatHeaderMerge(), and whose type does not
/// name one.
PetscErrorCode MethodOfLost(Mat A, const MatKind **kind)
{
  bool given;

  PetscFunctionBegin;
  PetscCall(MethodFromOptions(A, kind, &given));
  if (!*kind) *kind = FindKind("aijauto");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the shadow that A has lost.
PetscErrorCode Mend(Entry *e)
{
  Mat    A = e->A;
  VoidFn now;

  PetscFunctionBegin;
  const std::lock_guard lock(making_shadows);
  PetscCall(Find(A, e)); // perhaps another thread of the program has come with its first product meanwhile
  if (e->own) PetscFunctionReturn(PETSC_SUCCESS);
  const MatKind *kind  = FindKind(((PetscObject)A)->type_name);
  const bool     named = kind;
  PetscCall(MatGetOperation(A, MATOP_VIEW, &now));
  if (!kind && now == ViewRows().seq[0].ours) PetscCall(MethodOfLost(A, &kind));
  PetscCheck(kind, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "A matrix of type %s does not multiply by a method of petscspmv; give it one first, for instance with MatSpMVSetMethod(A, "
             "\"auto\"), or convert it with MatConvert()",
             ((PetscObject)A)->type_name);
  PetscCall(ComposeShadow(e, *kind, named));
  PetscCall(ShadowReattach(*e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Find(Mat A, Entry *e)
{
  PetscFunctionBegin;
  e->A = A;
  PetscCall(FindOwned((PetscObject)A, kShadowKey, &e->own));
  PetscCall(GetHome(A, &e->home));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EnterUnread(Mat A, Entry *e)
{
  PetscFunctionBegin;
  PetscCall(Find(A, e));
  if (!e->own) PetscCall(Mend(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EnterIfAttached(Mat A, Entry *e)
{
  PetscFunctionBegin;
  PetscCall(Find(A, e));
  if (e->own && !e->own->options_read) PetscCall(ReadOptionsOnce(*e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Enter(Mat A, Entry *e)
{
  PetscFunctionBegin;
  PetscCall(EnterUnread(A, e));
  if (!e->own->options_read) PetscCall(ReadOptionsOnce(*e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
/// PETSc's own word tells where the newest values of these types are.
static bool IsCusparse(Mat A)
{
  return std::string_view(((PetscObject)A)->type_name).ends_with("cusparse");
}
#endif

bool IsOnHostAlone([[maybe_unused]] const Entry &e)
{
#if PetscDefined(HAVE_CUDA)
  return e.home == MemorySpace::device && IsCusparse(e.A) &&
         (e.A->offloadmask == PETSC_OFFLOAD_UNALLOCATED || e.A->offloadmask == PETSC_OFFLOAD_CPU);
#else
  return false;
#endif
}

bool IsNewestOnDevice([[maybe_unused]] Mat A)
{
#if PetscDefined(HAVE_CUDA)
  return IsCusparse(A) && A->offloadmask == PETSC_OFFLOAD_GPU;
#else
  return false;
#endif
}

void TakeFromHost([[maybe_unused]] const Entry &e)
{
#if PetscDefined(HAVE_CUDA)
  if (IsCusparse(e.A)) e.A->offloadmask = PETSC_OFFLOAD_CPU;
#endif
}

PetscErrorCode BringPatternAnew([[maybe_unused]] const Entry &e)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  const PetscScalar *values;
  if (e.home == MemorySpace::host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ValuesOnHost(e.A, &values));
  e.A->nonzerostate++;
  TakeFromHost(e);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
