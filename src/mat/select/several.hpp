#pragma once

/// \file several.hpp
/// Which kernels multiply with several vectors on a device: those of plain CSR, which read the matrix once for all of
/// them, or those for one vector, one after the other. On the host each format tells (leaves_several()).

#include <cstddef>

#include "core/footprint.hpp"
#include "core/format.hpp"

namespace petscspmv::select {

/// The format that multiplies beside `type` as that has no kernels for: `plain`, which is plain CSR, or itself if it is
/// that, too.
template <class Type> const Type &beside(const Type &type, const Type &plain)
{
  return type.transposes ? type : plain;
}

/// Whether the former are taken for each matrix: where the format is plain CSR itself.
template <class Scalar, class Index> bool always_at_once(const FormatType<Scalar, Index> &type)
{
  return type.borrows;
}

/// Whether they are faster for a matrix of so many rows, given what a product with one vector reads: on an H100, where
/// a row takes more than eight scalars.
inline bool pays_at_once(const Footprint &single, std::size_t rows, std::size_t scalar_bytes)
{
  return single.total() > 8 * rows * scalar_bytes;
}

} // namespace petscspmv::select
