#include "matrix/sliced_ell.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace petscspmv::bench {

namespace {

Index row_length(const CsrMatrix &a, Index r)
{
  return a.row_ptr[std::size_t(r) + 1] - a.row_ptr[std::size_t(r)];
}

Index slice_width(const CsrMatrix &a, Index first, Index height)
{
  Index width = 0;
  for (Index r = first; r < std::min<Index>(a.rows, first + height); ++r) width = std::max(width, row_length(a, r));
  return width;
}

} // namespace

std::int64_t sliced_ell_places(const CsrMatrix &a, Index height)
{
  std::int64_t places = 0;
  for (Index first = 0; first < a.rows; first += height) places += std::int64_t(slice_width(a, first, height)) * height;
  return places;
}

SlicedEll to_sliced_ell(const CsrMatrix &a, const std::vector<double> &values, Index height)
{
  const std::int64_t places = sliced_ell_places(a, height);
  if (places > std::numeric_limits<Index>::max())
    throw InputError("Sliced ELLPACK would need " + std::to_string(places) + " places, more than its index type can count.");
  SlicedEll s{height, {0}, std::vector<Index>(std::size_t(places), -1), std::vector<double>(std::size_t(places), 0.0)};
  for (Index first = 0; first < a.rows; first += height) {
    const Index begin = s.slice_ptr.back();
    for (Index r = first; r < std::min<Index>(a.rows, first + height); ++r)
      for (Index k = 0; k < row_length(a, r); ++k) {
        const auto place = std::size_t(begin) + std::size_t(k) * std::size_t(height) + std::size_t(r - first);
        const auto entry = std::size_t(a.row_ptr[std::size_t(r)]) + std::size_t(k);
        s.col[place]     = a.col[entry];
        s.val[place]     = values[entry];
      }
    s.slice_ptr.push_back(Index(begin + slice_width(a, first, height) * height));
  }
  return s;
}

} // namespace petscspmv::bench
