#pragma once

/// \file csr.hpp
/// The matrices that the bench makes, reads and hands to the competitors.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench_config.hpp"

namespace petscspmv::bench {

/// Compressed sparse rows. Columns ascend within a row and none repeats.
struct CsrMatrix {
  Index               rows    = 0;
  Index               cols    = 0;
  std::vector<Index>  row_ptr = {0}; ///< [rows + 1]
  std::vector<Index>  col;           ///< [nonzeros()]
  std::vector<double> val;           ///< [nonzeros()]

  std::int64_t nonzeros() const { return row_ptr.back(); }
};

/// What is known of a matrix before it exists. nonzeros is an upper bound.
struct Size {
  std::int64_t rows     = 0;
  std::int64_t cols     = 0;
  std::int64_t nonzeros = 0;
};

inline Size size_of(const CsrMatrix &a)
{
  return {a.rows, a.cols, a.nonzeros()};
}

/// Bytes of a matrix in CSR: what the arrays take, and what a product by them reads.
inline std::int64_t csr_bytes(const Size &s)
{
  return s.nonzeros * std::int64_t(sizeof(double) + sizeof(Index)) + (s.rows + 1) * std::int64_t(sizeof(Index));
}

/// Bytes of a matrix in coordinates: a row, a column and a value for each entry.
inline std::int64_t coo_bytes(const Size &s)
{
  return s.nonzeros * std::int64_t(sizeof(double) + 2 * sizeof(Index));
}

/// Bytes of x and y: the floor under what any product moves.
inline std::int64_t vector_bytes(const Size &s)
{
  return (s.rows + s.cols) * std::int64_t(sizeof(double));
}

/// Input that cannot be used. what() is for the user: what is wrong, where, and what to do.
class InputError : public std::runtime_error {
public:
  explicit InputError(const std::string &sentence) : std::runtime_error(sentence) { }
};

} // namespace petscspmv::bench
