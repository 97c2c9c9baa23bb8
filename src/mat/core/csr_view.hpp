#pragma once

/// \file csr_view.hpp
/// The matrix as every format receives it: compressed sparse rows that belong to somebody else.

namespace petscspmv {

/// A compressed-sparse-row matrix that is looked at, not owned.
///
/// Columns within a row need not be sorted and may repeat. Rows may be empty, and so may the matrix.
/// `Index` is PETSc's integer (32 or 64 bits); `Scalar` is double or std::complex<double>.
template <class Scalar, class Index> struct CsrView {
  Index         rows    = 0;
  Index         cols    = 0;
  const Index  *row_ptr = nullptr; ///< [rows + 1], never decreasing, row_ptr[0] == 0
  const Index  *col     = nullptr; ///< [nonzeros()], each in [0, cols)
  const Scalar *val     = nullptr; ///< [nonzeros()], in host memory; for MemorySpace::device, in its memory as well

  /// Runs of rows that have the same column indices ("inodes" in PETSc). Node k holds the rows
  /// node_ptr[k] .. node_ptr[k + 1] - 1; node_ptr[0] == 0 and node_ptr[nodes] == rows.
  /// nodes == 0 means that nothing is known, not that there are none.
  Index        nodes    = 0;
  const Index *node_ptr = nullptr; ///< [nodes + 1], or null if nodes == 0

  /// The pattern once more, in the memory of the device, as far as it is there; else null.
  const Index *device_row_ptr = nullptr; ///< [rows + 1]
  const Index *device_col     = nullptr; ///< [nonzeros()]

  /// The values once more, in host memory, where `val` is in that of a device and they are here, too; else null.
  const Scalar *host_val = nullptr; ///< [nonzeros()]

  /// The values on the device are newer than any on the host, and the pattern there is that of these values.
  bool newest_on_device = false;

  Index nonzeros() const { return row_ptr ? row_ptr[rows] : Index(0); }
};

} // namespace petscspmv
