#pragma once

/// \file fingerprint.hpp
/// A number for the structure of a matrix: the same for the same pattern, whatever the values.

#include <cstdint>
#include <string>

#include "core/csr_view.hpp"
#include "core/options.hpp"

namespace petscspmv::select {

/// Of sizes, row pointer and columns. Takes about as long as reading them.
template <class Scalar, class Index> std::uint64_t fingerprint(const CsrView<Scalar, Index> &a);

/// Of the names, ranges and defaults of options: another number, other options.
std::uint64_t fingerprint(std::span<const OptionSpec> options);

/// One number of two, in this order.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b);

std::string hexadecimal(std::uint64_t number);

} // namespace petscspmv::select
