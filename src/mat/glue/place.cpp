#include "glue/place.hpp"

#include <petsc/private/vecimpl.h> // a vector's own functions

#include <algorithm>

#include "core/runtime.hpp"
#include "glue/door/attach.hpp"
#include "glue/options.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

namespace {

bool EndsWith(const char type[], std::string_view end)
{
  return type && std::string_view(type).ends_with(end);
}

/// Whether the user wants the types with names of ours on the host (-mat_spmv_vec_type standard). A wrong value is an
/// error where all options are read.
PetscErrorCode WantsHost(Mat A, bool *wants)
{
  char        value[16];
  PetscBool   given = PETSC_FALSE;
  const char *own   = ((PetscObject)A)->prefix;

  PetscFunctionBegin;
  for (const char *prefix : {own, (const char *)NULL})
    if (!given) PetscCall(ReadString(A, prefix, "-mat_spmv_vec_type", value, sizeof value, &given));
  PetscCall(PetscStrcasecmp(given ? value : "", kVecTypes[VectorsWanted::standard].data(), &given));
  *wants = given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the program's vectors are to be Kokkos' (-vec_type kokkos), so that its matrices are better so, too.
PetscErrorCode WantsKokkos(Mat A, bool *wants)
{
  char      value[16];
  PetscBool given = PETSC_FALSE;

  PetscFunctionBegin;
  if (PetscDefined(HAVE_KOKKOS_KERNELS)) {
    PetscCall(PetscOptionsGetString(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-vec_type", value, sizeof value, &given));
    PetscCall(PetscStrcasecmp(given ? value : "", VECKOKKOS, &given));
  }
  *wants = given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode IsOnDevice(Vec v, bool *on_device)
{
  VecType   type;
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(VecGetType(v, &type));
  *on_device = EndsWith(type, "cuda") || EndsWith(type, "kokkos");
  if (!*on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecBoundToCPU(v, &bound));
  if (bound) *on_device = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateForParent(MatType parent, PetscInt n, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(PETSC_COMM_SELF, v));
  PetscCall(VecSetSizes(*v, n, n));
  PetscCall(VecSetType(*v, EndsWith(parent, "kokkos") ? VECSEQKOKKOS : VECSEQCUDA));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyOnThisRank(Vec from, Vec to)
{
  PetscInt           n;
  const PetscScalar *in;
  PetscScalar       *out;
  bool               on_device;

  PetscFunctionBegin;
  PetscCall(IsOnDevice(from, &on_device));
  if (on_device && from->ops->copy == to->ops->copy) {
    PetscCall((*from->ops->copy)(from, to));
    PetscCall(PetscObjectStateIncrease((PetscObject)to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetLocalSize(to, &n));
  PetscCall(VecGetArrayRead(from, &in));
  const Finally restore_from([&] { return VecRestoreArrayRead(from, &in); });
  PetscCall(VecGetArrayWrite(to, &out));
  const Finally restore_to([&] { return VecRestoreArrayWrite(to, &out); });
  PetscCall(PetscArraycpy(out, in, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ZeroOnThisRank(Vec v)
{
  PetscInt     n;
  PetscScalar *entries;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &entries));
  const Finally restore([&] { return VecRestoreArrayWrite(v, &entries); });
  PetscCall(PetscArrayzero(entries, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TypeForKind(Mat A, const MatKind &kind, bool mpi, std::string *type)
{
  bool host = true, kokkos = false;

  PetscFunctionBegin;
  if (kCudaPetsc && kind.format.on_device && runtime::has_device()) PetscCall(WantsHost(A, &host));
  if (!host) PetscCall(WantsKokkos(A, &kokkos));
  if (host) *type = mpi ? kind.mpi : kind.seq;
  else if (kokkos) *type = mpi ? MATMPIAIJKOKKOS : MATSEQAIJKOKKOS;
  else *type = mpi ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
