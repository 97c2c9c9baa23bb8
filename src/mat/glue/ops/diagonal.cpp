#include <algorithm>

#include "core/runtime.hpp"
#include "glue/ops/ops.hpp"
#include "glue/options.hpp"
#include "glue/place.hpp"
#include "glue/door/parent.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

/// By several threads: alone, one takes as long as PETSc takes to bring the matrix to the device, 28 ms for 2 million
/// rows.
static PetscErrorCode DiagonalOnHost(const Entry &e, Vec diagonal)
{
  constexpr std::int64_t batch = 1 << 14;
  View                   a;
  PetscScalar           *d;
  int                    threads;

  PetscFunctionBegin;
  PetscCall(ShadowThreads(*e.own, MemorySpace::device, &threads));
  PetscCall(PatternOnHost(e.A, &a));
  PetscCall(ValuesOnHost(e.A, &a.val));
  PetscCall(VecGetArrayWrite(diagonal, &d));
  const Finally restore([&] { return VecRestoreArrayWrite(diagonal, &d); });
  PetscCallCXX(runtime::for_each_batch(threads, a.rows, batch, [&a, d](std::int64_t first, std::int64_t last) {
    for (auto row = (PetscInt)first; row < (PetscInt)last; ++row) {
      const PetscInt *const end = a.col + a.row_ptr[row + 1], *const found = std::find(a.col + a.row_ptr[row], end, row);
      d[row] = found != end ? a.val[found - a.col] : 0;
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// From arrays that are on the device for something else. False, and nothing is written, if there are none.
static PetscErrorCode DiagonalOnDevice(const Entry &e, Vec diagonal, bool *written)
{
  SyncKey      key;
  View         view;
  PetscScalar *d;
  PetscMemType where;

  PetscFunctionBegin;
  *written = false;
  if (!e.own->on_device.arrays) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOnDevice(diagonal, written));
  if (*written) PetscCall(FindCopy(e, &key, &view, written));
  if (!*written) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(UseCurrentStream());
  PetscCall(VecGetArrayWriteAndMemType(diagonal, &d, &where));
  e.own->on_device.arrays->diagonal(d);
  PetscCall(VecRestoreArrayWriteAndMemType(diagonal, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where the values are on the host alone, the diagonal is taken there: PETSc would bring the whole matrix to the
/// device for it, as for its Jacobi preconditioner.
static PetscErrorCode MatGetDiagonal_Shadow(Mat A, Vec diagonal)
{
  Entry         e;
  MatFactorType factor;
  PetscInt      rows, length;
  bool          written = false;

  PetscFunctionBegin;
  PetscCall(EnterUnread(A, &e));
  PetscCall(MatGetFactorType(A, &factor));
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(VecGetLocalSize(diagonal, &length));
  const bool sent = IsOnHostAlone(e) && factor == MAT_FACTOR_NONE && length == rows;
  if (sent) PetscCall(DiagonalOnDevice(e, diagonal, &written));
  if (written) PetscFunctionReturn(PETSC_SUCCESS);
  if (sent) PetscCall(DiagonalOnHost(e, diagonal));
  else PetscCall(CallParent(e, MATOP_GET_DIAGONAL, diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Rows DiagonalRows()
{
  static const Row seq[] = {{MATOP_GET_DIAGONAL, (VoidFn)MatGetDiagonal_Shadow}};
  return {seq, {}};
}

} // namespace petscspmv::shadow
