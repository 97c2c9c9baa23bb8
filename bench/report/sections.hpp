#pragma once

/// \file sections.hpp
/// The tables that a report consists of. Each returns Markdown, or nothing if the setting has nothing to show.

#include <string>

#include "report/comparison.hpp"

namespace petscspmv::bench {

/// Each type against each peer and against the best peer of each matrix.
std::string summary_table(const Setting &s, double ties);

/// The same by size and by class of matrix.
std::string class_table(const Setting &s, double ties);

/// Every matrix: times, speed-ups, shares of the roofline.
std::string matrix_table(const Setting &s);

/// On a device: the times of all competitors beside what no product can fall below.
std::string device_times_table(const Setting &s);

/// On a device: what a product costs the host, which need not wait for it.
std::string launch_line(const Setting &s);

/// What the glue costs: a type against its own format without PETSc.
std::string glue_line(const Setting &s);

/// How many bytes less than coordinates the matrix takes, by type: in the mean and at least.
std::string footprint_table(const Setting &s);

std::string conversion_table(const Setting &s);

/// On a device: when the first product of a matrix on the host is there, beside the opponent's, and what a build takes
/// beyond one that does little else than bring rows.
std::string first_product_table(const Setting &s);

std::string solve_table(const Setting &s);

} // namespace petscspmv::bench
