/// \file stencils.cpp
/// Finite differences on a grid: 5 and 9 points in the plane, 7 and 27 in space, b unknowns a node.

#include "generators/couplings.hpp"
#include "generators/families.hpp"

namespace petscspmv::bench {

namespace {

struct Grid {
  std::int64_t nx, ny, nz;
  std::int64_t nodes() const { return checked_product({nx, ny, nz}); }
};

struct Stencil {
  int  dimensions;
  bool corners; ///< 9 and 27 points, not 5 and 7
  int  points() const { return dimensions == 2 ? (corners ? 9 : 5) : (corners ? 27 : 7); }
};

Grid grid_of(const Stencil &stencil, const Arguments &arguments)
{
  return {arguments.sizes[0], arguments.sizes[1], stencil.dimensions == 3 ? arguments.sizes[2] : 1};
}

template <int dimensions, bool corners> Size predict(const Arguments &arguments)
{
  constexpr Stencil  stencil{dimensions, corners};
  const std::int64_t b = arguments.integer("b"), nodes = grid_of(stencil, arguments).nodes();
  return {nodes * b, nodes * b, nodes * stencil.points() * b * b};
}

void neighbours_of(const Grid &g, bool corners, std::int64_t x, std::int64_t y, std::int64_t z, std::vector<std::int64_t> &neighbours)
{
  neighbours.clear();
  for (std::int64_t dz = -1; dz <= 1; ++dz)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        if (!corners && (dx != 0) + (dy != 0) + (dz != 0) > 1) continue;
        if (x + dx < 0 || x + dx >= g.nx || y + dy < 0 || y + dy >= g.ny || z + dz < 0 || z + dz >= g.nz) continue;
        neighbours.push_back(x + dx + g.nx * (y + dy + g.ny * (z + dz)));
      }
}

template <int dimensions, bool corners> CsrMatrix generate(const Arguments &arguments)
{
  constexpr Stencil  stencil{dimensions, corners};
  const Grid         g    = grid_of(stencil, arguments);
  const std::int64_t b    = arguments.integer("b");
  const auto        &coef = arguments.choice("coef");
  const CouplingKind kind = coef == "constant"   ? CouplingKind::constant
                            : coef == "diagonal" ? CouplingKind::diagonal
                                                 : CouplingKind::random;
  const Couplings    couplings(kind, arguments.seed());
  RowBuilder         builder(predict<dimensions, corners>(arguments));

  std::vector<std::int64_t> neighbours;
  for (std::int64_t z = 0; z < g.nz; ++z)
    for (std::int64_t y = 0; y < g.ny; ++y)
      for (std::int64_t x = 0; x < g.nx; ++x) {
        neighbours_of(g, corners, x, y, z, neighbours);
        add_node_rows(builder, couplings, x + g.nx * (y + g.ny * z), neighbours, b, stencil.points());
      }
  return builder.take();
}

const std::vector<Parameter> kParameters = {
  {"b", "1", 1, 16, "unknowns a node"},
  {"coef", "constant", 0, 0, "coefficients of the equation", {"constant", "diagonal", "variable"}},
};

} // namespace

void add_stencils(std::vector<Generator> &list)
{
  constexpr std::string_view plane = "n or nx x ny", space = "n or nx x ny x nz";
  list.push_back({"5pt", "5-point stencil on a plane grid", plane, 2, "1500", kParameters, &predict<2, false>, &generate<2, false>});
  list.push_back({"7pt", "7-point stencil on a grid in space", space, 3, "100", kParameters, &predict<3, false>, &generate<3, false>});
  list.push_back({"9pt", "9-point stencil on a plane grid", plane, 2, "1000", kParameters, &predict<2, true>, &generate<2, true>});
  list.push_back({"27pt", "27-point stencil on a grid in space", space, 3, "64", kParameters, &predict<3, true>, &generate<3, true>});
}

} // namespace petscspmv::bench
