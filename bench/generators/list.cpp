#include "generators/families.hpp"

namespace petscspmv::bench {

std::span<const Generator> generators()
{
  static const std::vector<Generator> list = [] {
    std::vector<Generator> all;
    add_stencils(all);
    add_flows(all);
    add_materials(all);
    add_point_clouds(all);
    add_random_rows(all);
    add_graphs(all);
    add_circuits(all);
    add_linear_programs(all);
    add_twins(all);
    return all;
  }();
  return list;
}

} // namespace petscspmv::bench
