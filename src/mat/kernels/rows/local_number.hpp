#pragma once

/// \file local_number.hpp
/// Rows and columns in 32 bits, for formats that number them so.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/csr_view.hpp"
#include "core/errors.hpp"

namespace petscspmv::kernels {

/// `n` rows or columns, whatever `what` says, as the format of that name counts them, or a FormatError.
template <class Index> std::int32_t local_number(Index n, const char *what, std::string_view format)
{
  if (n >= std::numeric_limits<std::int32_t>::max())
    throw FormatError("The matrix has " + std::to_string(n) + " " + what + " on one process, but " + std::string(format) +
                      " numbers them with 32 bits; use more processes, or -mat_type aijspec.");
  return static_cast<std::int32_t>(n);
}

/// `n` things of a matrix on a device, if 32 bits can hold it; else a FormatError.
inline std::uint32_t counted_number(std::size_t n, const char *what, std::string_view format)
{
  if (n > std::numeric_limits<std::uint32_t>::max())
    throw FormatError("The matrix has too many " + std::string(what) + " for " + std::string(format) + " on one device (" +
                      std::to_string(n) + "); use more processes, or -mat_type aijspec.");
  return static_cast<std::uint32_t>(n);
}

/// What a matrix takes as compressed sparse rows; not more than any memory has, for a matrix that is refused
/// afterwards.
template <class Scalar, class Index> std::int64_t csr_bytes(const CsrView<Scalar, Index> &a)
{
  constexpr double most  = 0x1p53;
  const double     bytes = double(a.nonzeros()) * double(sizeof(Scalar) + sizeof(Index)) + double(a.rows) * double(sizeof(Index));
  return static_cast<std::int64_t>(std::min(bytes, most));
}

} // namespace petscspmv::kernels
