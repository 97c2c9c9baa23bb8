#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

/// `mpi` is given: MatHeaderMerge destroys matrices whose type name is gone.
template <bool mpi> static PetscErrorCode MatDestroy_Shadow(Mat A)
{
  Entry              e;
  const KnownParent *known;

  PetscFunctionBegin;
  PetscCall(Find(A, &e)); // the shadow, which MatHeaderMerge may have taken away, and the name of the type with it
  PetscCall(FindParent(mpi ? MATMPIAIJ : MATSEQAIJ, &known));
  const ParentFunctions parent  = e.own ? e.own->parent : known->functions;
  const VoidFn          destroy = FunctionOf(parent, mpi, MATOP_DESTROY);
  PetscCall(RestoreParent(A, parent, true, mpi, {}));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, mpi ? MATMPIAIJ : MATSEQAIJ));
  PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat)>(destroy))(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows DestroyRows()
{
  static const Row seq[] = {{MATOP_DESTROY, (VoidFn)MatDestroy_Shadow<false>, IsNamed}};
  static const Row mpi[] = {{MATOP_DESTROY, (VoidFn)MatDestroy_Shadow<true>, IsNamed}};
  return {seq, mpi};
}

} // namespace petscspmv::shadow
