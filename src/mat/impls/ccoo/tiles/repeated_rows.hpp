#pragma once

/// \file repeated_rows.hpp
/// The different rows of a tile of repeated rows, on a device: found when it is decided what the tile becomes, and kept until it has a place.

#include <cstdint>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/ccoo_image.hpp"
#include "impls/ccoo/tiles/row_pool.hpp"

namespace petscspmv::ccoo {

template <class Scalar> struct RepeatedRows {
  RowPool<Scalar>            pool;
  std::vector<Local>         first, last; ///< of the rows that are like this one, in the tile
  std::vector<std::uint16_t> word;        ///< of each row: where its entries are in the pool, and how many it has

  /// Adds the next row, which is row `row` of a tile that begins with row `tile`.
  template <class Index> void add(const CsrView<Scalar, Index> &a, Local tile, Local row)
  {
    const std::size_t number = pool.add(a, tile + row);
    if (number == first.size()) {
      first.push_back(row);
      last.push_back(row);
    }
    last[number] = row;
    word.push_back(static_cast<std::uint16_t>(pool.first(number) << image::RepeatedTile::length_bits | pool.row(number).size()));
  }

  /// Calls visit(value, offset, row of the tile that has the entry) for each entry.
  template <class Visit> void for_each(const Visit &visit) const
  {
    for (std::size_t k = 0; k < pool.size(); ++k)
      for (const auto &e : pool.row(k)) visit(e.value, e.offset, first[k]);
  }
};

} // namespace petscspmv::ccoo
