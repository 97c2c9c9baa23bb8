#pragma once

/// \file kind.hpp
/// What a kind of pieces of a matrix on a device is, and what all sides know.
///
/// A kind is a class without objects in <kind>/<kind>_arrays.hpp:
///
/// - `Counts` are what the host knows of its pieces besides their arrays, `Shape` what kernels know of them, too;
///   entries(counts) is how many entries they have.
/// - `Arrays<Scalar, Hold>` are its arrays, with their shapes, held in `Hold::Pieces<T>` if kernels know their number,
///   in `Hold::Room<T>` if they are large, and the device may fill them, else in `Hold::Vector<T>`.
///   for_each_array(visit, m...) calls visit(name, array...) for each of them, held in one or several ways.
/// - for_each_constant(visit, m...), if it has that, calls visit(array...) for the arrays that change where all values
///   are with patterns and take new ones.
///
/// <kind>/<kind>_image.hpp has what the host does with it (host_kind.hpp), <kind>/<kind>_kernel.cuh what a device does
/// (device_kind.cuh), <kind>/<kind>_tuning.hpp its numbers. image.hpp lists all kinds.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "impls/ccoo/plan/device_tuning.hpp"
#include "impls/ccoo/plan/group.hpp"
#include "kernels/coding/codings.hpp"

namespace petscspmv::ccoo {
using kernels::Coding;
}

namespace petscspmv::ccoo::image {

inline constexpr int         lanes       = 32;
inline constexpr int         groups      = DeviceGroup::rows / lanes;    ///< rows of a lane in a unit
inline constexpr int         each        = device_chunk_entries / lanes; ///< entries of a lane in a chunk
inline constexpr std::size_t piece       = 16;                           ///< bytes that a lane reads at a time
inline constexpr std::size_t value_grain = 32;                           ///< values of a unit begin at a multiple of this

/// Bytes of n coded values.
template <class Scalar> constexpr std::size_t coded_bytes(Coding c, std::size_t n = device_chunk_entries)
{
  return static_cast<std::size_t>(kernels::coded_bits<Scalar>(c)) * n / 8;
}

/// Entries whose coded values a lane has side by side in a chunk.
template <class Scalar> constexpr int coded_together(Coding c)
{
  const int bits = kernels::coded_bits<Scalar>(c), fit = bits > 0 ? 8 * static_cast<int>(piece) / bits : 1;
  return fit < each ? fit : each;
}

/// Calls visit() with a value of the type that values of units and nodes are kept as, see rounding.hpp. Scalar: the
/// host's or the device's.
template <class Scalar, class Visit> void with_kept_type(bool rounded, const Visit &visit)
{
  if constexpr (std::is_same_v<Scalar, double>) {
    if (rounded) {
      visit(float());
      return;
    }
  }
  visit(Scalar());
}

} // namespace petscspmv::ccoo::image
