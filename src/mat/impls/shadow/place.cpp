#include "impls/shadow/shadow.hpp"

#include "core/runtime.hpp"

namespace petscspmv::shadow {

namespace {

/// True if `type` names vectors in the memory of a device.
bool IsDeviceVecType(const char type[])
{
  const std::string_view name = type ? type : "";
  return name.ends_with("cuda") || name.ends_with("kokkos");
}

PetscErrorCode IsOnDevice(Vec v, bool *on_device)
{
  VecType   type;
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(VecGetType(v, &type));
  *on_device = IsDeviceVecType(type);
  if (!*on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecBoundToCPU(v, &bound));
  if (bound) *on_device = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether products of A can run on a device at all. What is bound to the CPU is asked of PETSc: it binds the blocks of a parallel matrix,
/// too, also those that become ours only later.
PetscErrorCode DeviceAllowed(Mat A, const Shadow &shadow, bool *allowed)
{
  PetscBool bound;

  PetscFunctionBegin;
  *allowed = false;
  if (!kCudaPetsc || !shadow.kind->format.on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBoundToCPU(A, &bound));
  *allowed = !bound && runtime::has_device();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Says once that products take vectors on a device to the host and back, and why: they are right, but slower than they need be.
PetscErrorCode TellOfHostProducts(Mat A, const Shadow &shadow)
{
  static bool told = false;
  PetscBool   bound;

  PetscFunctionBegin;
  PetscCall(MatBoundToCPU(A, &bound));
  if (told || bound || !shadow.kind->format.on_device) PetscFunctionReturn(PETSC_SUCCESS);
  told = true;
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, stderr,
                         "petscspmv: the vectors are on a device, but products run on the host and copy them each time. %s\n",
                         runtime::device_problem().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the user has named the type of A's vectors himself.
PetscErrorCode VecTypeIsGiven(Mat A, bool *given)
{
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-mat_vec_type", &found));
  *given = found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What vectors the user wants. Asked of the options themselves while A has not read its own: a program that never calls MatSetFromOptions() has
/// them read at the first product, and creates vectors before that. A wrong value is an error only where all options are read.
PetscErrorCode VecTypeWishOf(Mat A, const Shadow &shadow, VecTypeWish *wish)
{
  char        value[16];
  PetscBool   given = PETSC_FALSE, standard;
  const char *own   = ((PetscObject)A)->prefix;

  PetscFunctionBegin;
  *wish = (VecTypeWish)shadow.common["vec_type"];
  if (shadow.options_read) PetscFunctionReturn(PETSC_SUCCESS);
  for (const char *prefix : {own, (const char *)NULL})
    if (!given) PetscCall(PetscOptionsGetString(((PetscObject)A)->options, prefix, "-mat_spmv_vec_type", value, sizeof value, &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrcasecmp(value, "standard", &standard));
  *wish = standard ? VecTypeWish::standard : VecTypeWish::automatic;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ProductSpace(Mat A, Vec x, Vec y, MemorySpace *space)
{
  bool    x_on_device, y_on_device, allowed;
  Shadow *shadow;

  PetscFunctionBegin;
  *space = MemorySpace::host;
  if (!kCudaPetsc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOnDevice(x, &x_on_device));
  PetscCall(IsOnDevice(y, &y_on_device));
  if (!x_on_device || !y_on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(DeviceAllowed(A, *shadow, &allowed));
  if (allowed) *space = MemorySpace::device;
  else PetscCall(TellOfHostProducts(A, *shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DefaultSpace(Mat A, MemorySpace *space)
{
  VecType type;
  Shadow *shadow;
  bool    allowed;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(DeviceAllowed(A, *shadow, &allowed));
  *space = IsDeviceVecType(type) && allowed ? MemorySpace::device : MemorySpace::host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetDefaultVecType(Mat A)
{
  VecType     type;
  Shadow     *shadow;
  PetscBool   untouched;
  VecTypeWish wish;
  bool        allowed, given = false;

  PetscFunctionBegin;
  if (!kCudaPetsc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(VecTypeIsGiven(A, &given));
  PetscCall(PetscStrcmp(type, VECSTANDARD, &untouched));
  PetscCall(VecTypeWishOf(A, *shadow, &wish));
  PetscCall(DeviceAllowed(A, *shadow, &allowed));
  if (wish == VecTypeWish::standard && IsDeviceVecType(type)) PetscCall(MatSetVecType(A, VECSTANDARD));
  if (wish == VecTypeWish::automatic && untouched && !given && allowed) {
    PetscCall(MatSetVecType(A, VECCUDA));
    shadow->vec_type_is_ours = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBindToCPU_Shadow(Mat A, PetscBool bind)
{
  const auto parent = Parent<PetscErrorCode (*)(Mat, PetscBool)>(IsMPI(A), MATOP_BIND_TO_CPU);
  Shadow    *shadow;

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  if (bind && shadow->common["bind_frees"]) shadow->device.format.reset();
  if (parent) PetscCall((*parent)(A, bind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
