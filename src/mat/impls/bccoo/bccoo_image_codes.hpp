#pragma once

/// \file bccoo_image_codes.hpp
/// Coded values of a tile of an image: from the order of blocks, which is that of encoder and decoder, to that in which
/// lanes read them, and back.

#include <cstring>
#include <type_traits>

#include "impls/bccoo/bccoo_image.hpp"

namespace petscspmv::bccoo::image {

/// Calls visit(number of the value among those of the tile, in the order of blocks; the same in the order of lanes),
/// where `each` values are in a piece: a constant, for divisions by another number took most of the time of making an
/// image.
template <std::size_t each, class Visit> void for_each_value(const Summary &m, const Tile &t, const Visit &visit)
{
  const auto  area = static_cast<std::size_t>(m.shape.values());
  std::size_t e    = 0;
  for (int b = 0; b < t.blocks; ++b) {
    const Place p = place_in_tile(b, t.lane_blocks, t.scattered_lanes);
    for (std::size_t v = static_cast<std::size_t>(p.k) * area, end = v + area; v < end; ++v, ++e) visit(e, place_of_value(each, p.lane, v));
  }
}

/// Calls visit(Coding as a constant) for the coding of a tile, if its values have codes.
template <class Visit> void with_codes(const Tile &t, const Visit &visit)
{
  switch (coding_of(t)) {
  case Coding::constant:
    return;
  case Coding::table16:
    return visit(std::integral_constant<Coding, Coding::table16>());
  case Coding::table256:
    return visit(std::integral_constant<Coding, Coding::table256>());
  case Coding::table65536:
    return visit(std::integral_constant<Coding, Coding::table65536>());
  case Coding::single:
    return visit(std::integral_constant<Coding, Coding::single>());
  case Coding::raw:
    return visit(std::integral_constant<Coding, Coding::raw>());
  }
}

enum class CodesTo { lanes, blocks };

/// Codes of a tile from one order to the other; where they are half bytes, what is at `to` is zero.
template <class Scalar, CodesTo order> void reorder_codes(const Summary &m, const Tile &t, const std::byte *from, std::byte *to)
{
  with_codes(t, [&](auto coding) {
    constexpr std::size_t size = value_bits<Scalar>(coding()) / 8;
    for_each_value<values_of_piece<Scalar>(coding())>(m, t, [=](std::size_t of_block, std::size_t of_lane) {
      const std::size_t i = order == CodesTo::lanes ? of_block : of_lane, k = order == CodesTo::lanes ? of_lane : of_block;
      if constexpr (size > 0) std::memcpy(to + k * size, from + i * size, size);
      else to[k / 2] |= (from[i / 2] >> i % 2 * 4 & std::byte(15)) << k % 2 * 4;
    });
  });
}

} // namespace petscspmv::bccoo::image
