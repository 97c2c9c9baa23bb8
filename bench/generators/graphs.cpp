/// \file graphs.cpp
/// Graphs with skewed degrees: R-MAT and power laws.

#include <algorithm>
#include <cmath>

#include "generators/families.hpp"
#include "matrix/builder.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

namespace {

Size predict_rmat(const Arguments &arguments)
{
  if (arguments.sizes[0] > 40)
    throw InputError("The size of rmat is its scale, the logarithm of the number of vertices to base 2: " +
                     std::to_string(arguments.sizes[0]) + " is too much; take 10 to 30.");
  const std::int64_t n = std::int64_t(1) << arguments.sizes[0];
  return {n, n, n * arguments.integer("ef")};
}

/// One edge: the quadrant is chosen anew at each level, with the probabilities of Graph500.
/// D. Chakrabarti, Y. Zhan, C. Faloutsos: R-MAT: a recursive model for graph mining. SDM 2004.
std::uint64_t rmat_edge(int scale, Random &random)
{
  constexpr double a = 0.57, b = 0.19, c = 0.19;
  std::uint64_t    row = 0, col = 0;
  for (int level = 0; level < scale; ++level) {
    const double u = random.uniform();
    row            = row << 1 | (u >= a + b);
    col            = col << 1 | ((u >= a && u < a + b) || u >= a + b + c);
  }
  return row << scale | col;
}

CsrMatrix generate_rmat(const Arguments &arguments)
{
  const Size                 expected = predict_rmat(arguments);
  const int                  scale    = int(arguments.sizes[0]);
  Random                     random(arguments.seed());
  std::vector<std::uint64_t> edges(std::size_t(expected.nonzeros));
  for (std::uint64_t &e : edges) e = rmat_edge(scale, random);
  if (arguments.choice("labels") == "random") {
    const auto          label = random_permutation<std::uint64_t>(std::uint64_t(expected.rows), random);
    const std::uint64_t mask  = std::uint64_t(expected.rows) - 1;
    for (std::uint64_t &e : edges) e = label[e >> scale] << scale | label[e & mask];
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  RowBuilder  builder({expected.rows, expected.cols, std::int64_t(edges.size())});
  std::size_t k = 0;
  for (std::int64_t r = 0; r < expected.rows; ++r) {
    for (; k < edges.size() && std::int64_t(edges[k] >> scale) == r; ++k)
      builder.add(Index(edges[k] & (std::uint64_t(expected.cols) - 1)), random.uniform(-1, 1));
    builder.end_row();
  }
  return builder.take();
}

/// Degrees d with P(d >= t) = (t / least)^(1 - exponent), least chosen for the mean. Vertices are in random order.
std::vector<std::int64_t> power_law_degrees(std::int64_t n, double mean, double exponent, Random &random)
{
  const double              least = mean * (exponent - 2) / (exponent - 1);
  std::vector<std::int64_t> degrees(static_cast<std::size_t>(n));
  for (std::int64_t &d : degrees) {
    const double t = least * std::pow(1 - random.uniform(), -1 / (exponent - 1));
    d              = std::min(n, std::int64_t(t + random.uniform())); // rounds at random, so that the mean stays
  }
  return degrees;
}

Size predict_power_law(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0];
  return {n, n, std::int64_t(1.2 * double(n) * arguments.number("mean"))};
}

CsrMatrix generate_power_law(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0];
  Random             random(arguments.seed());
  const auto         degrees = power_law_degrees(n, arguments.number("mean"), arguments.number("exponent"), random);
  // A column is met as often as its own degree says: draw an end of an edge.
  std::vector<Index> ends;
  for (std::int64_t v = 0; v < n; ++v) ends.insert(ends.end(), std::size_t(degrees[std::size_t(v)]), Index(v));

  RowBuilder builder({n, n, std::int64_t(ends.size())});
  for (std::int64_t r = 0; r < n; ++r) {
    for (std::int64_t k = degrees[std::size_t(r)]; k > 0; --k)
      builder.add(ends[std::size_t(random.below(std::int64_t(ends.size())))], random.uniform(-1, 1));
    builder.end_row();
  }
  return builder.take();
}

} // namespace

void add_graphs(std::vector<Generator> &list)
{
  list.push_back(
    {"rmat",
     "R-MAT graph with Graph500's probabilities, repeated edges merged",
     "scale: 2^scale vertices",
     1,
     "18",
     {{"ef", "16", 1, 1000, "edges drawn for each vertex"}, {"labels", "own", 0, 0, "numbering of the vertices", {"own", "random"}}},
     &predict_rmat,
     &generate_rmat});
  list.push_back({"powerlaw",
                  "graph whose degrees follow a power law",
                  "n",
                  1,
                  "300k",
                  {{"mean", "10", 1, 1e5, "mean degree"}, {"exponent", "2.3", 2.05, 10, "exponent of the density of degrees"}},
                  &predict_power_law,
                  &generate_power_law});
}

} // namespace petscspmv::bench
