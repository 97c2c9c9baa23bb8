#include "matrix/nodes.hpp"

#include <algorithm>

namespace petscspmv::bench {

std::vector<Index> find_nodes(const CsrMatrix &a)
{
  constexpr Index    most = 5;
  std::vector<Index> node_ptr{0};
  for (Index r = 0; r < a.rows;) {
    const auto begin = a.col.begin() + a.row_ptr[r];
    const auto size  = a.row_ptr[r + 1] - a.row_ptr[r];
    Index      end   = r + 1;
    while (end < a.rows && end - r < most && a.row_ptr[end + 1] - a.row_ptr[end] == size &&
           std::equal(begin, begin + size, a.col.begin() + a.row_ptr[end]))
      ++end;
    node_ptr.push_back(end);
    r = end;
  }
  if (double(node_ptr.size() - 1) > 0.8 * double(a.rows)) node_ptr.clear();
  return node_ptr;
}

} // namespace petscspmv::bench
