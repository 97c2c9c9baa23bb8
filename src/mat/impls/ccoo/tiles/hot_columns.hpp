#pragma once

/// \file hot_columns.hpp
/// Columns of which x is kept in shared memory, because a large part of the
/// entries of a graph have them.
///
/// Where columns are scattered, a product waits for the second-level cache,
/// which hands out 32 bytes for the 8 of each entry. Of an R-MAT graph of a
/// million vertices, 24,576 columns have two thirds of the entries: as many as
/// fit a multiprocessor's shared memory.

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "impls/ccoo/ccoo_plan.hpp"
#include "kernels/parallel.hpp"

namespace petscspmv::ccoo::image {

class HotColumns {
public:
  /// Looks at the columns of chunks that take 32 bits; up to `most` are hot,
  /// none if that does not pay.
  template <class Scalar, class Index>
  HotColumns(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, std::size_t most, int threads)
  {
    std::int64_t entries = 0;
    for (const ccoo::Chunk &c : plan.chunks) entries += c.columns == Columns::bits32 ? std::int64_t(c.entries) : 0;
    if (sizeof(Scalar) > sizeof(double) || most == 0 || a.cols < tuning::device_least_hot_x || entries < tuning::device_least_hot_entries)
      return;
    choose(count(a, plan, threads), most);
    std::int64_t hits = 0;
    for (const std::uint32_t n : counts_) hits += n;
    if (hits * 100 < entries * tuning::device_hot_percent) list_.clear();
    place_.assign(list_.empty() ? 0 : static_cast<std::size_t>(a.cols), -1);
    for (std::size_t k = 0; k < list_.size(); ++k) place_[static_cast<std::size_t>(list_[k])] = static_cast<Local>(k);
  }

  const std::vector<Local> &list() const { return list_; } ///< ascending
  /// The place of a column in the list, or -1.
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
        if (plan.chunks[i].columns != Columns::bits32) continue;
        const Index *const col = a.col + plan.chunk_begin[i];
        for (std::uint32_t k = 0; k < plan.chunks[i].entries; ++k)
          std::atomic_ref(times[static_cast<std::size_t>(col[k])]).fetch_add(1, std::memory_order_relaxed);
      }
    });
    return times;
  }

  /// The columns that occur most often; of those that occur as often, the
  /// first.
  void choose(const std::vector<std::uint32_t> &times, std::size_t most)
  {
    list_.resize(times.size());
    std::iota(list_.begin(), list_.end(), Local(0));
    const auto before = [&times](Local p, Local q) {
      const std::uint32_t m = times[static_cast<std::size_t>(p)], n = times[static_cast<std::size_t>(q)];
      return m != n ? m > n : p < q;
    };
    if (list_.size() > most) {
      std::nth_element(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(most), list_.end(), before);
      list_.resize(most);
    }
    std::sort(list_.begin(), list_.end());
    for (const Local c : list_) counts_.push_back(times[static_cast<std::size_t>(c)]);
  }

  std::vector<Local>         list_, place_;
  std::vector<std::uint32_t> counts_; // of the columns of the list
};

} // namespace petscspmv::ccoo::image
