#pragma once

/// \file hot_columns.hpp
/// Columns of which x is kept in shared memory, because a large part of the
/// entries of a graph have them.
///
/// Where columns are scattered, a product waits for the second-level cache,
/// which hands out 32 bytes for the 8 of each entry. Of an R-MAT graph of a
/// million vertices, 22,528 columns have nearly two thirds of the entries: as
/// many as a multiprocessor's shared memory has room for, beside some sums.

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/chunk/chunk_tuning.hpp"
#include "kernels/host/parallel.hpp"

namespace petscspmv::ccoo::image {

/// Whether columns of a chunk may be hot, which takes 32 bits each: also within
/// one row, where no two entries have the same x. Of R-MAT 20, 2105 chunks
/// are, with 1.1 M entries; their x was 0.9 M sectors, and is 0.4 M.
inline bool may_be_hot(const ccoo::Chunk &c)
{
  return c.columns == Columns::bits32 || (c.columns == Columns::bits16 && c.segments == 1);
}

class HotColumns {
public:
  /// Looks at the columns of chunks that may be hot, or lets `maker` look at
  /// them; up to `most` are hot, none if that does not pay.
  template <class Scalar, class Index>
  HotColumns(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, std::size_t most, int threads,
             const Maker *maker = nullptr)
  {
    std::int64_t entries = 0;
    for (const ccoo::Chunk &c : plan.chunks) entries += may_be_hot(c) ? std::int64_t(c.entries) : 0;
    if (sizeof(Scalar) > sizeof(double) || most == 0 || a.cols < tuning::device_least_hot_x || entries < tuning::device_least_hot_entries)
      return;
    std::int64_t               hits = 0;
    std::vector<std::uint64_t> marks(static_cast<std::size_t>(a.cols) / 64 + 1); // puts them in their order sooner than sorting does
    for (const ColumnCount &c :
         maker ? maker->most_frequent(chunks_to_look_at(plan), most) : most_frequent(count(a, plan, threads), most)) {
      marks[static_cast<std::size_t>(c.column) / 64] |= std::uint64_t(1) << c.column % 64;
      hits += c.entries;
    }
    for (std::size_t k = 0; k < marks.size(); ++k)
      for (std::uint64_t m = marks[k]; m != 0; m &= m - 1) list_.push_back(static_cast<Local>(64 * k) + std::countr_zero(m));
    if (hits * 100 < entries * tuning::device_hot_percent) list_.clear();
    if (maker) return; // which knows places, too
    place_.assign(list_.empty() ? 0 : static_cast<std::size_t>(a.cols), -1);
    for (std::size_t k = 0; k < list_.size(); ++k) place_[static_cast<std::size_t>(list_[k])] = static_cast<Local>(k);
  }

  const std::vector<Local> &list() const { return list_; } ///< ascending
  /// The place of a column in the list, or -1. Without a maker.
  Local place(Local column) const { return place_.empty() ? -1 : place_[static_cast<std::size_t>(column)]; }

private:
  /// Entries of each column.
  template <class Scalar, class Index>
  static std::vector<std::uint32_t> count(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, int threads)
  {
    constexpr std::int64_t     batch = 64;
    std::vector<std::uint32_t> times(static_cast<std::size_t>(a.cols));
    kernels::try_each_batch(threads, std::ssize(plan.chunks), batch, [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        if (!may_be_hot(plan.chunks[i])) continue;
        const Index *const col = a.col + plan.chunk_begin[i];
        for (std::uint32_t k = 0; k < plan.chunks[i].entries; ++k)
          std::atomic_ref(times[static_cast<std::size_t>(col[k])]).fetch_add(1, std::memory_order_relaxed);
      }
    });
    return times;
  }

  /// The columns that occur most often; of those that occur as often, the
  /// first.
  static std::vector<ColumnCount> most_frequent(const std::vector<std::uint32_t> &times, std::size_t most)
  {
    std::vector<ColumnCount> columns;
    for (std::size_t c = 0; c < times.size(); ++c) columns.push_back({static_cast<Local>(c), times[c]});
    const auto before = [](const ColumnCount &p, const ColumnCount &q) {
      return p.entries != q.entries ? p.entries > q.entries : p.column < q.column;
    };
    if (columns.size() > most) {
      std::nth_element(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(most), columns.end(), before);
      columns.resize(most);
    }
    return columns;
  }

  template <class Scalar, class Index> static std::vector<ChunkOrigin> chunks_to_look_at(const Plan<Scalar, Index, DeviceGroup> &plan)
  {
    std::vector<ChunkOrigin> chunks;
    for (std::size_t i = 0; i < plan.chunks.size(); ++i)
      if (may_be_hot(plan.chunks[i])) chunks.push_back({static_cast<std::int64_t>(plan.chunk_begin[i]), plan.chunks[i].entries, 0});
    return chunks;
  }

  std::vector<Local> list_, place_;
};

} // namespace petscspmv::ccoo::image
