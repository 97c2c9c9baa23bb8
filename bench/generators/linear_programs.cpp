/// \file linear_programs.cpp
/// Constraints of linear programs: few rows, many columns, each column in a few rows, some rows much longer than
/// others.

#include <algorithm>

#include "generators/families.hpp"
#include "matrix/builder.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

namespace {

Size predict(const Arguments &arguments)
{
  const auto rows = arguments.sizes[0], cols = arguments.sizes[1];
  return {rows, cols, std::int64_t(double(cols) * std::min(double(rows), 1.02 * arguments.number("col") + 0.1)) + 1};
}

CsrMatrix generate(const Arguments &arguments)
{
  const auto           rows = arguments.sizes[0], cols = arguments.sizes[1];
  const double         mean = arguments.number("col");
  Random               random(arguments.seed());
  const auto           order = random_permutation<Index>(Index(rows), random);
  std::vector<Triplet> entries;
  entries.reserve(std::size_t(predict(arguments).nonzeros));
  for (std::int64_t c = 0; c < cols; ++c) {
    // 1 + Poisson-like: uniform on 1 .. 2 mean - 1
    const auto count = std::int64_t(1 + random.uniform() * (2 * mean - 1));
    for (std::int64_t k = 0; k < count; ++k) {
      // The square skews the lengths of rows: the first quarter of the rows gets half of the entries.
      const double u = random.uniform();
      const auto   r = std::int64_t(u * u * double(rows));
      entries.push_back({order[std::size_t(r)], Index(c), random.uniform() < 0.9 ? 1.0 : -1.0});
    }
  }
  return from_triplets(Index(rows), Index(cols), entries);
}

} // namespace

void add_linear_programs(std::vector<Generator> &list)
{
  list.push_back({"lp",
                  "constraints of a linear program, entries 1 and -1",
                  "rows x columns",
                  2,
                  "3000x300k",
                  {{"col", "10", 1, 1e4, "mean number of entries of a column"}},
                  &predict,
                  &generate});
}

} // namespace petscspmv::bench
