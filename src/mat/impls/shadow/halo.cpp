#include "impls/shadow/shadow.hpp"

namespace petscspmv::shadow {

Halo::~Halo()
{
  // A destructor cannot report an error, and by now nobody could act on one.
  (void)PetscSFDestroy(&sf);
  (void)VecDestroy(&ghost);
}

namespace {

/// The arrays of a vector for a PetscSF, wherever they are, from construction to the end of the exchange.
struct Exchange {
  const PetscScalar *from;
  PetscScalar       *to;
  PetscMemType       from_where, to_where;
};

/// PETSc's own scatter would bring ghost values to a host vector, for it was made when the blocks were plain AIJ. So this is one of
/// our own: root = entry of x, leaf = column of the off-diagonal block.
PetscErrorCode SetUpHalo(Mat A, Mat off_diagonal, Halo *halo)
{
  const PetscInt *columns;
  PetscInt        ghosts;
  PetscObjectId   id;
  PetscLayout     layout;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)off_diagonal, &id));
  if (halo->sf && halo->block == id) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFDestroy(&halo->sf));
  PetscCall(VecDestroy(&halo->ghost));
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, NULL, &columns));
  PetscCall(MatGetLocalSize(off_diagonal, NULL, &ghosts));
  PetscCall(MatGetLayouts(A, NULL, &layout));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &halo->sf));
  PetscCall(PetscSFSetFromOptions(halo->sf));
  PetscCall(PetscSFSetGraphLayout(halo->sf, layout, ghosts, NULL, PETSC_COPY_VALUES, columns));
  PetscCall(PetscSFSetUp(halo->sf));
  PetscCall(VecCreate(PETSC_COMM_SELF, &halo->ghost));
  PetscCall(VecSetSizes(halo->ghost, ghosts, ghosts));
  PetscCall(VecSetType(halo->ghost, VECCUDA));
  halo->block = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = A x + beta y: the diagonal block works while the ghost values travel.
PetscErrorCode MultiplyForward(Mat (&blocks)[2], Halo &halo, Vec x, PetscScalar beta, Vec y)
{
  Exchange e;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &e.from, &e.from_where));
  PetscCall(VecGetArrayWriteAndMemType(halo.ghost, &e.to, &e.to_where));
  PetscCall(PetscSFBcastWithMemTypeBegin(halo.sf, MPIU_SCALAR, e.from_where, e.from, e.to_where, e.to, MPI_REPLACE));
  PetscCall(ShadowMultiply(blocks[0], Operation::none, x, beta, y));
  PetscCall(PetscSFBcastEnd(halo.sf, MPIU_SCALAR, e.from, e.to, MPI_REPLACE));
  PetscCall(VecRestoreArrayWriteAndMemType(halo.ghost, &e.to));
  PetscCall(VecRestoreArrayReadAndMemType(x, &e.from));
  PetscCall(ShadowMultiply(blocks[1], Operation::none, halo.ghost, 1, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x + beta y with op a transpose: what belongs to other ranks is summed there.
PetscErrorCode MultiplyBackward(Mat (&blocks)[2], Halo &halo, Operation op, Vec x, PetscScalar beta, Vec y)
{
  Exchange e;

  PetscFunctionBegin;
  PetscCall(ShadowMultiply(blocks[1], op, x, 0, halo.ghost));
  PetscCall(ShadowMultiply(blocks[0], op, x, beta, y));
  PetscCall(VecGetArrayReadAndMemType(halo.ghost, &e.from, &e.from_where));
  PetscCall(VecGetArrayAndMemType(y, &e.to, &e.to_where));
  PetscCall(PetscSFReduceWithMemTypeBegin(halo.sf, MPIU_SCALAR, e.from_where, e.from, e.to_where, e.to, MPIU_SUM));
  PetscCall(PetscSFReduceEnd(halo.sf, MPIU_SCALAR, e.from, e.to, MPIU_SUM));
  PetscCall(VecRestoreArrayAndMemType(y, &e.to));
  PetscCall(VecRestoreArrayReadAndMemType(halo.ghost, &e.from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ShadowMultiplyHalo(Mat A, Operation op, Vec x, PetscScalar beta, Vec y)
{
  Shadow *shadow;
  Mat     blocks[2];

  PetscFunctionBegin;
  PetscCall(ShadowGet(A, &shadow));
  PetscCall(GetBlocks(A, blocks));
  PetscCall(SetUpHalo(A, blocks[1], &shadow->halo));
  if (op == Operation::none) PetscCall(MultiplyForward(blocks, shadow->halo, x, beta, y));
  else PetscCall(MultiplyBackward(blocks, shadow->halo, op, x, beta, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
