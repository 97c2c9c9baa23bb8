#include "glue/auto.hpp"

#include "core/runtime.hpp"
#include "glue/options.hpp"
#include "glue/route.hpp"
#include "glue/sync.hpp"
#include "select/automatic.hpp"
#include "select/clock.hpp"
#include "select/rental.hpp"

namespace petscspmv::shadow {

namespace {

using select::Rental;
using select::Way;

/// The first way of A and what a change is worth, found once for a pattern.
PetscErrorCode StartRental(const Entry &e, Rental *rental)
{
  const Shadow &s     = *e.own;
  const auto    space = e.home;
  Execution     execution{.space = space, .kernels = s.kernels()};
  MatInfo       info;
  PetscInt      rows, cols;
  bool          first = !head_starts || s.options[select::automatic::when_option] == select::automatic::Moment::first;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(e.A, MAT_LOCAL, &info));
  PetscCall(MatGetLocalSize(e.A, &rows, &cols));
  if (space == MemorySpace::device) {
    PetscCall(ShadowThreads(s, space, &execution.threads));
    first = first || (IsOnHostAlone(e) && select::is_there_sooner(info.nz_used, execution));
  }
  const double bytes = info.nz_used * (sizeof(PetscScalar) + sizeof(PetscInt)) + (double)(rows + cols) * sizeof(PetscScalar);
  *rental            = first ? Rental::fixed(Way::fast) : Rental(select::prices(info.nz_used, bytes, execution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A new pattern begins anew; new values do not.
PetscErrorCode KeepRental(const Entry &e)
{
  const auto &[A, s, home]   = e;
  Automatic       &automatic = s->automatic;
  PetscObjectState pattern;

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  if (automatic.rental && automatic.pattern == pattern && automatic.space == home) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckSize(e));
  s->products.wait();
  s->at(home) = {};
  automatic   = {nullptr, home, pattern};
  PetscCall(PetscObjectStateGet((PetscObject)A, &automatic.values));
  auto rental = std::make_unique<Rental>(select::Prices{});
  PetscCall(StartRental(e, rental.get()));
  automatic.rental = std::move(rental);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Builds the present way, or the next one that can be.
PetscErrorCode BuildWay(const Entry &e)
{
  Shadow *const     s      = e.own;
  Rental           &rental = *s->automatic.rental;
  const MemorySpace space  = s->automatic.space;
  bool              failed = true;

  PetscFunctionBegin;
  s->products.wait();
  while (failed && rental.way() != Way::aij) {
    const double begin = select::now();
    s->at(space)       = {};
    PetscCall(ShadowSync(e, space, &failed));
    if (failed) rental.failed();
    else rental.built(select::now() - begin);
  }
  if (failed) s->at(space) = {};
  for (const auto &[name, value] : WayFacts(*s))
    PetscCall(PetscInfo(e.A, "%s: %s: %s\n", s->kind->root.c_str(), name.c_str(), value.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

FormatType<PetscScalar, PetscInt> AutoType(std::string_view name, const MatKind &fast)
{
  auto type    = fast.format;
  type.name    = name;
  type.method  = select::automatic::method;
  type.options = select::automatic::options;
  return type;
}

Facts WayFacts(const Shadow &s)
{
  if (!s.automatic.rental) return {};
  return s.automatic.rental->facts({"aij", s.kind->fast->root, PlainKind().root});
}

PetscErrorCode IsLeftToAij(const Entry &e, MemorySpace space, bool *is)
{
  PetscFunctionBegin;
  *is = false;
  if (!e.own->kind->fast) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KeepRental(e));
  *is = space == e.own->automatic.space && e.own->automatic.rental->way() == Way::aij;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseWay(const Entry &e, MemorySpace space, bool *by_aij, Timing *timing)
{
  Shadow *const    s = e.own;
  PetscObjectState values;

  PetscFunctionBegin;
  PetscCall(KeepRental(e));
  Rental &rental = *s->automatic.rental;
  if (space != s->automatic.space) PetscFunctionReturn(PETSC_SUCCESS);
  if (space == MemorySpace::host || !runtime::is_recording()) {
    const Way before = rental.way();
    PetscCall(PetscObjectStateGet((PetscObject)e.A, &values));
    rental.next(values != std::exchange(s->automatic.values, values));
    if (rental.way() != before || (rental.way() != Way::aij && !s->at(space).format)) PetscCall(BuildWay(e));
  }
  *by_aij = rental.way() == Way::aij;
  if (rental.is_timed()) *timing = {true, rental.way(), select::now()};
  PetscFunctionReturn(PETSC_SUCCESS);
}

void NoteTime(const Timing &timing, Shadow *s)
{
  const double seconds = select::now() - timing.begin;
  const auto   turn    = s->products.take_turn();
  if (s->automatic.rental) s->automatic.rental->took(timing.way, seconds);
}

} // namespace petscspmv::shadow
