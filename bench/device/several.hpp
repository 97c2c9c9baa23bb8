#pragma once

/// \file several.hpp
/// Products with several vectors at once on the device, Y = A X: who takes part in `spmm`.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peers/peer.hpp"

namespace petscspmv::bench {

/// Its products have so many columns of X and Y, one behind the other. Where a Product is given or asked for one
/// vector, column c of X is that vector times 2^-c, and entry r of the result is taken from column r mod columns, times
/// as much again: each column is checked.
struct SeveralPeer {
  std::string                                                              name;
  std::string                                                              method;     ///< of ours; empty: a peer's
  bool                                                                     one_by_one; ///< products with single vectors
  std::function<std::unique_ptr<Product>(const Setup &setup, int columns)> make;
};

/// For one matrix, whose formats are built once for all numbers of columns. None in a build without a device.
std::vector<SeveralPeer> several_peers();

} // namespace petscspmv::bench
