#include "impls/sweeps/block_graph.hpp"

#include <algorithm>
#include <cstddef>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"

namespace petscspmv::sweeps {

template <class Scalar, class Index>
BlockGraph<Index> block_graph(const CsrView<Scalar, Index> &a, const std::vector<Index> &block, Index blocks, int threads)
{
  constexpr std::int64_t batch  = 64; // blocks
  const auto             at     = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  const auto             add_up = [](std::vector<Index> &sizes) {
    for (std::size_t b = 1; b < sizes.size(); ++b) sizes[b] += sizes[b - 1];
  };
  BlockGraph<Index> graph{
    std::vector<Index>(at(blocks) + 1), kernels::UnsetVector<Index>(block.size()), std::vector<Index>(at(blocks) + 1), {}};
  auto &[first, row, start, read] = graph;
  for (const Index b : block) ++first[at(b) + 1];
  add_up(first);
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (std::size_t r = 0; r < block.size(); ++r) row[at(next[at(block[r])]++)] = static_cast<Index>(r);
  std::vector<std::vector<Index>> reads(at(blocks));
  runtime::for_each_batch(threads, blocks, batch, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t b = from; b < to; ++b) {
      auto &own = reads[at(b)];
      for (Index k = graph.first[at(b)]; k < graph.first[at(b) + 1]; ++k)
        for (Index i = a.row_ptr[graph.row[at(k)]]; i < a.row_ptr[graph.row[at(k)] + 1]; ++i)
          if (const Index other = block[at(a.col[i])]; other != b && (own.empty() || own.back() != other)) own.push_back(other);
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
    }
  });
  for (std::size_t b = 0; b < reads.size(); ++b) {
    read.insert(read.end(), reads[b].begin(), reads[b].end());
    start[b + 1] = static_cast<Index>(read.size());
  }
  return graph;
}

#define INSTANTIATE(S, I) template BlockGraph<I> block_graph(const CsrView<S, I> &, const std::vector<I> &, I, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::sweeps
