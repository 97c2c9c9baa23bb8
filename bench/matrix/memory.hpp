#pragma once

/// \file memory.hpp
/// Whether a matrix and its competitors fit into memory, before any of it is allocated.

#include <cstddef>

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// Bytes that this process may still take: what the system has free, or what its control group allows if that is less.
std::int64_t available_memory();

/// Bytes that measuring a matrix of `size` with `competitors` takes at its peak.
std::int64_t predicted_memory(const Size &size, std::size_t competitors);

/// Throws InputError if `needed` is more than `available`.
void check_memory(const std::string &matrix, const Size &size, std::int64_t needed, std::int64_t available);

} // namespace petscspmv::bench
