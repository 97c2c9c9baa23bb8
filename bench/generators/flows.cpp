/// \file flows.cpp
/// Diffusion, as strong in each direction as one likes, and a flow: 7 points, upwind differences. Which order of the
/// rows suits sweeps and incomplete factors depends on these.

#include <algorithm>
#include <array>
#include <cmath>

#include "generators/families.hpp"
#include "matrix/builder.hpp"

namespace petscspmv::bench {

namespace {

Size predict(const Arguments &arguments)
{
  const auto        &n     = arguments.sizes;
  const std::int64_t nodes = checked_product({n[0], n[1], n[2]});
  return {nodes, nodes, 7 * nodes};
}

/// The velocity at a node: the same everywhere, or that of a wheel around the axis z.
std::array<double, 3> velocity(const Arguments &arguments, const std::array<double, 3> &place)
{
  const double wheel = arguments.number("wheel");
  return {arguments.number("x") - wheel * (place[1] - 0.5), arguments.number("y") + wheel * (place[0] - 0.5), arguments.number("z")};
}

CsrMatrix generate(const Arguments &arguments)
{
  const std::array<std::int64_t, 3> n{arguments.sizes[0], arguments.sizes[1], arguments.sizes[2]}, stride{1, n[0], n[0] * n[1]};
  const std::array<double, 3>       diffusion{arguments.number("dx"), arguments.number("dy"), arguments.number("dz")};
  RowBuilder                        builder(predict(arguments));
  for (std::int64_t node = 0; node < n[0] * n[1] * n[2]; ++node) {
    std::array<std::int64_t, 3> at{};
    std::array<double, 3>       place{};
    for (std::size_t k = 0; k < 3; ++k) {
      at[k]    = node / stride[k] % n[k];
      place[k] = double(at[k] + 1) / double(n[k] + 1);
    }
    const auto flow     = velocity(arguments, place);
    double     diagonal = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double upwind = std::abs(flow[k]) / double(n[k] + 1);
      for (const int side : {-1, 1}) {
        const double weight = diffusion[k] + (flow[k] * side < 0 ? upwind : 0);
        diagonal += weight;
        if (at[k] + side >= 0 && at[k] + side < n[k]) builder.add(Index(node + side * stride[k]), -weight);
      }
    }
    builder.add(Index(node), diagonal);
    builder.end_row();
  }
  return builder.take();
}

} // namespace

void add_flows(std::vector<Generator> &list)
{
  const std::vector<Parameter> parameters{{"dx", "1", 0, 1e9, "diffusion along x"},
                                          {"dy", "1", 0, 1e9, "along y"},
                                          {"dz", "1", 0, 1e9, "along z"},
                                          {"x", "0", -1e9, 1e9, "flow along x"},
                                          {"y", "0", -1e9, 1e9, "along y"},
                                          {"z", "0", -1e9, 1e9, "along z"},
                                          {"wheel", "0", -1e9, 1e9, "flow round and round"}};
  list.push_back(
    {"flow", "diffusion and a flow on a grid in space, upwind", "n or nx x ny x nz", 3, "48", parameters, &predict, &generate});
}

} // namespace petscspmv::bench
