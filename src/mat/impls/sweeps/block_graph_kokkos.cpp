#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/for_each_type.hpp"
#include "impls/sweeps/analysis_arrays.hpp"
#include "impls/sweeps/block_graph.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv::sweeps {
namespace {

/// The other blocks that the rows of a block read.
template <class Index> struct BlocksRead {
  PatternView<Index>      pattern;
  kernels::Pattern<Index> rows;  ///< of each block
  const Index            *block; ///< [rows]

  /// How many there are at most.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t b) const
  {
    std::int64_t most = 0;
    for (Index k = rows.row_ptr[b]; k < rows.row_ptr[b + 1]; ++k) most += pattern.row_ptr[rows.col[k] + 1] - pattern.row_ptr[rows.col[k]];
    return most;
  }

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t b, const Add &add) const
  {
    for (Index k = rows.row_ptr[b]; k < rows.row_ptr[b + 1]; ++k)
      for (Index i = pattern.row_ptr[rows.col[k]]; i < pattern.row_ptr[rows.col[k] + 1]; ++i)
        if (const Index other = block[pattern.col[i]]; other != b) add(other);
  }
};

/// The block of each row. Returns the entries of the longest.
template <class Exec, class Index>
std::int64_t find_boxes(const Exec &exec, Index rows, const PatternView<Index> &p, const Boxes &box, Index *block)
{
  return kernels::most_of(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      block[r] = static_cast<Index>(box(r));
      return std::int64_t(p.row_ptr[r + 1] - p.row_ptr[r]);
    });
}

template <class Place, class Scalar, class Index>
std::optional<BlockGraph<Index>> made(const CsrView<Scalar, Index> &a, const Boxes &box, int threads)
{
  const kernels::KokkosMemory<Place>    memory(threads);
  kernels::Room<typename Place::Memory> room;
  const auto                            blocks = static_cast<Index>(box.size());
  std::optional<BlockGraph<Index>>      graph;
  memory.taking([&] {
    const auto pattern = pattern_of_matrix(memory, a);
    memory.run([&](const auto &exec) {
      const auto bring = [&](const Index *from, std::int64_t n, auto &to) {
        to.resize(static_cast<std::size_t>(n));
        memory.copy_to_host(from, to.size(), to.data());
      };
      auto *const block = room.template take<Index>(a.rows);
      if (find_boxes(exec, a.rows, pattern.view(), box, block) > tuning::most_thread_entries) return;
      const auto              rows = kernels::grouped(exec, room, a.rows, blocks, block, kernels::Ascending());
      const BlocksRead<Index> reads{pattern.view(), rows.pattern(), block};
      const auto most  = kernels::room_for<typename Place::Memory, std::decay_t<decltype(exec)>, Index>(exec, room, blocks, reads);
      const auto lists = kernels::distinct(exec, room, blocks, most, reads);
      graph.emplace();
      bring(rows.start, std::int64_t(blocks) + 1, graph->first);
      bring(rows.number, a.rows, graph->row);
      bring(lists.start, std::int64_t(blocks) + 1, graph->start);
      bring(lists.number, lists.size, graph->read);
    });
    memory.wait();
  });
  return graph;
}

} // namespace

template <class Scalar, class Index>
std::optional<BlockGraph<Index>> block_graph_by_kernels(const CsrView<Scalar, Index> &a, const Boxes &block, const Execution &execution)
{
  return kernels::made_at(execution.space, [&]<class Place>(Place) { return made<Place>(a, block, execution.threads); });
}

#define INSTANTIATE(S, I) \
  template std::optional<BlockGraph<I>> block_graph_by_kernels(const CsrView<S, I> &, const Boxes &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::sweeps
