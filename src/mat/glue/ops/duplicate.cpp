#include <utility>

#include "glue/door/attach.hpp"
#include "glue/ops/ops.hpp"
#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

static PetscErrorCode MatDuplicate_Shadow(Mat A, MatDuplicateOption how, Mat *B)
{
  Entry         e, copy;
  Mat           made = nullptr;
  const Finally destroy([&] { return MatDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(CallParent(e, MATOP_DUPLICATE, how, &made));
  PetscCall(ShadowAttach(made, *e.own->kind));
  PetscCall(EnterUnread(made, &copy));
  copy.own->inherit(*e.own);
  copy.own->outer_prefix = e.own->outer_prefix;
  *B                     = std::exchange(made, nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows DuplicateRows()
{
  static const Row rows[] = {{MATOP_DUPLICATE, (VoidFn)MatDuplicate_Shadow}};
  return {rows, rows};
}

} // namespace petscspmv::shadow
