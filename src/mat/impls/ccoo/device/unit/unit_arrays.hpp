#pragma once

/// \file unit_arrays.hpp
/// Units: groups of 128 rows of diagonal tiles, or what is left of one at the end of a tile. Lane l of a warp has rows
/// l, l + 32, l + 64 and l + 96. Groups without entries are units, too, of a pattern without slots.

#include <cstddef>
#include <cstdint>

#include "impls/ccoo/device/kind.hpp"

namespace petscspmv::ccoo::image {

/// 128 rows, or fewer.
struct alignas(16) Unit {
  static constexpr std::uint32_t shares = 1U << 31; ///< in `value`, beside the number of its SharedValues

  Local         row, end;
  std::uint32_t pattern;
  std::uint32_t value; ///< streamed: its first value, over value_grain
};

/// Whether rows of a unit share its values.
constexpr bool shares_values(const Unit &u)
{
  return (u.value & Unit::shares) != 0;
}
constexpr std::uint32_t number_of_shared(const Unit &u)
{
  return u.value & ~Unit::shares;
}

/// What rows of a unit look like. Slots that all lanes have come first.
struct alignas(16) Pattern {
  /// first_value where values are not packed. mixed: those of some slots are with the slot, the others are streamed
  static constexpr std::uint32_t by_slot = ~0U, streamed = ~0U - 1, mixed = ~0U - 2;

  std::uint32_t first_slot;
  std::uint32_t first_lanes; ///< in words of 32 bits, for the slots that are not full
  std::uint32_t first_value;
  std::uint16_t slots, full;
};

/// An offset that rows of a pattern have. All that a lane wants to know of it is in one load or two.
template <class Scalar> struct alignas(16) Slot {
  static constexpr std::uint32_t alone = ~0U; ///< `before`, of a slot of a mixed pattern that has its value with it

  Scalar        value; ///< by_slot, and where it is alone
  Local         offset;
  std::uint32_t before; ///< entries of the pattern in the slots before; mixed: streamed ones
};

/// Whether units that look so have values of their own.
constexpr bool has_streamed_values(const Pattern &p)
{
  return p.first_value == Pattern::streamed || p.first_value == Pattern::mixed;
}

/// The *stretches* of a unit, and where their values are. On a grid with coefficients of a few kinds most rows have the
/// values of the row before. Such a unit keeps its values once for each stretch of equal rows, row by row. A unit of
/// eight rows:
///
///     row                0      1      2      3      4      5      6      7
///     values             a b c  a b c  a b c  d e    f g h  f g h  f g h  f g h
///     begins a stretch   1      0      0      1      1      0      0      0
///     kept               a b c | d e 0 | f g h                                    three for each stretch
struct alignas(16) SharedValues {
  std::uint32_t begins[groups]; ///< bit l of word g: a stretch begins with row l + 32 g
  std::uint32_t first;          ///< value, over value_grain
  std::uint32_t each;           ///< values kept for a stretch: the entries of the longest row
  std::uint32_t stretches;
  std::uint32_t unused;

  std::size_t size() const { return std::size_t(each) * stretches; }
};

struct UnitKind {
  struct Shape {
    std::uint32_t plain_units = 0; ///< that do not slide: they come first
  };
  struct Counts {
    std::int64_t entries_in_units = 0;
    bool         all_by_slot      = true;  ///< all patterns
    bool         rounded_units    = false; ///< values of units are floats, in the same room
  };

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Pieces<Unit>    unit;
    typename Hold::template Vector<Pattern> pattern;
    typename Hold::template Vector<Unit> model; ///< [patterns] a unit of each, whose values all others should have; no rows: there is none
    typename Hold::template Vector<Slot<Scalar>> slot;
    typename Hold::template Vector<std::uint32_t>
      lanes_of_slots; ///< [patterns][slots that are not full / 32, rounded up][128] bit k: lane has slot k of these
    typename Hold::template Vector<Scalar>       pattern_value;
    typename Hold::template Vector<SharedValues> shared; ///< of the units whose rows share values
    typename Hold::template Room<Scalar>
      unit_value; ///< [unit][entries, slot by slot], or [unit][stretches][entries of a row, as slots are kept]
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("units", m.unit...);
    visit("patterns", m.pattern...);
    visit("a unit of each pattern", m.model...);
    visit("slots of patterns", m.slot...);
    visit("lanes of patterns", m.lanes_of_slots...);
    visit("values of patterns", m.pattern_value...);
    visit("stretches of units", m.shared...);
    visit("values of units", m.unit_value...);
  }

  template <class Visit, class... M> static void for_each_constant(const Visit &visit, M &...m)
  {
    visit(m.slot...);
    visit(m.pattern_value...);
  }
  static std::int64_t entries(const Counts &c) { return c.entries_in_units; }
};

} // namespace petscspmv::ccoo::image
