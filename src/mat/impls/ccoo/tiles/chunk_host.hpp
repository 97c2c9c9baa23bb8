#pragma once

/// \file chunk_host.hpp
/// Products of chunks on a processor core.
///
/// A segment of some length is a dot product: entries of one row, eight at a time. Of chunks with short ones, eight
/// consecutive entries are multiplied at a time, whatever rows they belong to, and then a plain loop sums each segment.
/// Every value and column is read once.

#include <type_traits>

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/tiles/chunk.hpp"
#include "kernels/lanes/prefetch.hpp"

namespace petscspmv::ccoo {

template <class L, class Values, class Column> class ChunkProduct {
  using Scalar                      = typename L::Scalar;
  using Vec                         = typename L::Vec;
  static constexpr bool consecutive = std::is_void_v<Column>;

public:
  ChunkProduct(const Layout<Scalar> &m, const Chunk &chunk, const Values &values, const Task<Scalar> &task)
    : c_(chunk), view_(chunk, m.structure, m.column), values_(values), x_(task.x + chunk.least), update_(task.update),
      far_(kernels::x_is_far<Scalar>(m.cols))
  {
  }

  kernels::Carry<Scalar, Local> run()
  {
    if (c_.segments > 1) return rows();
    const Scalar sum = dot(0, c_.entries);
    if (!c_.continues && c_.ends) update_(c_.row, sum);
    return carry(sum, sum);
  }

private:
  using Carry = kernels::Carry<Scalar, Local>;

  /// The sum of products begin .. end - 1: four chains of additions.
  [[gnu::always_inline]] Scalar dot(std::int64_t begin, std::int64_t end) const
  {
    if constexpr (Values::coding == kernels::plain_coding && !consecutive) { // as in plain CSR
      const auto *column = reinterpret_cast<const Column *>(view_.columns) + begin;
      const auto *value  = reinterpret_cast<const Scalar *>(values_.bytes) + begin;
      if constexpr (sizeof(Column) == 4)
        if (c_.scattered) {
          const std::int64_t n = end - begin, slack = c_.entries - begin;
          return far_ ? L::RowLanes::template gather_dot<true>(column, value, x_, n, slack)
                      : L::RowLanes::template gather_dot<false>(column, value, x_, n, slack);
        }
      return L::RowLanes::template dot<true>(column, value, x_, end - begin, c_.entries - begin);
    }
    constexpr std::int64_t ways = 4, lanes = group_rows;
    Vec                    sum[ways];
    for (Vec &s : sum) s = L::zero();
    std::int64_t q = begin;
    while (q + ways * lanes <= end) {
#pragma GCC unroll 4
      for (Vec &s : sum) {
        prefetch(q);
        s = L::mul_add(L::values(values_, q), gather(q), s);
        q += lanes;
      }
    }
#pragma GCC unroll 4
    for (Vec &s : sum) {
      if (q >= end) break;
      prefetch(q);
      s = L::mul_add(L::values(values_, q), gather(q), s, kernels::first_lanes(static_cast<int>(end - q < lanes ? end - q : lanes)));
      q += lanes;
    }
    return L::sum(L::add(L::add(sum[0], sum[1]), L::add(sum[2], sum[3])));
  }

  Carry rows() const
  {
    if (c_.entries >= c_.segments * tuning::dot_mean)
      return each_row([this](std::uint32_t begin, std::uint32_t end) { return dot(begin, end); });
    alignas(64) std::byte bytes[(tuning::most_chunk_entries + group_rows) * sizeof(Scalar)];
    auto *const           product = reinterpret_cast<Scalar *>(bytes);
    multiply(product);
    return each_row([product](std::uint32_t begin, std::uint32_t end) {
      Scalar sum = 0;
      for (std::uint32_t i = begin; i < end; ++i) sum += product[i];
      return sum;
    });
  }

  /// Every segment by sum_of(begin, end).
  template <class SumOf> [[gnu::always_inline]] Carry each_row(const SumOf &sum_of) const
  {
    std::uint32_t       k = 0, ended = 0;
    const std::uint32_t whole    = c_.segments - !c_.ends; // one behind the last segment that is a row, or the end of one
    const auto          next_sum = [&]() __attribute__((always_inline))
    {
      const std::uint32_t begin = ended;
      ended                     = view_.end[k++];
      return sum_of(begin, ended);
    };
    const Scalar head = c_.continues ? next_sum() : Scalar(0);
    if (!view_.gap && update_.only_stores()) {
      Scalar *const y = update_.y() + c_.row;
      while (k < whole) { // NOLINT(bugprone-infinite-loop): next_sum() counts
        const std::uint32_t row = k;
        y[row]                  = next_sum();
      }
    } else {
      for (Local next = c_.row + Local(k); k < c_.segments;) { // the first row that has not been written
        const Local row = view_.row(c_, k);
        update_.empty(next, row);
        next = row + 1;
        if (k == whole) break;
        update_(row, next_sum());
      }
    }
    return carry(head, c_.ends ? Scalar(0) : next_sum());
  }

  void multiply(Scalar *product) const
  {
    const std::int64_t n = c_.entries;
    std::int64_t       q = 0;
    for (; q + group_rows <= n; q += group_rows) {
      prefetch(q);
      L::store(product + q, L::mul_add(L::values(values_, q), gather(q), L::zero()));
    }
    if (q < n)
      L::store(product + q, L::mul_add(L::values(values_, q), gather(q), L::zero(), kernels::first_lanes(static_cast<int>(n - q))));
  }

  [[gnu::always_inline]] Vec gather(std::int64_t q) const
  {
    if constexpr (consecutive) // x may end there
      return c_.entries - q >= group_rows ? L::load(x_ + q) : L::load(x_ + q, kernels::first_lanes(static_cast<int>(c_.entries - q)));
    else return L::gather(x_, reinterpret_cast<const Column *>(view_.columns) + q);
  }
  [[gnu::always_inline]] void prefetch(std::int64_t q) const
  {
    values_.prefetch(q);
    if constexpr (!consecutive)
      __builtin_prefetch(view_.columns + q * static_cast<std::int64_t>(sizeof(Column)) + tuning::column_ahead_bytes);
  }

  Carry carry(Scalar head, Scalar tail) const
  {
    const bool only_head = c_.continues && c_.segments == 1;
    return {head, tail, c_.row, c_.continues, c_.segments > 1 || c_.ends, !c_.ends && !only_head};
  }

  const Chunk                     &c_;
  const ChunkView                  view_;
  const Values                     values_;
  const Scalar                    *x_;
  const kernels::RowUpdate<Scalar> update_;
  const bool                       far_;
};

} // namespace petscspmv::ccoo
