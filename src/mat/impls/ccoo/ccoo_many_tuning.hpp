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
// Share of the work, as predicted, that has scattered x, from which on plain CSR is faster, which packs X. Ratios to
// aij with X packed and without: all of it scattered, rmat:18 1.76, 0.52, fem:200k 1.18, 0.71, circuit:500k 0.98, 0.64;
// 18 % of it, teko_lsc_F_2 1.74, 0.94; none of it, 7-point 100^3 with constant coefficients 1.50, 2.27.
inline constexpr double scattered_share = 0.1;
// Entries for each row and column from which on that is so: where there are fewer, X and Y are most of what there is to
// read. Times of plain CSR over our own: Pd (0.8 entries) 1.17, power (1.3) 1.14, NotreDame_www (1.4) 0.90, arrow (1.5)
// 1.61, boyd2 (1.6) 1.26, hep-th (1.9) 0.99, lp_dfl001 (1.95) 0.58, wing (1.96) 0.71.
inline constexpr double several_entries = 1.7;

} // namespace petscspmv::ccoo::tuning
