#include "glue/events.hpp"

namespace petscspmv::shadow {

PetscLogEvent Event_Build = -1, Event_Refresh = -1, Event_Product = -1, Event_Sweeps = -1;

static PetscErrorCode RegisterEvent(const char name[], PetscLogEvent *event)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId(name, event));
  if (*event < 0) PetscCall(PetscLogEventRegister(name, MAT_CLASSID, event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(RegisterEvent("MatSpMVBuild", &Event_Build));
  PetscCall(RegisterEvent("MatSpMVRefresh", &Event_Refresh));
  PetscCall(RegisterEvent("MatSpMVProduct", &Event_Product));
  PetscCall(RegisterEvent("MatSpMVSweeps", &Event_Sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
