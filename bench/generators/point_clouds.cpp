/// \file point_clouds.cpp
/// Unstructured finite elements: random points in the unit cube, coupled where they are near (a random geometric
/// graph).

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "generators/couplings.hpp"
#include "generators/families.hpp"

namespace petscspmv::bench {

namespace {

using Point = std::array<double, 3>;

/// Position along Hilbert's curve through a cube of 2^20 cells a side.
/// J. Skilling: Programming the Hilbert curve. AIP Conference Proceedings 707 (2004) 381-387.
std::uint64_t hilbert_index(const Point &p)
{
  constexpr int                bits = 20;
  std::array<std::uint32_t, 3> x;
  for (int d = 0; d < 3; ++d) x[d] = std::uint32_t(p[d] * double(1U << bits));
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1)
    for (int d = 0; d < 3; ++d) {
      if (x[d] & q) {
        x[0] ^= q - 1;
      } else {
        const std::uint32_t t = (x[0] ^ x[d]) & (q - 1);
        x[0] ^= t;
        x[d] ^= t;
      }
    }
  for (int d = 1; d < 3; ++d) x[d] ^= x[d - 1];
  std::uint32_t t = 0;
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1)
    if (x[2] & q) t ^= q - 1;
  std::uint64_t index = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (int d = 0; d < 3; ++d) index = index << 1 | (((x[d] ^ t) >> bit) & 1U);
  return index;
}

std::vector<Point> points_in_order(std::int64_t n, const std::string &order, std::uint64_t seed)
{
  Random             random(seed, 1);
  std::vector<Point> points(static_cast<std::size_t>(n));
  for (Point &p : points) p = {random.uniform(), random.uniform(), random.uniform()};
  if (order == "banded") std::sort(points.begin(), points.end());
  if (order != "hilbert") return points; // as drawn: a random numbering
  std::vector<std::pair<std::uint64_t, std::size_t>> keys(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) keys[k] = {hilbert_index(points[k]), k};
  std::sort(keys.begin(), keys.end());
  std::vector<Point> sorted;
  sorted.reserve(points.size());
  for (const auto &[key, k] : keys) sorted.push_back(points[k]);
  return sorted;
}

/// Finds the points near a point: buckets of the size of the radius.
class Buckets {
public:
  Buckets(const std::vector<Point> &points, double radius)
    : points_(points), radius_(radius), side_(std::clamp<std::int64_t>(std::int64_t(1 / radius), 1, 1000)),
      start_(std::size_t(side_ * side_ * side_) + 1, 0), members_(points.size())
  {
    for (const Point &p : points) ++start_[std::size_t(bucket(p)) + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t k = 0; k < points.size(); ++k) members_[std::size_t(next[std::size_t(bucket(points[k]))]++)] = std::int64_t(k);
  }

  /// The points at most the radius away from point k, k included, ascending.
  void near(std::int64_t k, std::vector<std::int64_t> &found) const
  {
    const Point &p = points_[std::size_t(k)];
    found.clear();
    for (std::int64_t z = first(p[2]); z <= last(p[2]); ++z)
      for (std::int64_t y = first(p[1]); y <= last(p[1]); ++y)
        for (std::int64_t x = first(p[0]); x <= last(p[0]); ++x) {
          const auto b = std::size_t(x + side_ * (y + side_ * z));
          for (std::int64_t m = start_[b]; m < start_[b + 1]; ++m)
            if (is_near(p, points_[std::size_t(members_[std::size_t(m)])])) found.push_back(members_[std::size_t(m)]);
        }
    std::sort(found.begin(), found.end());
  }

private:
  std::int64_t cell(double t) const { return std::min(side_ - 1, std::int64_t(t * double(side_))); }
  std::int64_t first(double t) const { return std::max<std::int64_t>(0, cell(t) - 1); }
  std::int64_t last(double t) const { return std::min(side_ - 1, cell(t) + 1); }
  std::int64_t bucket(const Point &p) const { return cell(p[0]) + side_ * (cell(p[1]) + side_ * cell(p[2])); }
  bool         is_near(const Point &a, const Point &b) const
  {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z <= radius_ * radius_;
  }

  const std::vector<Point> &points_;
  double                    radius_;
  std::int64_t              side_;
  std::vector<std::int64_t> start_, members_;
};

Size predict(const Arguments &arguments)
{
  const std::int64_t nodes = arguments.sizes[0], b = arguments.integer("b");
  return {nodes * b, nodes * b, std::int64_t(double(nodes * b * b) * arguments.number("near") * 1.05) + 1};
}

CsrMatrix generate(const Arguments &arguments)
{
  const std::int64_t nodes = arguments.sizes[0], b = arguments.integer("b");
  const auto         points = points_in_order(nodes, arguments.choice("order"), arguments.seed());
  const double       near   = arguments.number("near");
  const Buckets      buckets(points, std::cbrt((near - 1) / (4.18879 * double(nodes))));
  const Couplings    couplings(arguments.choice("values") == "table" ? CouplingKind::table : CouplingKind::random, arguments.seed());
  RowBuilder         builder(predict(arguments));

  std::vector<std::int64_t> neighbours;
  for (std::int64_t k = 0; k < nodes; ++k) {
    buckets.near(k, neighbours);
    add_node_rows(builder, couplings, k, neighbours, b, std::int64_t(4 * near));
  }
  return builder.take();
}

} // namespace

void add_point_clouds(std::vector<Generator> &list)
{
  list.push_back({"fem",
                  "unstructured mesh in space: random points, coupled where near",
                  "number of nodes",
                  1,
                  "200k",
                  {{"b", "1", 1, 6, "unknowns a node"},
                   {"near", "15", 2, 200, "nodes that a node in the middle is coupled with, itself included"},
                   {"order", "hilbert", 0, 0, "numbering of the nodes", {"hilbert", "banded", "shuffled"}},
                   {"values", "random", 0, 0, "values, random or one of 200", {"random", "table"}}},
                  &predict,
                  &generate});
}

} // namespace petscspmv::bench
