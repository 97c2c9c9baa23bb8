/// \file circuits.cpp
/// Circuits: short rows with most of their entries near, and a few very long rows (supply nets).

#include <algorithm>

#include "generators/families.hpp"
#include "matrix/builder.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

namespace {

std::int64_t long_row(const Arguments &arguments)
{
  return std::max<std::int64_t>(1, std::int64_t(arguments.number("share") * double(arguments.sizes[0])));
}

Size predict(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0];
  return {n, n, n * (arguments.integer("short") + 1) + arguments.integer("long") * long_row(arguments)};
}

CsrMatrix generate(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0], count = std::min(n, arguments.integer("long")), length = long_row(arguments);
  Random             random(arguments.seed());
  RowBuilder         builder(predict(arguments));
  for (std::int64_t r = 0; r < n; ++r) {
    builder.add(Index(r), 8.0);
    const bool is_long = count > 0 && (r + 1) * count / n != r * count / n;
    if (is_long) {
      for (std::int64_t k = 0; k < length; ++k) builder.add(Index(random.below(n)), random.uniform(-1, 1));
    } else {
      // 1 to 2 s - 1 entries, s in the mean; nine in ten within 1000 rows.
      for (std::int64_t k = 1 + random.below(2 * arguments.integer("short") - 1); k > 0; --k) {
        const bool         near = random.uniform() < 0.9;
        const std::int64_t c    = near ? r - 1000 + random.below(2001) : random.below(n);
        builder.add(Index(std::clamp<std::int64_t>(c, 0, n - 1)), random.uniform(-1, 1));
      }
    }
    builder.end_row();
  }
  return builder.take();
}

} // namespace

void add_circuits(std::vector<Generator> &list)
{
  list.push_back({"circuit",
                  "circuit-like: short rows and a few very long ones",
                  "n",
                  1,
                  "500k",
                  {{"short", "4", 1, 1e4, "mean number of entries of a short row besides the diagonal"},
                   {"long", "20", 0, 1e6, "number of long rows"},
                   {"share", "0.14", 0, 1, "entries drawn for a long row, over n"}},
                  &predict,
                  &generate});
}

} // namespace petscspmv::bench
