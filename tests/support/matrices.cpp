#include "support/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/for_each_type.hpp"

namespace petscspmv::test {

template <class Scalar, class Index>
typename Patterns<Scalar, Index>::Row Patterns<Scalar, Index>::distinct(std::int64_t n, Index cols, Random<Scalar> &random)
{
  Row columns;
  while (std::ssize(columns) < n) {
    const auto c = static_cast<Index>(random.integer(0, cols - 1));
    if (std::find(columns.begin(), columns.end(), c) == columns.end()) columns.push_back(c);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

template <class Scalar, class Index> const std::vector<NamedMatrix<Scalar, Index>> &matrices()
{
  using P      = Patterns<Scalar, Index>;
  using Matrix = CsrMatrix<Scalar, Index>;
  using Row    = typename P::Row;
  using R      = Random<Scalar>;

  // Each of these makes a function that makes the matrix.
  const auto rows    = [](Index n, Index cols, auto columns) { return [=] { return P::by_rows(n, cols, columns); }; };
  const auto random  = [](Index n, Index cols, unsigned seed, auto length) { return [=] { return P::random(n, cols, seed, length); }; };
  const auto empty   = [&](Index n, Index cols) { return rows(n, cols, [](Index) { return Row(); }); };
  const auto lengths = [&](const Row &n, Index cols) {
    return rows(static_cast<Index>(n.size()), cols, [n](Index r) { return P::range(0, n[r]); });
  };
  const auto with_nodes = [](auto make, Index limit) {
    return [=] {
      Matrix a = make();
      a.find_nodes(limit);
      return a;
    };
  };
  const auto nodes = [&](Index n, Index b, Index of_a_row, unsigned seed, Index limit, auto size) {
    return with_nodes([=] { return P::blocks(n, b, of_a_row, seed, size); }, limit);
  };
  const auto special = [](const std::vector<double> &values) {
    return [values] {
      Matrix a = P::regular(60, 50, 4, 77);
      for (std::size_t k = 0; k < a.val.size(); ++k)
        a.val[k] = k % 9 == 0 ? values[k / 9 % values.size()] : 1.0 + static_cast<double>(k % 5);
      return a;
    };
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  constexpr double denormal = std::numeric_limits<double>::denorm_min();

  // What the code published with the method gets wrong is caught here, together with y full of NaN before each product
  // (it adds to what y held in rows that begin with a bunch): rows that are empty in the last tile (it reads and writes
  // behind the ends), entries beyond the first bits of a lane's word (long rows at every offset), alpha and beta (it
  // has neither), 64-bit indices, and values that are no small integers (it compares exactly).
  static const std::vector<NamedMatrix<Scalar, Index>> list{
    {"0 x 0", empty(0, 0)},
    {"0 x 5", empty(0, 5)},
    {"5 x 0", empty(5, 0)},
    {"1 x 1", lengths({1}, 1)},
    {"1 x 1, empty", empty(1, 1)},
    {"all rows empty", empty(100, 70)},
    {"1 x 300", lengths({300}, 300)},
    {"300 x 1", [] { return P::regular(300, 1, 1, 1); }},
    {"dense row first", [] { return P::dense_row(300, 0); }},
    {"dense row in the middle", [] { return P::dense_row(300, 111); }},
    {"dense row last", [] { return P::dense_row(300, 299); }},
    {"dense column", rows(200, 200,
                          [](Index r) {
                            return r < 199 ? Row({0, r + 1}) : Row({0});
                          })},
    {"arrow", rows(200, 200,
                   [](Index r) {
                     return r < 199 ? Row({r, 199}) : P::range(0, 200);
                   })},
    {"diagonal", rows(333, 333, [](Index r) { return Row({r}); })},
    {"full", [] { return P::regular(40, 40, 40, 1); }},
    {"every second row empty", random(301, 90, 5, [](Index r, R &) { return r % 2 ? 3 : 0; })},
    {"every second row empty, the first not", random(301, 90, 6, [](Index r, R &) { return r % 2 ? 0 : 3; })},
    {"one row in seven empty", random(301, 90, 7, [](Index r, R &random) { return random.integer(0, 6) ? 1 + r % 6 : 0; })},
    {"one row in twenty not empty", random(400, 90, 8, [](Index, R &random) { return random.integer(0, 19) ? 0 : 5; })},
    {"first rows empty", random(300, 90, 9, [](Index r, R &) { return r < 70 ? 0 : 4; })},
    {"last rows empty", random(300, 90, 10, [](Index r, R &) { return r < 230 ? 4 : 0; })},
    {"first, last and middle rows empty", random(300, 90, 11, [](Index r, R &) { return r < 70 || r > 230 || r / 10 == 14 ? 0 : 4; })},
    {"only the first row", random(90, 90, 12, [](Index r, R &) { return r ? 0 : 90; })},
    {"only the last row", random(90, 90, 13, [](Index r, R &) { return r < 89 ? 0 : 90; })},
    {"wide", random(30, 2000, 14, [](Index, R &random) { return random.integer(0, 150); })},
    {"tall", random(2000, 30, 15, [](Index, R &random) { return random.integer(0, 4); })},
    {"power law",
     random(600, 600, 16, [](Index, R &random) { return static_cast<Index>(2.0 / (0.005 + std::abs(std::real(random.number())))); })},
    {"random, short rows", random(500, 500, 17, [](Index, R &random) { return random.integer(0, 9); })},
    {"random, longer rows", random(200, 500, 18, [](Index, R &random) { return random.integer(10, 60); })},
    {"rows of 1 to 40 entries in turn", random(200, 100, 19, [](Index r, R &) { return 1 + r % 40; })},
    {"8 entries a row", [] { return P::regular(256, 100, 8, 20); }},
    {"7-point stencil", [] { return P::stencil(8); }},
    {"7-point stencil, only its diagonal changes",
     [] {
       Matrix a = P::stencil(9);
       for (auto [r, c, v] : a.entries()) v = c == r ? static_cast<double>(6 + r * 7 % 97) : -1.0;
       return a;
     },
     true},
    {"rows of 31, 32, 33 entries", lengths({31, 32, 33, 32, 32, 31, 33, 1, 31}, 40)},
    {"exactly 63 entries", lengths({20, 20, 23}, 30)},
    {"exactly 64 entries", lengths({20, 20, 24}, 30)},
    {"exactly 65 entries", lengths({20, 20, 25}, 30)},
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
    {"repeated columns", rows(120, 20,
                              [](Index r) {
                                return Row({r % 20, 3, 3, r % 7, 3});
                              })},
    {"columns 0 and last unused",
     [] {
       Matrix a = P::regular(90, 48, 5, 28);
       a.cols   = 50;
       for (Index &c : a.col) ++c;
       return a;
     }},
    {"explicit zeros", special({0.0}), true},
    {"NaN and infinite values", special({nan, inf, -inf}), true},
    {"negative zeros", special({-0.0}), true},
    {"denormal values", special({denormal, -3 * denormal, 1e-310}), true},
    {"nodes of 2 rows", nodes(70, 2, 4, 30, 5, [](Index) { return 2; })},
    {"nodes of 3 rows", nodes(70, 3, 5, 31, 5, [](Index) { return 3; })},
    {"nodes of 5 rows, 1 column block", nodes(50, 5, 1, 32, 5, [](Index) { return 5; })},
    {"nodes of 1 to 5 rows", nodes(90, 2, 7, 33, 5, [](Index k) { return 1 + k % 5; })},
    {"nodes of 1 to 20 rows", nodes(60, 2, 6, 34, 1000, [](Index k) { return 1 + k % 20; })},
    {"nodes broken by single rows",
     [] {
       Matrix a = P::blocks(60, 3, 4, 35, [](Index) { return 3; });
       for (Index r = 10; r < a.rows; r += 17) a.col[a.row_ptr[r]] = a.col[a.row_ptr[r] + 1];
       a.find_nodes(5);
       return a;
     }},
    {"nodes of empty rows", with_nodes(rows(240, 40, [](Index r) { return r / 4 % 3 == 1 ? P::range(r / 8, r / 8 + 9) : Row(); }), 5)},
    {"nodes with long rows", nodes(400, 3, 350, 36, 5, [](Index k) { return k < 4 ? 3 : 0; })},
    {"nodes, all rows equal", nodes(1, 40, 1, 37, 1000, [](Index) { return 64; })},
    {"one row of a million", lengths({3, 0, 1000000, 0, 5}, 1000000), false, true},
    {"a million rows of at most one", random(1000000, 1000, 38, [](Index r, R &) { return r % 3 ? 1 : 0; }), false, true},
    {"7-point stencil, 30 x 30 x 30", [] { return P::stencil(30); }, false, true},
  };
  return list;
}

#define INSTANTIATE(Scalar, Index) \
  template std::vector<Index>                             Patterns<Scalar, Index>::distinct(std::int64_t, Index, Random<Scalar> &); \
  template const std::vector<NamedMatrix<Scalar, Index>> &matrices<Scalar, Index>();
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::test
