#pragma once

/// \file csr_matrix.hpp
/// A CSR matrix that owns its arrays, and how tests make one.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/csr_view.hpp"

namespace petscspmv::test {

template <class Scalar, class Index> struct CsrMatrix {
  Index               rows = 0, cols = 0;
  std::vector<Index>  row_ptr{0};
  std::vector<Index>  col;
  std::vector<Scalar> val;
  std::vector<Index>  node_ptr; ///< empty: nothing is known of nodes

  CsrView<Scalar, Index> view() const
  {
    return {rows,
            cols,
            row_ptr.data(),
            col.data(),
            val.data(),
            node_ptr.empty() ? Index(0) : static_cast<Index>(node_ptr.size() - 1),
            node_ptr.empty() ? nullptr : node_ptr.data()};
  }

  /// Appends a row; its values are set to 1.
  void add_row(std::vector<Index> columns)
  {
    col.insert(col.end(), columns.begin(), columns.end());
    val.resize(col.size(), Scalar(1));
    row_ptr.push_back(static_cast<Index>(col.size()));
    ++rows;
  }

  /// The columns of a row.
  std::vector<Index> row(Index r) const { return {col.begin() + row_ptr[r], col.begin() + row_ptr[r + 1]}; }

  /// All entries, row by row: for (auto [row, column, value] : a.entries()), where `value` is that of the matrix.
  auto entries() { return entries_of<Scalar>(*this); }
  auto entries() const { return entries_of<const Scalar>(*this); }

  /// Finds the runs of at most `limit` rows with equal columns, as PETSc does (its limit is 5).
  void find_nodes(Index limit)
  {
    node_ptr = {0};
    for (Index r = 1; r <= rows; ++r)
      if (r == rows || r - node_ptr.back() == limit || row(r) != row(r - 1)) node_ptr.push_back(r);
    if (rows == 0) node_ptr.clear();
  }

private:
  template <class Value, class Matrix> static auto entries_of(Matrix &a)
  {
    struct Entry {
      Index  row, col;
      Value &value;
    };
    std::vector<Entry> all;
    all.reserve(a.col.size());
    for (Index r = 0; r < a.rows; ++r)
      for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) all.push_back({r, a.col[k], a.val[k]});
    return all;
  }
};

template <class Scalar> struct IsComplex : std::false_type {
};
template <class T> struct IsComplex<std::complex<T>> : std::true_type {
};

/// Numbers from a seed, the same on every machine.
template <class Scalar> class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) { }

  /// Uniform in [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high)
  {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  /// Uniform in (-1, 1), real and imaginary part.
  Scalar number()
  {
    return make([&] { return std::ldexp(static_cast<double>(engine_() >> 11), -52) - 1.0; });
  }

  /// An integer of at most three in modulus, real and imaginary part.
  Scalar small_integer()
  {
    return make([&] { return static_cast<double>(integer(-3, 3)); });
  }

private:
  template <class Draw> Scalar make(Draw draw)
  {
    if constexpr (IsComplex<Scalar>::value) {
      const double re = draw();
      return {re, draw()};
    } else return draw();
  }

  std::mt19937_64 engine_;
};

} // namespace petscspmv::test
