#pragma once

/// \file matrices.hpp
/// The one list of matrices that every format is tested with.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
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

  /// `length(r)` entries in row r, at random columns.
  template <class Length> static Matrix random(Index rows, Index cols, unsigned seed, Length length)
  {
    Random<Scalar> random(seed);
    Matrix         a;
    a.cols = cols;
    for (Index r = 0; r < rows; ++r) {
      std::vector<Index> columns;
      const auto         n = std::min<std::int64_t>(length(r, random), cols);
      while (std::ssize(columns) < n) {
        const auto c = static_cast<Index>(random.integer(0, cols - 1));
        if (std::find(columns.begin(), columns.end(), c) == columns.end()) columns.push_back(c);
      }
      std::sort(columns.begin(), columns.end());
      a.add_row(columns);
    }
    return a;
  }

  /// n entries in every row.
  static Matrix regular(Index rows, Index cols, Index n, unsigned seed)
  {
    return random(rows, cols, seed, [n](Index, auto &) { return n; });
  }

  static std::vector<Index> range(Index first, Index last, Index step = 1)
  {
    std::vector<Index> columns;
    for (Index c = first; c < last; c += step) columns.push_back(c);
    return columns;
  }

  /// Rows of a 7-point stencil on an n x n x n grid.
  static Matrix stencil(Index n)
  {
    Matrix a;
    a.cols = n * n * n;
    for (Index r = 0; r < a.cols; ++r) {
      const Index        i = r % n, j = r / n % n, k = r / (n * n);
      std::vector<Index> columns;
      if (k > 0) columns.push_back(r - n * n);
      if (j > 0) columns.push_back(r - n);
      if (i > 0) columns.push_back(r - 1);
      columns.push_back(r);
      if (i < n - 1) columns.push_back(r + 1);
      if (j < n - 1) columns.push_back(r + n);
      if (k < n - 1) columns.push_back(r + n * n);
      a.add_row(columns);
    }
    return a;
  }

  /// Rows of a 9-point stencil on an n x n grid.
  static Matrix grid(Index n)
  {
    Matrix a;
    a.cols = n * n;
    for (Index r = 0; r < a.cols; ++r) {
      const Index        i = r % n, j = r / n;
      std::vector<Index> columns;
      for (Index q = std::max<Index>(j - 1, 0); q <= std::min<Index>(j + 1, n - 1); ++q)
        for (Index p = std::max<Index>(i - 1, 0); p <= std::min<Index>(i + 1, n - 1); ++p) columns.push_back(q * n + p);
      a.add_row(columns);
    }
    return a;
  }

  /// Node k of nodes has size(k) rows with the same columns, `n` random nodes of `b` columns each.
  template <class Size> static Matrix blocks(Index nodes, Index b, Index n, unsigned seed, Size size)
  {
    const Matrix graph = regular(nodes, nodes, n, seed);
    Matrix       a;
    a.cols = nodes * b;
    for (Index k = 0; k < nodes; ++k) {
      std::vector<Index> columns;
      for (Index j = graph.row_ptr[k]; j < graph.row_ptr[k + 1]; ++j)
        for (Index c = 0; c < b; ++c) columns.push_back(graph.col[j] * b + c);
      for (Index i = 0; i < size(k); ++i) a.add_row(columns);
    }
    return a;
  }

  /// One full row among rows of two entries.
  static Matrix dense_row(Index n, Index full)
  {
    Matrix a;
    a.cols = n;
    for (Index r = 0; r < n; ++r) a.add_row(r == full ? range(0, n) : range(r / 2, r / 2 + 2));
    return a;
  }
};

/// Sets random values, or small integers for tests in which nothing may be rounded.
template <class Scalar, class Index> void set_values(CsrMatrix<Scalar, Index> &a, unsigned seed, bool integers)
{
  Random<Scalar> random(seed);
  for (Scalar &v : a.val) v = integers ? random.small_integer() : random.number();
}

/// All of them.
template <class Scalar, class Index> const std::vector<NamedMatrix<Scalar, Index>> &matrices()
{
  using P      = Patterns<Scalar, Index>;
  using Matrix = CsrMatrix<Scalar, Index>;
  using R      = Random<Scalar>;

  static const auto empty = [](Index rows, Index cols) {
    Matrix a;
    a.cols = cols;
    for (Index r = 0; r < rows; ++r) a.add_row({});
    return a;
  };
  static const auto lengths = [](std::vector<Index> n, Index cols) {
    Matrix a;
    a.cols = cols;
    for (Index k : n) a.add_row(P::range(0, k));
    return a;
  };
  static const auto with_nodes = [](Matrix a, Index limit) {
    a.find_nodes(limit);
    return a;
  };
  static const auto special = [](std::vector<double> values) {
    Matrix a = P::regular(60, 50, 4, 77);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = k % 9 == 0 ? values[k / 9 % values.size()] : 1.0 + static_cast<double>(k % 5);
    return a;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  constexpr double denormal = std::numeric_limits<double>::denorm_min();

  // What the code published with the method gets wrong is caught here, together with y full of NaN before each product
  // (it adds to what y held in rows that begin with a bunch): rows that are empty in the last tile (it reads and writes
  // behind the ends), entries beyond the first bits of a lane's word (long rows at every offset), alpha and beta (it
  // has neither), 64-bit indices, and values that are no small integers (it compares exactly).
  static const std::vector<NamedMatrix<Scalar, Index>> list{
    {"0 x 0", [] { return empty(0, 0); }},
    {"0 x 5", [] { return empty(0, 5); }},
    {"5 x 0", [] { return empty(5, 0); }},
    {"1 x 1", [] { return lengths({1}, 1); }},
    {"1 x 1, empty", [] { return empty(1, 1); }},
    {"all rows empty", [] { return empty(100, 70); }},
    {"1 x 300", [] { return lengths({300}, 300); }},
    {"300 x 1", [] { return P::regular(300, 1, 1, 1); }},
    {"dense row first", [] { return P::dense_row(300, 0); }},
    {"dense row in the middle", [] { return P::dense_row(300, 111); }},
    {"dense row last", [] { return P::dense_row(300, 299); }},
    {"dense column",
     [] {
       Matrix a;
       a.cols = 200;
       for (Index r = 0; r < 200; ++r) a.add_row(r < 199 ? std::vector<Index>{0, r + 1} : std::vector<Index>{0});
       return a;
     }},
    {"arrow",
     [] {
       Matrix a;
       a.cols = 200;
       for (Index r = 0; r < 199; ++r) a.add_row({r, 199});
       a.add_row(P::range(0, 200));
       return a;
     }},
    {"diagonal",
     [] {
       Matrix a;
       a.cols = 333;
       for (Index r = 0; r < 333; ++r) a.add_row({r});
       return a;
     }},
    {"full", [] { return P::regular(40, 40, 40, 1); }},
    {"every second row empty", [] { return P::random(301, 90, 5, [](Index r, R &) { return r % 2 ? 3 : 0; }); }},
    {"every second row empty, the first not", [] { return P::random(301, 90, 6, [](Index r, R &) { return r % 2 ? 0 : 3; }); }},
    {"one row in seven empty",
     [] { return P::random(301, 90, 7, [](Index r, R &random) { return random.integer(0, 6) ? 1 + r % 6 : 0; }); }},
    {"one row in twenty not empty", [] { return P::random(400, 90, 8, [](Index, R &random) { return random.integer(0, 19) ? 0 : 5; }); }},
    {"first rows empty", [] { return P::random(300, 90, 9, [](Index r, R &) { return r < 70 ? 0 : 4; }); }},
    {"last rows empty", [] { return P::random(300, 90, 10, [](Index r, R &) { return r < 230 ? 4 : 0; }); }},
    {"first, last and middle rows empty",
     [] { return P::random(300, 90, 11, [](Index r, R &) { return r < 70 || r > 230 || r / 10 == 14 ? 0 : 4; }); }},
    {"only the first row", [] { return P::random(90, 90, 12, [](Index r, R &) { return r ? 0 : 90; }); }},
    {"only the last row", [] { return P::random(90, 90, 13, [](Index r, R &) { return r < 89 ? 0 : 90; }); }},
    {"wide", [] { return P::random(30, 2000, 14, [](Index, R &random) { return random.integer(0, 150); }); }},
    {"tall", [] { return P::random(2000, 30, 15, [](Index, R &random) { return random.integer(0, 4); }); }},
    {"power law",
     [] {
       return P::random(600, 600, 16,
                        [](Index, R &random) { return static_cast<Index>(2.0 / (0.005 + std::abs(std::real(random.number())))); });
     }},
    {"random, short rows", [] { return P::random(500, 500, 17, [](Index, R &random) { return random.integer(0, 9); }); }},
    {"random, longer rows", [] { return P::random(200, 500, 18, [](Index, R &random) { return random.integer(10, 60); }); }},
    {"rows of 1 to 40 entries in turn", [] { return P::random(200, 100, 19, [](Index r, R &) { return 1 + r % 40; }); }},
    {"8 entries a row", [] { return P::regular(256, 100, 8, 20); }},
    {"7-point stencil", [] { return P::stencil(8); }},
    {"7-point stencil, only its diagonal changes",
     [] {
       Matrix a = P::stencil(9);
       for (Index r = 0; r < a.rows; ++r)
         for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
           a.val[static_cast<std::size_t>(k)] = a.col[k] == r ? static_cast<double>(6 + r * 7 % 97) : -1.0;
       return a;
     },
     true},
    {"rows of 31, 32, 33 entries",
     [] {
       return lengths({31, 32, 33, 32, 32, 31, 33, 1, 31}, 40);
     }},
    {"exactly 63 entries",
     [] {
       return lengths({20, 20, 23}, 30);
     }},
    {"exactly 64 entries",
     [] {
       return lengths({20, 20, 24}, 30);
     }},
    {"exactly 65 entries",
     [] {
       return lengths({20, 20, 25}, 30);
     }},
    {"1023 entries, one a row", [] { return P::regular(1023, 50, 1, 21); }},
    {"1024 entries, one a row", [] { return P::regular(1024, 50, 1, 22); }},
    {"1025 entries, one a row", [] { return P::regular(1025, 50, 1, 23); }},
    {"rows end where tiles end", [] { return P::regular(320, 70, 16, 24); }},
    {"rows of 1024 entries", [] { return P::regular(5, 2000, 1024, 25); }},
    {"unsorted columns",
     [] {
       Matrix a = P::regular(150, 80, 9, 26);
       R      random(27);
       for (Index r = 0; r < a.rows; ++r)
         for (Index k = a.row_ptr[r + 1] - 1; k > a.row_ptr[r]; --k)
           std::swap(a.col[k], a.col[static_cast<Index>(random.integer(a.row_ptr[r], k))]);
       return a;
     }},
    {"repeated columns",
     [] {
       Matrix a;
       a.cols = 20;
       for (Index r = 0; r < 120; ++r) a.add_row({r % 20, 3, 3, r % 7, 3});
       return a;
     }},
    {"columns 0 and last unused",
     [] {
       Matrix a = P::regular(90, 48, 5, 28);
       a.cols   = 50;
       for (Index &c : a.col) ++c;
       return a;
     }},
    {"explicit zeros", [] { return special({0.0}); }, true},
    {"NaN and infinite values",
     [] {
       return special({nan, inf, -inf});
     },
     true},
    {"negative zeros", [] { return special({-0.0}); }, true},
    {"denormal values",
     [] {
       return special({denormal, -3 * denormal, 1e-310});
     },
     true},
    {"nodes of 2 rows", [] { return with_nodes(P::blocks(70, 2, 4, 30, [](Index) { return 2; }), 5); }},
    {"nodes of 3 rows", [] { return with_nodes(P::blocks(70, 3, 5, 31, [](Index) { return 3; }), 5); }},
    {"nodes of 5 rows, 1 column block", [] { return with_nodes(P::blocks(50, 5, 1, 32, [](Index) { return 5; }), 5); }},
    {"nodes of 1 to 5 rows", [] { return with_nodes(P::blocks(90, 2, 7, 33, [](Index k) { return 1 + k % 5; }), 5); }},
    {"nodes of 1 to 20 rows", [] { return with_nodes(P::blocks(60, 2, 6, 34, [](Index k) { return 1 + k % 20; }), 1000); }},
    {"nodes broken by single rows",
     [] {
       Matrix a = P::blocks(60, 3, 4, 35, [](Index) { return 3; });
       for (Index r = 10; r < a.rows; r += 17) a.col[a.row_ptr[r]] = a.col[a.row_ptr[r] + 1];
       a.find_nodes(5);
       return a;
     }},
    {"nodes of empty rows",
     [] {
       Matrix a;
       a.cols = 40;
       for (Index k = 0; k < 60; ++k)
         for (Index i = 0; i < 4; ++i) a.add_row(k % 3 == 1 ? P::range(k / 2, k / 2 + 9) : std::vector<Index>{});
       a.find_nodes(5);
       return a;
     }},
    {"nodes with long rows", [] { return with_nodes(P::blocks(400, 3, 350, 36, [](Index k) { return k < 4 ? 3 : 0; }), 5); }},
    {"nodes, all rows equal", [] { return with_nodes(P::blocks(1, 40, 1, 37, [](Index) { return 64; }), 1000); }},
    {"one row of a million",
     [] {
       return lengths({3, 0, 1000000, 0, 5}, 1000000);
     },
     false, true},
    {"a million rows of at most one", [] { return P::random(1000000, 1000, 38, [](Index r, R &) { return r % 3 ? 1 : 0; }); }, false, true},
    {"7-point stencil, 30 x 30 x 30", [] { return P::stencil(30); }, false, true},
  };
  return list;
}

} // namespace petscspmv::test
