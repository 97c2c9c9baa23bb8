#include "glue/route.hpp"

#include <limits>
#include <utility>

#include "core/runtime.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"
#include "glue/place.hpp"
#include "glue/sync.hpp"
#include "select/several.hpp"

namespace petscspmv::shadow {

namespace {

/// Says once that products copy vectors from where they are to where the matrix is, or back: they are right, but slower
/// than they need be. What else PETSc does with such a matrix on a device is not right.
PetscErrorCode WarnOfCopies(MemorySpace space)
{
  static bool told = false;

  PetscFunctionBegin;
  if (told) PetscFunctionReturn(PETSC_SUCCESS);
  told = true;
  if (space == MemorySpace::host)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, stderr,
                           "petscspmv: the vectors are on a device, but the matrix is on the host, and each product copies them. Use "
                           "-mat_type aijcusparse with -mat_spmv. %s\n",
                           runtime::device_problem().c_str()));
  else
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, stderr,
                           "petscspmv: the matrix is on a device, but the vectors are on the host, and each product copies them. PETSc's "
                           "own functions for such a matrix, as those of preconditioners, take all vectors for vectors on a device. Use "
                           "-vec_type cuda, and -dm_vec_type cuda with a DM, or leave the matrix on the host: -mat_spmv_vec_type standard "
                           "for types with names of petscspmv.\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Why PETSc multiplies there, whatever has been built.
Reason ReasonOf(const Shadow &own, MemorySpace space)
{
  return !HasKernels(own, space) ? Reason::no_kernels : own.tiny ? Reason::tiny : Reason::ours;
}

/// A transposed product on a device needs an index of its own, which costs up to ten products to build: the first ones
/// are the parent's. Counts one with so many vectors.
bool WaitsForIndex(Shadow *shadow, MemorySpace space, Operation op, PetscInt vectors)
{
  constexpr PetscInt paid = 16;
  if (space == MemorySpace::host || op == Operation::none || shadow->transposes > paid) return false;
  shadow->transposes += vectors;
  return shadow->transposes <= paid;
}

/// Ours, if the format can be brought in step.
PetscErrorCode SyncOnRoute(const Entry &e, Route *route)
{
  bool failed;

  PetscFunctionBegin;
  PetscCall(ShadowSync(e, route->form, &failed));
  if (failed) route->reason = Reason::failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether several vectors are worth a format beside the one for single vectors, which is in step.
PetscErrorCode PaysBeside(const Entry &e, MemorySpace space, bool *pays)
{
  const Format &single = *e.own->at(space).format;
  PetscInt      rows;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(e.A, &rows, NULL));
  *pays = space == MemorySpace::device ? select::pays_at_once(single.footprint(), (std::size_t)rows, sizeof(PetscScalar))
                                       : single.leaves_several();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

std::string Text(Reason reason, const Shadow &shadow)
{
  switch (reason) {
  case Reason::ours:
    break;
  case Reason::tiny:
    return "there are at most " + std::to_string(shadow.common["tiny"]) + " entries (-mat_spmv_tiny)";
  case Reason::no_kernels:
    return "the method has no kernels for this device";
  case Reason::index:
    return "the index of transposed products is not built yet, or has no room";
  case Reason::unpaid:
    return "they have not paid for the conversion yet, or were faster";
  case Reason::failed:
    return "the format cannot be built";
  }
  return "";
}

bool HasKernels(const Shadow &shadow, MemorySpace space)
{
  return space == MemorySpace::host || (shadow.kind->format.on_device && runtime::has_device());
}

PetscErrorCode ProductSpace(const Entry &e, Vec x, Vec y, MemorySpace *space)
{
  bool x_on_device, y_on_device;

  PetscFunctionBegin;
  *space = e.home;
  if (!kCudaPetsc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOnDevice(x, &x_on_device));
  PetscCall(IsOnDevice(y, &y_on_device));
  if (x_on_device == y_on_device && x_on_device != (e.home == MemorySpace::device)) PetscCall(WarnOfCopies(e.home));
  if (!x_on_device || !y_on_device) *space = MemorySpace::host; // PETSc's own product would take both for vectors on the device
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindRoute(const Entry &e, Operation op, Vec x, Vec y, Route *route)
{
  MemorySpace space;
  bool        left = false;

  PetscFunctionBegin;
  PetscCall(ProductSpace(e, x, y, &space));
  route->form = e.own->for_single(op, space);
  // Before the first product, and where a matrix has become another one without an assembly, as by MatHeaderMerge().
  if (e.own->tiny || !(std::as_const(*e.own).at(route->form).format || e.own->automatic.rental)) PetscCall(CheckSize(e));
  route->reason = ReasonOf(*e.own, space);
  if (route->by_parent()) PetscFunctionReturn(PETSC_SUCCESS);
  if (WaitsForIndex(e.own, space, op, 1)) route->reason = Reason::index;
  else if (e.own->kind->fast) PetscCall(op == Operation::none ? ChooseWay(e, space, &left, &route->timing) : IsLeftToAij(e, space, &left));
  if (left) route->reason = Reason::unpaid;
  if (!route->by_parent()) PetscCall(SyncOnRoute(e, route));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindRouteOfSeveral(const Entry &e, Operation op, PetscInt columns, Route *route)
{
  const auto &[A, own, space] = e;
  bool always, pays = true;

  PetscFunctionBegin;
  if (WaitsForIndex(own, space, op, columns)) {
    route->reason = Reason::index;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  route->form = columns == 1 ? own->for_single(op, space) : own->for_several(op, space);
  PetscCall(IsLeftToAij(e, space, &always)); // then nothing else is built for single vectors
  always = always || (space == MemorySpace::device && select::always_at_once(own->kind->format));
  if (route->form.purpose == Purpose::several && !own->at(route->form).format && !always) {
    const Form several = std::exchange(route->form, space);
    PetscCall(SyncOnRoute(e, route));
    if (!route->by_parent()) PetscCall(PaysBeside(e, space, &pays));
    if (route->by_parent() || !pays) PetscFunctionReturn(PETSC_SUCCESS);
    route->form = several;
  }
  PetscCall(SyncOnRoute(e, route));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindRouteSoFar(const Entry &e, Route *route)
{
  bool left = false;

  PetscFunctionBegin;
  route->form   = e.home;
  route->reason = ReasonOf(*e.own, e.home);
  if (!route->by_parent()) PetscCall(IsLeftToAij(e, e.home, &left));
  if (left) route->reason = Reason::unpaid;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GiveUpIndex(Shadow *shadow)
{
  shadow->transposes = std::numeric_limits<PetscInt>::min();
}

PetscErrorCode CheckSize(const Entry &e)
{
  const bool may = head_starts && e.home == MemorySpace::host && e.own->options_read; // no product is short on a device
  MatInfo    info;

  PetscFunctionBegin;
  if (e.own->mpi) PetscFunctionReturn(PETSC_SUCCESS);
  if (may) PetscCall(MatGetInfo(e.A, MAT_LOCAL, &info));
  e.own->tiny = may && info.nz_used <= (PetscLogDouble)e.own->common["tiny"];
  PetscCall(ChooseOperations(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
