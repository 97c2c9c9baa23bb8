#pragma once

/// \file chunk_host.hpp
/// Products of chunks on a processor core.
///
/// A chunk inside one row is a dot product. Of others, eight consecutive entries are multiplied at a time, whatever rows they belong to, and
/// then a plain loop sums each segment.

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/tiles/chunk.hpp"

namespace petscspmv::ccoo {

template <class L, Coding c, class Column> class ChunkProduct {
  using Scalar                      = typename L::Scalar;
  using Vec                         = typename L::Vec;
  static constexpr bool consecutive = std::is_void_v<Column>;

public:
  ChunkProduct(const Layout<Scalar> &m, const Chunk &chunk, kernels::CodedValues<c, Scalar> values, const Task<Scalar> &task)
    : c_(chunk), view_(chunk, m.structure), values_(values), x_(task.x + chunk.least), update_(task.update)
  {
  }

  kernels::Carry<Scalar, Local> run()
  {
    if (c_.segments > 1) return rows();
    const Scalar sum = dot();
    if (!c_.continues && c_.ends) update_(c_.row, sum);
    return carry(sum, sum);
  }

private:
  using Carry = kernels::Carry<Scalar, Local>;

  /// The sum of all products.
  Scalar dot() const
  {
    constexpr int ways = 4;
    Vec           sum[ways];
    for (Vec &s : sum) s = L::zero();
    const std::int64_t n = c_.entries;
    std::int64_t       q = 0;
    for (; q + ways * group_rows <= n; q += ways * group_rows)
#pragma GCC unroll 4
      for (int i = 0; i < ways; ++i) {
        values_.prefetch(q + i * group_rows);
        sum[i] = L::mul_add(L::values(values_, q + i * group_rows), gather(q + i * group_rows), sum[i]);
      }
    for (int i = 0; q < n; q += group_rows, ++i) {
      const int live = n - q < group_rows ? static_cast<int>(n - q) : group_rows;
      sum[i]         = L::mul_add(L::values(values_, q, live), gather(q, live), sum[i], kernels::first_lanes(live));
    }
    return L::sum(L::add(L::add(sum[0], sum[1]), L::add(sum[2], sum[3])));
  }

  Carry rows() const
  {
    alignas(64) std::byte bytes[(tuning::most_chunk_entries + group_rows) * sizeof(Scalar)];
    Scalar *const         product = reinterpret_cast<Scalar *>(bytes);
    multiply(product);
    Scalar        head = 0, tail = 0;
    Local         next = c_.row; // the first row that has not been written
    std::uint32_t i    = 0;
    for (std::uint32_t k = 0; k < c_.segments; ++k) {
      const Local         row  = view_.row(c_, k);
      const std::uint32_t stop = view_.stop(c_, k);
      Scalar              sum  = 0;
      for (; i < stop; ++i) sum += product[i];
      update_.empty(next, row);
      next = row + 1;
      if (k == 0 && c_.continues) head = sum;
      else if (k + 1 == c_.segments && !c_.ends) tail = sum;
      else update_(row, sum);
    }
    return carry(head, tail);
  }

  void multiply(Scalar *product) const
  {
    const std::int64_t n = c_.entries;
    for (std::int64_t q = 0; q < n; q += group_rows) {
      values_.prefetch(q);
      if (n - q >= group_rows) L::store(product + q, L::mul_add(L::values(values_, q), gather(q), L::zero()));
      else {
        const int live = static_cast<int>(n - q);
        L::store(product + q, L::mul_add(L::values(values_, q, live), gather(q, live), L::zero()));
      }
    }
  }

  [[gnu::always_inline]] Vec gather(std::int64_t q) const
  {
    if constexpr (consecutive) return L::load(x_ + q);
    else return L::gather(x_, reinterpret_cast<const Column *>(view_.columns) + q);
  }
  [[gnu::always_inline]] Vec gather(std::int64_t q, int live) const
  {
    if constexpr (consecutive) return L::load(x_ + q, kernels::first_lanes(live));
    else return L::gather(x_, reinterpret_cast<const Column *>(view_.columns) + q, live);
  }

  Carry carry(Scalar head, Scalar tail) const
  {
    const bool only_head = c_.continues && c_.segments == 1;
    return {head, tail, c_.row, c_.continues, c_.segments > 1 || c_.ends, !c_.ends && !only_head};
  }

  const Chunk                          &c_;
  const ChunkView                       view_;
  const kernels::CodedValues<c, Scalar> values_;
  const Scalar                         *x_;
  const kernels::RowUpdate<Scalar>      update_;
};

} // namespace petscspmv::ccoo
