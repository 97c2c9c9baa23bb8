/// \file random_rows.cpp
/// Rows drawn independently: anywhere, in a band, and a band with a few dense rows and columns.

#include <algorithm>

#include "generators/families.hpp"
#include "matrix/builder.hpp"
#include "matrix/random.hpp"

namespace petscspmv::bench {

namespace {

Size predict_random(const Arguments &arguments)
{
  return {arguments.sizes[0], arguments.sizes[1], arguments.sizes[0] * std::min(arguments.integer("row"), arguments.sizes[1])};
}

CsrMatrix generate_random(const Arguments &arguments)
{
  const Size expected = predict_random(arguments);
  Random     random(arguments.seed());
  RowBuilder builder(expected);
  for (std::int64_t r = 0; r < expected.rows; ++r) {
    for (std::int64_t k = arguments.integer("row"); k > 0; --k) builder.add(Index(random.below(expected.cols)), random.uniform(-1, 1));
    builder.end_row();
  }
  return builder.take();
}

/// Adds a row of a band: the diagonal, and each other place with probability `fill`.
void add_band(RowBuilder &builder, Random &random, std::int64_t r, std::int64_t n, std::int64_t half_width, double fill)
{
  for (std::int64_t c = std::max<std::int64_t>(0, r - half_width); c <= std::min(n - 1, r + half_width); ++c)
    if (c == r || random.uniform() < fill) builder.add(Index(c), c == r ? 2.0 * double(half_width) + 1 : random.uniform(-1, 1));
}

std::int64_t band_nonzeros(std::int64_t n, const Arguments &arguments)
{
  return std::int64_t(double(n) * (1 + 2 * double(arguments.integer("half")) * std::min(1.0, arguments.number("fill") * 1.02))) + 1;
}

Size predict_banded(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0];
  return {n, n, band_nonzeros(n, arguments)};
}

CsrMatrix generate_banded(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0];
  Random             random(arguments.seed());
  RowBuilder         builder(predict_banded(arguments));
  for (std::int64_t r = 0; r < n; ++r) {
    add_band(builder, random, r, n, arguments.integer("half"), arguments.number("fill"));
    builder.end_row();
  }
  return builder.take();
}

Size predict_lines(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0];
  return {n, n, band_nonzeros(n, arguments) + n * (arguments.integer("rows") + arguments.integer("cols"))};
}

/// True for `count` of n numbers, spread evenly.
bool is_line(std::int64_t k, std::int64_t count, std::int64_t n)
{
  return count > 0 && (k + 1) * count / n != k * count / n;
}

CsrMatrix generate_lines(const Arguments &arguments)
{
  const std::int64_t n = arguments.sizes[0], rows = arguments.integer("rows"), cols = arguments.integer("cols");
  Random             random(arguments.seed());
  RowBuilder         builder(predict_lines(arguments));
  std::vector<Index> dense;
  for (std::int64_t c = 0; c < n; ++c)
    if (is_line(c, cols, n)) dense.push_back(Index(c));
  for (std::int64_t r = 0; r < n; ++r) {
    if (is_line(r, rows, n)) {
      for (std::int64_t c = 0; c < n; ++c) builder.add(Index(c), random.uniform(-1, 1));
    } else {
      add_band(builder, random, r, n, arguments.integer("half"), arguments.number("fill"));
      for (Index c : dense) builder.add(c, random.uniform(-1, 1));
    }
    builder.end_row();
  }
  return builder.take();
}

} // namespace

void add_random_rows(std::vector<Generator> &list)
{
  const Parameter fill{"fill", "0.5", 0, 1, "share of the places in the band that are filled"};
  list.push_back({"banded",
                  "random entries in a band around the diagonal",
                  "n",
                  1,
                  "400k",
                  {{"half", "10", 0, 1e6, "half width of the band"}, fill},
                  &predict_banded,
                  &generate_banded});
  list.push_back({"random",
                  "columns drawn uniformly",
                  "n or rows x columns",
                  2,
                  "300k",
                  {{"row", "16", 0, 1e6, "columns drawn for each row"}},
                  &predict_random,
                  &generate_random});
  list.push_back(
    {"denselines",
     "a band with dense rows and columns",
     "n",
     1,
     "300k",
     {{"rows", "4", 0, 1e5, "dense rows"}, {"cols", "4", 0, 1e5, "dense columns"}, {"half", "4", 0, 1e6, "half width of the band"}, fill},
     &predict_lines,
     &generate_lines});
}

} // namespace petscspmv::bench
