#pragma once

/// \file matrix_market.hpp
/// Reads Matrix Market files, the dialect of docs/files.md. Complex ones are refused.
///
/// R. Boisvert, R. Pozo, K. Remington: The Matrix Market exchange formats. NISTIR 5935 (1996).

#include "matrix/byte_source.hpp"
#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// True for the first bytes of such a file.
bool is_matrix_market(std::string_view first_bytes);

/// Reads the head only. nonzeros counts both halves of a symmetric matrix. Throws InputError.
Size peek_matrix_market(ByteSource &source);

/// The whole matrix; entries of a pattern are 1. Throws InputError that names the line and what was expected there.
CsrMatrix read_matrix_market(ByteSource &source);

} // namespace petscspmv::bench
