#pragma once

/// \file matrices.hpp
/// The one list of matrices that every format is tested with.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/csr_matrix.hpp"

namespace petscspmv::test {

template <class Scalar, class Index> struct NamedMatrix {
  using Matrix = CsrMatrix<Scalar, Index>;
  std::string             name;
  std::function<Matrix()> pattern;              ///< values are set by whoever asks for it, except where `values` are fixed
  bool                    fixed_values = false; ///< keep the values of the pattern
  bool                    large        = false; ///< too large for all combinations of options
};

/// Patterns that several matrices are made of. Columns ascend unless it says otherwise.
template <class Scalar, class Index> struct Patterns {
  using Matrix = CsrMatrix<Scalar, Index>;

  using Row = std::vector<Index>;

  /// Row r has the columns columns(r).
  template <class Columns> static Matrix by_rows(Index rows, Index cols, const Columns &columns)
  {
    Matrix a;
    a.cols = cols;
    for (Index r = 0; r < rows; ++r) a.add_row(columns(r));
    return a;
  }

  /// n different random columns.
  static Row distinct(std::int64_t n, Index cols, Random<Scalar> &random);

  /// `length(r)` entries in row r, at random columns.
  template <class Length> static Matrix random(Index rows, Index cols, unsigned seed, Length length)
  {
    Random<Scalar> random(seed);
    Matrix         a;
    a.cols = cols;
    for (Index r = 0; r < rows; ++r) a.add_row(distinct(std::min<std::int64_t>(length(r, random), cols), cols, random));
    return a;
  }

  /// n entries in every row.
  static Matrix regular(Index rows, Index cols, Index n, unsigned seed)
  {
    return random(rows, cols, seed, [n](Index, auto &) { return n; });
  }

  static Row range(Index first, Index last, Index step = 1)
  {
    Row columns;
    for (Index c = first; c < last; c += step) columns.push_back(c);
    return columns;
  }

  /// Of points in a box, n along x and y and `planes` along z, with b unknowns each. Points are coupled that are one
  /// step apart in `most` directions at most: 7 points or 27, in a plane 5 or 9.
  static Matrix box(Index n, Index planes, int most, Index b = 1)
  {
    return by_rows(n * n * planes * b, n * n * planes * b, [=](Index r) {
      const Index point = r / b, x = point % n, y = point / n % n, z = point / n / n;
      Row         columns;
      for (const Index k : {-1, 0, 1})
        for (const Index j : {-1, 0, 1})
          for (const Index i : {-1, 0, 1})
            if ((k != 0) + (j != 0) + (i != 0) <= most && std::min({x + i, y + j, z + k}) >= 0 && std::max(x + i, y + j) < n &&
                z + k < planes)
              for (Index u = 0; u < b; ++u) columns.push_back((point + i + n * (j + n * k)) * b + u);
      return columns;
    });
  }
  /// A 7-point stencil.
  static Matrix stencil(Index n) { return box(n, n, 1); }

  /// Node k of nodes has size(k) rows with the same columns, `n` random nodes of `b` columns each.
  template <class Size> static Matrix blocks(Index nodes, Index b, Index n, unsigned seed, Size size)
  {
    const Matrix graph = regular(nodes, nodes, n, seed);
    Matrix       a;
    a.cols = nodes * b;
    for (Index k = 0; k < nodes; ++k) {
      Row columns;
      for (const Index j : graph.row(k))
        for (Index c = 0; c < b; ++c) columns.push_back(j * b + c);
      for (Index i = 0; i < size(k); ++i) a.add_row(columns);
    }
    return a;
  }

  /// One full row among rows of two entries.
  static Matrix dense_row(Index n, Index full)
  {
    return by_rows(n, n, [=](Index r) { return r == full ? range(0, n) : range(r / 2, r / 2 + 2); });
  }
};

/// Sets random values, or small integers for tests in which nothing may be rounded.
template <class Scalar, class Index> void set_values(CsrMatrix<Scalar, Index> &a, unsigned seed, bool integers)
{
  Random<Scalar> random(seed);
  for (Scalar &v : a.val) v = integers ? random.small_integer() : random.number();
}

/// All of them. Compiled once, for each type of core/for_each_type.hpp.
template <class Scalar, class Index> const std::vector<NamedMatrix<Scalar, Index>> &matrices();

} // namespace petscspmv::test
