#pragma once

/// \file common_options.hpp
/// The options of all types (-mat_spmv_<key>) whose values have names.

#include "core/options.hpp"

namespace petscspmv::shadow {

enum class VectorsWanted { automatic, standard };
inline constexpr auto   kVecTypes = names<VectorsWanted>({{VectorsWanted::automatic, "auto"}, {VectorsWanted::standard, "standard"}});
inline constexpr Choice kVecTypeOption(
  "vec_type", kVecTypes, VectorsWanted::automatic,
  "Where matrices of types with our names live, and their vectors: on the device if there is one (auto), or on the host (standard)");

inline constexpr auto   kKernels = names<Kernels>({{Kernels::automatic, "auto"}, {Kernels::kokkos, "kokkos"}});
inline constexpr Choice kKernelsOption(
  "kernels", kKernels, Kernels::automatic,
  "What products are done by: the kernels that are fastest where the matrix is (auto), or those that run on whatever Kokkos runs on");

enum class SweepsWanted { none, where_faster, exact, blocks };
inline constexpr auto kSweeps = names<SweepsWanted>(
  {{SweepsWanted::none, "none"}, {SweepsWanted::where_faster, "auto"}, {SweepsWanted::exact, "exact"}, {SweepsWanted::blocks, "blocks"}});
inline constexpr Choice kSweepsOption(
  "sweeps", kSweeps, SweepsWanted::where_faster,
  "Who does the sweeps of MatSOR, and makes and solves with incomplete factors: PETSc (none), ours where the matrix is on "
  "a device and they are predicted to be faster there (auto), or ours everywhere, in the order of the rows (exact) or by coloured blocks "
  "of rows, which have fewer levels (blocks)");

enum class ExchangeWanted { mpi, where_apart, always };
inline constexpr auto kExchanges =
  names<ExchangeWanted>({{ExchangeWanted::mpi, "mpi"}, {ExchangeWanted::where_apart, "auto"}, {ExchangeWanted::always, "peer"}});
inline constexpr Choice kExchangeOption(
  "exchange", kExchanges, ExchangeWanted::where_apart,
  "How a parallel matrix on devices gets the entries of x that are other ranks': by MPI (mpi), or from device to device where all "
  "ranks are on one host, each with a device of its own (auto) or whatever devices they have (peer)");

enum class SetupWanted { petsc, ours };
inline constexpr auto   kSetups = names<SetupWanted>({{SetupWanted::petsc, "none"}, {SetupWanted::ours, "auto"}});
inline constexpr Choice kSetupOption(
  "setup", kSetups, SetupWanted::ours,
  "Who makes the aggregates and prolongators of PCGAMG, which are the same: PETSc (none), or we where its settings allow (auto)");

enum class ProductsWanted { petsc, ours };
inline constexpr auto kProducts = names<ProductsWanted>({{ProductsWanted::petsc, "none"}, {ProductsWanted::ours, "auto"}});
inline constexpr Choice
  kProductsOption("products", kProducts, ProductsWanted::ours,
                  "Who makes the products A B, A^T B, A B^T, P^T A P and R A R^T of sparse matrices: PETSc (none), or we where no option "
                  "names an algorithm of PETSc's (auto)");

inline constexpr auto   kNoYes = names<bool>({{false, "no"}, {true, "yes"}});
inline constexpr Choice kBindFreesOption("bind_frees", kNoYes, false,
                                         "Whether MatBindToCPU frees the formats and sweeps that the matrix has on the device");

} // namespace petscspmv::shadow
