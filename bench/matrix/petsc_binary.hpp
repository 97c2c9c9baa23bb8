#pragma once

/// \file petsc_binary.hpp
/// Reads sparse matrices that PETSc's MatView wrote to a binary file.
///
/// MatLoad would do, too, but trusts the file: wrong row lengths or columns make it write where it must not.

#include "matrix/byte_source.hpp"
#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// True if `b` are the first bytes of such a file, with 32-bit or 64-bit integers.
bool is_petsc_binary(std::string_view b);

/// Reads the head only. Throws InputError.
Size peek_petsc_binary(ByteSource &source);

/// The first object in the file, a matrix of real numbers. Throws InputError that says which number is wrong.
CsrMatrix read_petsc_binary(ByteSource &source);

} // namespace petscspmv::bench
