#pragma once

/// \file made.hpp
/// Sequential AIJ matrices whose patterns are made here.

#include <span>
#include <vector>

#include "core/large_pages.hpp"
#include "glue/sync.hpp"

namespace petscspmv::shadow {

/// What a prolongator of ours has under this name.
inline constexpr char kMadeKey[] = "petscspmv_made";

struct Made {
  int threads = 1; ///< for products that the matrix is a factor of
};

/// Gives a matrix whose sizes and type are set a pattern, and values that nobody has written: to touch their memory
/// takes as long as a product on a device. PETSc does so, when it sends them to a device, and in large pages this takes
/// less. columns(array) writes [row_ptr[rows]] columns, ascending in each row, to where the matrix has them: what
/// setting them row by row takes is a third of a product on the host.
template <class Columns> PetscErrorCode GivePattern(Mat A, std::span<const PetscInt> row_ptr, const Columns &columns)
{
  std::vector<PetscInt> sizes; // of rows
  const PetscScalar    *values;
  View                  view;

  PetscFunctionBegin;
  PetscCallCXX(sizes.reserve(row_ptr.size()));
  for (std::size_t row = 1; row < row_ptr.size(); ++row) sizes.push_back(row_ptr[row] - row_ptr[row - 1]);
  PetscCall(MatSeqAIJSetPreallocation(A, 0, sizes.data()));
  PetscCall(PatternOnHost(A, &view));
  auto *const to = const_cast<PetscInt *>(view.col);
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  want_large_pages(values, (std::size_t)row_ptr.back());
  want_large_pages(to, (std::size_t)row_ptr.back());
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
  PetscCallCXX(columns(to));
  PetscCall(MatSeqAIJSetColumnIndices(A, to));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::shadow
