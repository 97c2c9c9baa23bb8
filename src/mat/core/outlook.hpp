#pragma once

/// \file outlook.hpp
/// What a format that can go several ways knows of them: of how long products take each way, and what it costs to
/// change over.

#include <array>
#include <cstdint>
#include <limits>

namespace petscspmv {

/// A way is the number of a type that the format can multiply as. Times are in seconds; infinity stands for what cannot
/// be.
struct Outlook {
  static constexpr int most_ways = 8;

  /// Numbers alone, so that blocks and ranks can be put together.
  struct Numbers {
    double                        spent    = 0; ///< on products so far
    double                        invested = 0; ///< on looking at ways and on changing over, so far
    double                        unseen   = 0; ///< 1: nothing is known of other ways yet, as products have not paid for a look
    std::array<double, most_ways> product{};    ///< that one product takes
    std::array<double, most_ways> change{};     ///< that it takes to go this way, from whichever other
    std::array<double, most_ways> guessed{};    ///< 1 where `product` is a prediction, 0 where products were timed
  };

  int     ways = 0; ///< how many there are; less than two: nothing can be chosen
  int     way  = 0; ///< the present one
  Numbers numbers;
  /// Products of the present way since it was changed to: the first ones may take longer than those that follow. Told
  /// by who counts products.
  std::int64_t since = std::numeric_limits<std::int64_t>::max();
};

} // namespace petscspmv
