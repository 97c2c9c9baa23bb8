#pragma once

/// \file ops.hpp
/// The operations of PETSc's that are ours. Each has a file of this folder: its functions, its rows, and what it tells
/// with -mat_view.

#include <span>

#include "glue/door/enter.hpp"

namespace petscspmv::shadow {

/// A row: an operation of PETSc's, our function for it, and for which matrices it is ours.
struct Row {
  MatOperation op;
  VoidFn       ours;
  bool (*wanted)(const Entry &e) = nullptr; ///< null: for all
};

/// The rows of a file.
struct Rows {
  std::span<const Row> seq, mpi;                                 ///< of sequential matrices, and of parallel ones
  PetscErrorCode (*view)(const Entry &e, PetscViewer) = nullptr; ///< its lines of -mat_view, of a sequential matrix; null: none
};

// The table: a line an operation.
Rows MultRows();
Rows SorRows();
Rows DiagonalRows();
Rows SubmatricesRows();
Rows AssemblyRows();
Rows DuplicateRows();
Rows ViewRows();
Rows SetFromOptionsRows();
Rows BindRows();
Rows DestroyRows();
Rows ConvertRows();
Rows TransposeRows();
Rows OrderingRows();

/// All of them.
inline constexpr Rows (*kOperations[])() = {MultRows,      SorRows,       DiagonalRows,       SubmatricesRows, AssemblyRows,
                                            DuplicateRows, ViewRows,      SetFromOptionsRows, BindRows,        DestroyRows,
                                            ConvertRows,   TransposeRows, OrderingRows};

/// All rows of sequential or of parallel matrices.
std::span<const Row> AllRows(bool mpi);

/// Finds which functions of A are its parent's now: PETSc sets operations anew in places.
PetscErrorCode MeetParent(const Entry &e);

/// Decides which operations of A are ours, and makes the others its parent's: where A gets a shadow, after PETSc may
/// have set operations anew, and when its size or its options are known. What is neither ours nor the parent's is the
/// program's, or what MatCreateSubMatrices() brings to destroy what it makes, and stays.
PetscErrorCode ChooseOperations(const Entry &e);

/// Lets plain AIJ, attached or not, stay what we have made of it where it is converted to a type of PETSc's on a
/// device.
PetscErrorCode HookConversions(Mat A);

/// For types with names of ours alone.
inline bool IsNamed(const Entry &e)
{
  return e.own->named;
}

} // namespace petscspmv::shadow
