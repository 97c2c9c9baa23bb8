#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"
#include "glue/route.hpp"

namespace petscspmv::shadow {

static PetscErrorCode MatBindToCPU_Shadow(Mat A, PetscBool bind)
{
  Entry e;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  if (bind && e.own->common[kBindFreesOption]) {
    for (const Form form : e.own->forms())
      if (form.space == MemorySpace::device) e.own->at(form).format.reset();
    e.own->sweeps.reset();
  }
  if (ParentFunction(e, MATOP_BIND_TO_CPU)) PetscCall(CallParent(e, MATOP_BIND_TO_CPU, bind));
  PetscCall(Find(A, &e)); // its home may be another one now
  PetscCall(ShadowReattach(e));
  if (e.own->tiny) PetscCall(CheckSize(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows BindRows()
{
  static const Row rows[] = {{MATOP_BIND_TO_CPU, (VoidFn)MatBindToCPU_Shadow}};
  return {rows, rows};
}

} // namespace petscspmv::shadow
