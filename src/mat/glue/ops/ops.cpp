#include "glue/ops/ops.hpp"

#include <petsc/private/matimpl.h> // its operations

#include "glue/door/parent.hpp"

namespace petscspmv::shadow {

static std::vector<Row> Collected(bool mpi)
{
  std::vector<Row> all;
  for (const auto rows : kOperations) {
    const auto some = mpi ? rows().mpi : rows().seq;
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::span<const Row> AllRows(bool mpi)
{
  static const auto &rows = *new std::array{Collected(false), Collected(true)};
  return rows[mpi];
}

PetscErrorCode MeetParent(const Entry &e)
{
  const auto         rows = AllRows(e.own->mpi);
  const KnownParent *own, *plain;
  VoidFn             now;

  PetscFunctionBegin;
  PetscCall(FindParent(ParentType(e.A), &own));
  PetscCall(FindParent(e.own->mpi ? MATMPIAIJ : MATSEQAIJ, &plain)); // a matrix that is bound to the CPU has these
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PetscCall(MatGetOperation(e.A, rows[i].op, &now));
    if (now == own->functions[i] || now == plain->functions[i]) e.own->parent[i] = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseOperations(const Entry &e)
{
  const auto          rows = AllRows(e.own->mpi);
  const VoidFn *const has  = reinterpret_cast<VoidFn *>(e.A->ops); // as MatGetOperation() reads it, for each product of a tiny matrix

  PetscFunctionBegin;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto &[op, ours, wanted] = rows[i];
    const VoidFn parents           = e.own->parent[i];
    const VoidFn then              = !wanted || wanted(e) ? ours : parents;
    if (has[op] != then && (has[op] == ours || has[op] == parents)) PetscCall(MatSetOperation(e.A, op, then));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
