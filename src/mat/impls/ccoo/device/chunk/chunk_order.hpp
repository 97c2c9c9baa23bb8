#pragma once

/// \file chunk_order.hpp
/// Which chunks a multiprocessor takes, and in which order.
///
/// Chunks are dealt to multiprocessors as they come, so that neighbours are on different ones. Where the rows of a
/// chunk have few columns in common but those of many neighbouring chunks have, as in a wide band, or in long rows side
/// by side, this reads x from the second-level cache for nearly each entry. There, each multiprocessor takes
/// consecutive chunks instead, and its own cache has x of those before. Parts of long rows are taken in the order of
/// their columns, as if the matrix were cut in panels. With hot columns, where a multiprocessor takes the next chunk
/// when it is done with one, those that take long must not be the last.

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/chunk/chunk_tuning.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/scattered.hpp"

namespace petscspmv::ccoo::image {

/// Whether neighbouring chunks have columns in common where the rows of each have not: as some looks tell, each at a
/// place of its own.
template <class Scalar, class Index> class NeighbourLooks {
  using Plan = ccoo::Plan<Scalar, Index, DeviceGroup>;

public:
  /// None if `wanted` is false, or if there are few chunks.
  NeighbourLooks(const CsrView<Scalar, Index> &a, const Plan &plan, bool wanted)
    : a_(a), plan_(plan), looks_(wanted && plan.chunks.size() >= tuning::device_least_consecutive ? tuning::device_looks : 0)
  {
  }

  std::int64_t size() const { return std::ssize(looks_); }

  /// Look number k, which may be made while another one is.
  void look(std::int64_t k)
  {
    constexpr std::size_t together = tuning::device_chunks_together;
    constexpr Index       sector   = 32 / sizeof(Scalar); // columns of x that come together
    Look                 &look     = looks_[static_cast<std::size_t>(k)];
    const std::size_t     first    = static_cast<std::size_t>(k) * (plan_.chunks.size() - together) / (looks_.size() - 1);
    std::vector<Index>    all, each;
    for (std::size_t i = first; i < first + together; ++i) {
      kernels::lines_of(a_.col + plan_.chunk_begin[i], plan_.chunks[i].entries, sector, each);
      look.entries += plan_.chunks[i].entries;
      look.each += std::ssize(each);
      all.insert(all.end(), each.begin(), each.end());
    }
    kernels::sort_and_unite(all);
    look.all = std::ssize(all);
  }

  /// When all looks have been made.
  bool suit() const
  {
    Look sum;
    for (const Look &l : looks_) {
      sum.entries += l.entries;
      sum.each += l.each;
      sum.all += l.all;
    }
    return kernels::is_scattered(sum.each, sum.entries, tuning::device_scattered_percent) &&
           sum.all * 100 < sum.each * tuning::device_common_percent;
  }

private:
  struct Look {
    std::int64_t entries = 0, each = 0, all = 0; ///< sectors of the chunks one by one, and together
  };

  const CsrView<Scalar, Index> &a_;
  const Plan                   &plan_;
  std::vector<Look>             looks_;
};

/// The order in which chunks are multiplied: their own, but for those that are parts of long rows, which change places
/// among each other, so that parts with about the same columns follow each other. Empty if there are few of these.
inline std::vector<std::uint32_t> order_by_panels(const std::vector<Chunk> &chunks)
{
  std::vector<std::uint32_t> place;
  for (std::size_t i = 0; i < chunks.size(); ++i)
    if (chunks[i].scattered_lanes && (chunks[i].continues || chunks[i].goes_on)) place.push_back(static_cast<std::uint32_t>(i));
  if (place.size() < tuning::device_least_parts) return {};
  std::vector<std::uint32_t> sorted = place, order(chunks.size());
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t p, std::uint32_t q) { return chunks[p].least < chunks[q].least; });
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t k = 0; k < place.size(); ++k) order[place[k]] = sorted[k];
  return order;
}

/// The order for chunks that warps take when they are done with one: those with many rows, which take longest, first;
/// else their own, so that neighbours are read together.
inline std::vector<std::uint32_t> order_by_rows(const std::vector<Chunk> &chunks)
{
  constexpr std::size_t      together = tuning::device_chunks_in_turn;
  std::vector<std::uint32_t> rows((chunks.size() + together - 1) / together), group(rows.size()), order;
  for (std::size_t i = 0; i < chunks.size(); ++i) rows[i / together] += chunks[i].segments;
  std::iota(group.begin(), group.end(), 0U);
  std::stable_sort(group.begin(), group.end(),
                   [&rows](std::uint32_t g, std::uint32_t h) { return std::bit_width(rows[g]) > std::bit_width(rows[h]); });
  for (const std::size_t g : group)
    for (std::size_t i = g * together; i < std::min((g + 1) * together, chunks.size()); ++i) order.push_back(static_cast<std::uint32_t>(i));
  return order;
}

} // namespace petscspmv::ccoo::image
