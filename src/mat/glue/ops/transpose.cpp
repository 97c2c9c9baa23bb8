#include <utility>

#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

/// The pattern of the transpose, as plain AIJ. PETSc's A B^T (3.18 to 3.26) makes the transposed B a matrix of A's type
/// with MatSetType(), which empties it where that leads from a subtype to AIJ itself.
static PetscErrorCode MatTransposeSymbolic_Shadow(Mat A, Mat *B)
{
  Entry         e;
  Mat           made = nullptr;
  const Finally destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_TRANSPOSE_SYMBOLIC, &made));
  if (IsShadowType(made)) PetscCall(ShadowDetach(made));
  *B = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows TransposeRows()
{
  static const Row seq[] = {{MATOP_TRANSPOSE_SYMBOLIC, (VoidFn)MatTransposeSymbolic_Shadow, IsNamed}};
  return {seq, {}};
}

} // namespace petscspmv::shadow
