#pragma once

/// \file ccoo_many_tuning.hpp
/// The numbers of products with several vectors, each with the measurement that chose it. Eight vectors, AMD Zen 4,
/// beside other work, one core, times in ms beside those of PETSc's aij in the same run.

#include <cstddef>

namespace petscspmv::ccoo::tuning {

// Bytes of the pieces at which vectors take turns: a part of the second cache. With 64 KB, 256 KB, 512 KB and 1 MB:
// 27-point 64^3, variable 20.2, 17.5, 20.1, 17.3 (aij 36 to 41, eight products 34); 7-point 100^3, variable 32.3, 28.3,
// 31.8, 29.7 (aij 41 to 48, eight products 42 to 55).
inline constexpr std::size_t batch_bytes = std::size_t(256) << 10;
// Share of the work, as predicted, that has scattered x, from which on X is packed. Ratios to aij with and without: all
// of it scattered, rmat:18 1.76, 0.52, fem:200k 1.18, 0.71, circuit:500k 0.98, 0.64; none of it, 7-point 100^3 with
// constant coefficients 1.50, 2.27.
inline constexpr double packed_share = 0.25;
// Entries for each row and column from which on X is packed: where there are fewer, X and Y are most of what there is
// to read. Ratios to aij with and without: Pd (0.8 entries) 0.42, 0.68, NotreDame_www (1.4) 0.67, 1.07, arrow (1.5)
// 0.58, 1.00, wing (1.96) 0.77, 1.17, lp_dfl001 (1.95) 1.29, 0.94, rajat19 (2.3) 0.75, 0.66, cage10 (6.6) 1.44, 1.36.
inline constexpr double packed_entries = 2;

} // namespace petscspmv::ccoo::tuning
