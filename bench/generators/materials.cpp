/// \file materials.cpp
/// Domains with holes: their unknowns are numbered without gaps, so that neighbours are no longer a fixed distance
/// apart.

#include <algorithm>
#include <array>

#include "generators/couplings.hpp"
#include "generators/families.hpp"

namespace petscspmv::bench {

namespace {

using Point = std::array<double, 3>;

double square_distance(const Point &a, const Point &b)
{
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/// A cube of n^3 cells with spherical holes. Cells in a hole have no number.
class Domain {
public:
  Domain(const Arguments &arguments) : n_(arguments.sizes[0])
  {
    Random random(arguments.seed(), 1);
    for (std::int64_t h = arguments.integer("holes"); h > 0; --h) holes_.push_back({random.uniform(), random.uniform(), random.uniform()});
    const double radius = arguments.number("radius");
    number_.assign(std::size_t(n_ * n_ * n_), -1);
    for (std::int64_t c = 0; c < n_ * n_ * n_; ++c)
      if (std::none_of(holes_.begin(), holes_.end(), [&](const Point &h) { return square_distance(h, centre(c)) < radius * radius; }))
        number_[std::size_t(c)] = unknowns_++;
  }

  std::int64_t n() const { return n_; }
  std::int64_t unknowns() const { return unknowns_; }
  std::int64_t number(std::int64_t cell) const { return number_[std::size_t(cell)]; }

  Point centre(std::int64_t cell) const
  {
    const auto         middle = [h = 1.0 / double(n_)](std::int64_t place) { return (double(place) + 0.5) * h; };
    const std::int64_t line   = cell / n_;
    return {middle(cell % n_), middle(line % n_), middle(line / n_)};
  }

  /// Calls visit(cell, direction) for the numbered cells around `cell`, itself included, in the order of their numbers.
  template <class Visit> void for_neighbours(std::int64_t cell, bool corners, Visit &&visit) const
  {
    const std::int64_t x = cell % n_, y = cell / n_ % n_, z = cell / n_ / n_;
    for (std::int64_t dz = -1; dz <= 1; ++dz)
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
          if (!corners && (dx != 0) + (dy != 0) + (dz != 0) > 1) continue;
          if (std::min({x + dx, y + dy, z + dz}) < 0 || std::max({x + dx, y + dy, z + dz}) >= n_) continue;
          const std::int64_t other = cell + dx + n_ * (dy + n_ * dz);
          if (number(other) >= 0) visit(other);
        }
  }

private:
  std::int64_t              n_, unknowns_ = 0;
  std::vector<Point>        holes_;
  std::vector<std::int64_t> number_;
};

/// The conductivity of each cell: the material of the nearest of 40 random points.
std::vector<double> conductivities(const Domain &domain, const Arguments &arguments)
{
  Random             random(arguments.seed(), 2);
  const std::int64_t materials = arguments.integer("materials");
  std::vector<Point> grain(40);
  for (Point &p : grain) p = {random.uniform(), random.uniform(), random.uniform()};

  const std::int64_t  n = domain.n();
  std::vector<double> k(std::size_t(n * n * n));
  for (std::int64_t c = 0; c < n * n * n; ++c) {
    const Point centre  = domain.centre(c);
    const auto  nearest = std::min_element(
       grain.begin(), grain.end(), [&](const Point &a, const Point &b) { return square_distance(a, centre) < square_distance(b, centre); });
    k[std::size_t(c)] = double(1 << ((nearest - grain.begin()) % materials));
  }
  return k;
}

Size predict_materials(const Arguments &arguments)
{
  const std::int64_t cells = checked_product({arguments.sizes[0], arguments.sizes[0], arguments.sizes[0]});
  return {cells, cells, 7 * cells};
}

CsrMatrix generate_materials(const Arguments &arguments)
{
  const Domain       domain(arguments);
  const auto         k     = conductivities(domain, arguments);
  const std::int64_t cells = domain.n() * domain.n() * domain.n();
  RowBuilder         builder({domain.unknowns(), domain.unknowns(), 7 * domain.unknowns()});
  for (std::int64_t c = 0; c < cells; ++c) {
    if (domain.number(c) < 0) continue;
    const double kc       = k[std::size_t(c)];
    double       diagonal = 6 * kc; // cells outside count as the same material at temperature 0
    domain.for_neighbours(c, false, [&](std::int64_t other) {
      if (other == c) return;
      const double ko    = k[std::size_t(other)];
      const double value = 2 * kc * ko / (kc + ko);
      diagonal += value - kc;
      builder.add(Index(domain.number(other)), -value);
    });
    builder.add(Index(domain.number(c)), diagonal);
    builder.end_row();
  }
  return builder.take();
}

Size predict_blocks(const Arguments &arguments)
{
  const std::int64_t nodes = predict_materials(arguments).rows, b = arguments.integer("b");
  return {nodes * b, nodes * b, 27 * nodes * b * b};
}

CsrMatrix generate_blocks(const Arguments &arguments)
{
  const Domain       domain(arguments);
  const Couplings    couplings(CouplingKind::random, arguments.seed());
  const std::int64_t cells = domain.n() * domain.n() * domain.n(), b = arguments.integer("b");
  RowBuilder         builder({domain.unknowns() * b, domain.unknowns() * b, 27 * domain.unknowns() * b * b});

  std::vector<std::int64_t> neighbours;
  for (std::int64_t c = 0; c < cells; ++c) {
    if (domain.number(c) < 0) continue;
    neighbours.clear();
    domain.for_neighbours(c, true, [&](std::int64_t other) { neighbours.push_back(domain.number(other)); });
    add_node_rows(builder, couplings, domain.number(c), neighbours, b, 27);
  }
  return builder.take();
}

} // namespace

void add_materials(std::vector<Generator> &list)
{
  const Parameter holes{"holes", "8", 0, 1000, "number of spherical holes"};
  const Parameter radius{"radius", "0.12", 0, 1, "radius of a hole; the cube has side 1"};
  list.push_back({"materials",
                  "7-point stencil in a cube with holes and several materials",
                  "n",
                  1,
                  "100",
                  {holes, radius, {"materials", "5", 1, 40, "number of materials"}},
                  &predict_materials,
                  &generate_materials});
  list.push_back({"blockfem",
                  "hexahedral elements in a cube with holes, b unknowns a node, random values",
                  "n",
                  1,
                  "36",
                  {holes, radius, {"b", "3", 1, 16, "unknowns a node"}},
                  &predict_blocks,
                  &generate_blocks});
}

} // namespace petscspmv::bench
