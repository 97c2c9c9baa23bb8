#include "glue/ordering.hpp"

#include <utility>

#include "glue/finally.hpp"
#include "glue/options.hpp"

namespace petscspmv::shadow {

namespace {

PetscErrorCode MatGetOrdering_Blocks(Mat A, MatOrderingType type, IS *row, IS *col)
{
  BlockOrder<PetscInt> order;
  Execution            execution;
  Entry                e;
  View                 view;
  VoidFn               is_seqaij;
  IS                   made = nullptr;
  const Finally        destroy([&] { return ISDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatSeqAIJSetPreallocation_C", &is_seqaij));
  PetscCheck(is_seqaij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The ordering %s takes sequential AIJ matrices, and this one is a %s; -pc_factor_mat_ordering_type rcm takes others, too",
             type, ((PetscObject)A)->type_name);
  PetscCall(Find(A, &e));
  if (e.own) PetscCall(ShadowThreads(*e.own, e.home, &execution.threads));
  if (e.own && e.home == MemorySpace::device) {
    execution.space = e.home;
    PetscCall(UseCurrentStream());
    PetscCall(ShadowView(e, e.home, &view));
  } else PetscCall(PatternOnHost(A, &view));
  PetscCall(GetBlockOrder(A, view, execution, &order));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)order.row.size(), order.row.data(), PETSC_COPY_VALUES, &made));
  PetscCall(ISDuplicate(made, col)); // PCILU destroys one of two that are the same
  *row = std::exchange(made, nullptr);
  PetscCall(PetscInfo(A, "Ordered by %s\n", Described(order).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode GetBlockOrder(Mat A, const View &view, const Execution &execution, BlockOrder<PetscInt> *order)
{
  const PetscScalar *values;
  PetscInt           block_size;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &block_size));
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  const Finally restore([&] { return MatSeqAIJRestoreArrayRead(A, &values); });
  PetscCallCXX(*order = block_order(view, values, block_size, execution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string Described(const BlockOrder<PetscInt> &order)
{
  return "coloured blocks (" + std::to_string(order.block.size() - 1) + " in " + std::to_string(order.colour.size() - 1) + " colours)";
}

PetscErrorCode RegisterBlockOrdering(const char name[])
{
  PetscFunctionBegin;
  PetscCall(MatOrderingRegister(name, MatGetOrdering_Blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
