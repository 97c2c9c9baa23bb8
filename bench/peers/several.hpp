#pragma once

/// \file several.hpp
/// Products with several vectors at once, Y = A X or Y = A^T X: who takes part in `spmm`.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "peers/peer.hpp"

namespace petscspmv::bench {

/// What makes the product of a peer. The matrix of `setup` is op(A): where A^T is multiplied with, `a` is not that
/// matrix, but the one that the peer is given.
using MakeSeveral = std::function<std::unique_ptr<Product>(const Setup &setup, const CsrMatrix &a, int columns)>;

/// Its products have so many columns of X and Y, one behind the other. Where a Product is given or asked for one
/// vector, column c of X is that vector times 2^-c, and entry r of the result is taken from column r mod columns, times
/// as much again: each column is checked.
struct SeveralPeer {
  std::string name;
  std::string method;     ///< of ours; empty: a peer's
  bool        one_by_one; ///< products with single vectors
  MakeSeveral make;
};

/// For one matrix, whose formats are built once for all numbers of columns. None in a build without a device.
std::vector<SeveralPeer> several_peers_on_device(bool transposed);
std::vector<SeveralPeer> several_peers_on_host(bool transposed);

/// MKL's, where it is there.
std::vector<SeveralPeer> several_by_mkl(bool transposed);

/// X, from the vector that a Product is given.
std::vector<double> columns_from(std::span<const double> x, int columns);

/// What a Product tells of Y, whose columns have local.size() rows.
void read_columns(std::span<const double> y, int columns, std::span<double> local);

CsrMatrix transposed(const CsrMatrix &a);

} // namespace petscspmv::bench
