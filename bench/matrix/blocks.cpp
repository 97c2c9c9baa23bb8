#include "matrix/blocks.hpp"

#include <algorithm>
#include <cstddef>

namespace petscspmv::bench {

Blocks to_blocks(const CsrMatrix &a, const std::vector<double> &values, Index b)
{
  Blocks             blocks;
  std::vector<Index> cols;
  for (Index begin = 0; begin < a.rows; begin += b) {
    cols.clear();
    for (Index k = a.row_ptr[begin]; k < a.row_ptr[begin + b]; ++k) cols.push_back(a.col[k] / b);
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    const std::size_t first = blocks.col.size();
    blocks.col.insert(blocks.col.end(), cols.begin(), cols.end());
    blocks.row_ptr.push_back(Index(blocks.col.size()));
    blocks.val.resize(blocks.col.size() * std::size_t(b * b), 0.0);
    for (Index r = begin; r < begin + b; ++r)
      for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
        const auto block = std::size_t(std::lower_bound(cols.begin(), cols.end(), a.col[k] / b) - cols.begin()) + first;
        blocks.val[(block * std::size_t(b) + std::size_t(r - begin)) * std::size_t(b) + std::size_t(a.col[k] % b)] = values[std::size_t(k)];
      }
  }
  return blocks;
}

} // namespace petscspmv::bench
