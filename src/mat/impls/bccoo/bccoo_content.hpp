#pragma once

/// \file bccoo_content.hpp
/// What a tile holds, while it is analysed and written.

#include <vector>

#include "impls/bccoo/bccoo_plan.hpp"

namespace petscspmv::bccoo {

template <class Scalar, class Index> struct Content {
  std::vector<Scalar>        values;  ///< [blocks][values of a block]
  std::vector<Local>         columns; ///< of blocks
  std::vector<std::uint64_t> masks;   ///< of blocks, see mask_bytes()
  std::vector<char>          ends;    ///< 1 for the last block of a block row

  using Reader = BlockReader<Scalar, Index>;

  void read(const Scalar *from, const Plan<Scalar, Index> &plan, Reader &reader, const Tile &t) { read_tile<true>(from, plan, reader, t); }
  /// Only its values.
  void read_values(const Scalar *from, const Plan<Scalar, Index> &plan, Reader &reader, const Tile &t)
  {
    read_tile<false>(from, plan, reader, t);
  }

  /// Writes flags and, if there are zeros, masks.
  void write_structure(const Tile &t, Shape shape, std::byte *out) const
  {
    const TileParts parts(t, shape);
    const auto      size = mask_bytes(shape);
    std::memset(out, 0, parts.bytes);
    for (std::size_t word = 0; 64 * word < ends.size(); ++word) {
      std::uint64_t bits = 0;
      for (std::size_t b = 64 * word; b < std::min(ends.size(), 64 * (word + 1)); ++b) bits |= std::uint64_t(ends[b] != 0) << b % 64;
      std::memcpy(out + 8 * word, &bits, sizeof bits);
    }
    if (t.zeros == 0) return;
    for (std::size_t b = 0; b < masks.size(); ++b)
      for (std::size_t i = 0; i < size; ++i) out[parts.masks + b * size + i] = static_cast<std::byte>(masks[b] >> 8 * i);
  }

private:
  /// `all`: not only values.
  template <bool all> void read_tile(const Scalar *from, const Plan<Scalar, Index> &plan, Reader &reader, const Tile &t)
  {
    const auto area = static_cast<std::size_t>(plan.grid.shape.values());
    values.assign(t.blocks * area, Scalar(0));
    if constexpr (all) {
      columns.resize(t.blocks);
      masks.assign(t.blocks, 0);
      ends.assign(t.blocks, 0);
    }
    plan.for_each_entry(
      reader, t, [ from, area, value = values.data(), column = columns.data(),
                   mask = masks.data() ](std::uint32_t b, Local c, int place, Index k) __attribute__((always_inline)) {
        value[b * area + static_cast<std::size_t>(place)] = from[k];
        if constexpr (all) {
          column[b] = c;
          mask[b] |= std::uint64_t(1) << place;
        }
      },
      [&](std::uint32_t b) {
        if constexpr (all) ends[b] = 1;
      });
  }
};

} // namespace petscspmv::bccoo
