#pragma once

/// \file families.hpp
/// One function a family of generators; each appends to the list. A new family is one file, and a line here and in
/// list.cpp.

#include <vector>

#include "generators/generator.hpp"

namespace petscspmv::bench {

void add_stencils(std::vector<Generator> &list);
void add_flows(std::vector<Generator> &list);
void add_materials(std::vector<Generator> &list);
void add_point_clouds(std::vector<Generator> &list);
void add_random_rows(std::vector<Generator> &list);
void add_graphs(std::vector<Generator> &list);
void add_circuits(std::vector<Generator> &list);
void add_linear_programs(std::vector<Generator> &list);
void add_twins(std::vector<Generator> &list);

} // namespace petscspmv::bench
