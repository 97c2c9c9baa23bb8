#pragma once

/// \file ccoo_options.hpp
/// The options of ccoo whose values have names.

#include "core/options.hpp"
#include "impls/ccoo/ccoo_layout.hpp"

namespace petscspmv::ccoo {

enum class TileChoice { automatic, diagonal, gather, chunk };
inline constexpr auto tile_names = names<TileChoice>(
  {{TileChoice::automatic, "auto"}, {TileChoice::diagonal, "diagonal"}, {TileChoice::gather, "gather"}, {TileChoice::chunk, "chunk"}});
inline constexpr Choice
  tile_option("tile", tile_names, TileChoice::automatic,
              "What tiles are; auto chooses for each one. chunk: the paper's form for the whole matrix, others only where they fit");

inline constexpr auto column_names   = names<Columns>({{Columns::bits8, "8"}, {Columns::bits16, "16"}, {Columns::bits32, "32"}});
inline constexpr auto columns_option = internal(Choice("columns", column_names, Columns::bits8, "Bits of a column offset, at least"));

enum class StoreChoice { automatic, cached, streamed };
inline constexpr auto store_names =
  names<StoreChoice>({{StoreChoice::automatic, "auto"}, {StoreChoice::cached, "cached"}, {StoreChoice::streamed, "streamed"}});
inline constexpr auto stores_option = internal(
  host_only(Choice("stores", store_names, StoreChoice::automatic,
                   "The way of y: streamed past the caches or not; auto if x and y are larger than a quarter of the largest cache")));

/// Where something is done that can be done: where it pays, nowhere, everywhere.
enum class When { automatic, never, always };
inline constexpr auto when_names    = names<When>({{When::automatic, "auto"}, {When::never, "never"}, {When::always, "always"}});
inline constexpr auto strips_option = internal(
  host_only(Choice("strips", when_names, When::automatic,
                   "Diagonal tiles whose values are with their patterns, eight groups of rows at a time; auto where that is faster")));
inline constexpr auto slide_option   = internal(device_only(
    Choice("slide", when_names, When::automatic,
           "On a device: stencils whose values repeat go from plane to plane; auto looks at sizes, always wherever it can be done")));
inline constexpr auto batches_option = internal(
  device_only(Choice("batches", when_names, When::automatic,
                     "On a device: a small matrix is in pieces of 1024 entries, which take the shortest way; auto looks at sizes")));

} // namespace petscspmv::ccoo
