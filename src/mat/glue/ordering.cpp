#include "glue/ordering.hpp"

#include <utility>

#include "glue/finally.hpp"
#include "glue/options.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

namespace {

PetscErrorCode MatGetOrdering_Blocks(Mat A, MatOrderingType type, IS *row, IS *col)
{
  BlockOrder<PetscInt> order;
  Entry                e;
  VoidFn               is_seqaij;
  IS                   made = nullptr;
  const Finally        destroy([&] { return ISDestroy(&made); });

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatSeqAIJSetPreallocation_C", &is_seqaij));
  PetscCheck(is_seqaij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The ordering %s takes sequential AIJ matrices, and this one is a %s; -pc_factor_mat_ordering_type rcm takes others, too",
             type, ((PetscObject)A)->type_name);
  PetscCall(Find(A, &e));
  PetscCall(GetBlockOrder(e, &order));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)order.row.size(), order.row.data(), PETSC_COPY_VALUES, &made));
  PetscCall(ISDuplicate(made, col)); // PCILU destroys one of two that are the same
  *row = std::exchange(made, nullptr);
  PetscCall(PetscInfo(A, "Ordered by %s\n", Described(order).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode GetBlockOrder(const Entry &e, BlockOrder<PetscInt> *order)
{
  View               view;
  const PetscScalar *values;
  PetscInt           block_size;
  int                threads = 1;

  PetscFunctionBegin;
  if (e.own) PetscCall(ShadowThreads(*e.own, e.home, &threads));
  PetscCall(MatGetBlockSize(e.A, &block_size));
  PetscCall(MatSeqAIJGetArrayRead(e.A, &values));
  const Finally restore([&] { return MatSeqAIJRestoreArrayRead(e.A, &values); });
  if (e.own && e.home == MemorySpace::device) {
    PetscCall(UseCurrentStream());
    PetscCall(ShadowView(e, e.home, &view));
  } else PetscCall(PatternOnHost(e.A, &view));
  PetscCallCXX(*order = block_order(view, values, block_size, Execution{e.own ? e.home : MemorySpace::host, threads}));
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
