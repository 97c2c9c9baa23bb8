#pragma once

/// \file slide_arrays.hpp
/// Sliding stencils on a device: units of diagonal tiles that look the same from plane to plane.
///
/// A plane is `stride` consecutive rows (of a grid in space; of a plane one, it is a line), and most offsets come in
/// chains o - stride, o, o + stride with the same lanes. A block of threads takes a few units side by side and walks
/// with them through some planes: of each plane it wants x once, for the rows of the plane before, of this one and of
/// the next. Offsets that are in no chain are singles.

#include <algorithm>
#include <array>
#include <cstdint>

#include "impls/ccoo/device/kind.hpp"

namespace petscspmv::ccoo::image {

/// Chains and singles of a pattern, at most.
inline constexpr int most_slide_parts = 64;

/// Some planes of some units side by side, for a block of threads.
struct alignas(16) Slide {
  Local         row; ///< the first of the first plane
  std::int32_t  planes;
  Local         rows; ///< of a plane
  std::uint32_t unused;
  std::uint32_t data[4]; ///< of the pattern of each warp
};

/// Entries of x, which are real numbers, in 128 bytes: x of a plane is brought from a multiple of these on to one in
/// shared memory.
inline constexpr int slide_line = 16;

/// What has no slot among slots.
inline constexpr std::uint32_t no_slot = ~0U;

/// Two weights, or one and an offset in the lower half of the second.
struct alignas(16) SlideData {
  double first, second;
};

/// Of sliding units: chains and singles of a pattern at most, units side by side.
struct SlideShape {
  int chains, singles, warps;

  bool operator==(const SlideShape &) const = default;
};
/// Those that there is a kernel for, which has all weights in registers.
inline constexpr std::array<SlideShape, 4> slide_shapes{{{1, 2, 4}, {1, 4, 4}, {3, 0, 4}, {9, 0, 2}}};
/// All others, of up to most_slide_parts chains and singles together, have one kernel.
inline constexpr int many_slide_warps = 2;
/// Words of 32 bits that say which chains and singles a row has.
constexpr int slide_words(const SlideShape &shape)
{
  return std::find(slide_shapes.begin(), slide_shapes.end(), shape) != slide_shapes.end() ? 1 : most_slide_parts / 32;
}

struct SlideKind {
  struct Shape {
    Local      stride     = 0; ///< of sliding units,
    Local      slide_low  = 0; ///< the lowest of their offsets within a plane,
    int        slide_room = 0; ///< entries of x of a plane in shared memory,
    Local      slide_cols = 0; ///< all entries of x,
    SlideShape slide_shape{};  ///< and the shape of units
  };
  struct Counts { };

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Pieces<Slide>         slide;
    typename Hold::template Vector<SlideData>     slide_data;
    typename Hold::template Vector<std::uint32_t> slide_slot; ///< [2 of each SlideData] the slot whose value it is, or no_slot
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("jobs of sliding units", m.slide...);
    visit("weights of sliding units", m.slide_data...);
    visit("slots of weights", m.slide_slot...);
  }

  template <class Visit, class... M> static void for_each_constant(const Visit &visit, M &...m) { visit(m.slide_data...); }
  static std::int64_t                            entries(const Counts &) { return 0; } ///< they are units
};

} // namespace petscspmv::ccoo::image
