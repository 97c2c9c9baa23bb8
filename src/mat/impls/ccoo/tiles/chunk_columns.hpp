#pragma once

/// \file chunk_columns.hpp
/// Products of chunks with several vectors.
///
/// Lane = vector; a segment is summed entry by entry.

#include <cstddef>

#include "impls/ccoo/ccoo_columns_kernels.hpp"
#include "impls/ccoo/tiles/chunk.hpp"

namespace petscspmv::ccoo {

template <class L> class ChunkColumns {
  using Scalar = typename L::Scalar;
  using Vec    = typename L::Vec;

public:
  /// Chunk number i.
  ChunkColumns(const Layout<Scalar> &m, std::size_t i, const ColumnsTask<Scalar> &task)
    : c_(m.chunk[i]), view_(c_, m.structure, m.column), packed_(task.packed), update_(task.update), carry_(task.carry + c_.number),
      chunks_(m.chunks)
  {
    for (int v = 0; v < update_.columns; ++v) {
      const bool only_head = c_.continues && c_.segments == 1;
      carry(v)             = {0, 0, c_.row, c_.continues, c_.segments > 1 || c_.ends, !c_.ends && !only_head};
    }
  }

  template <class Values> void run(const Values &values)
  {
    with_columns(c_, view_.columns, [&](const auto &column) {
      std::uint32_t begin = 0;
      Local         next  = c_.row; // the first row that has not been written
      for (std::uint32_t k = 0; k < c_.segments; ++k) {
        const Local           row = view_.row(c_, k);
        const std::uint32_t   end = view_.stop(c_, k);
        alignas(64) std::byte bytes[pass_columns * sizeof(Scalar)];
        Scalar *const         sum = reinterpret_cast<Scalar *>(bytes);
        L::store(sum, dot(values, column, begin, end));
        if (next < row) update_.empty(next, row);
        finish(k, row, sum);
        next  = row + 1;
        begin = end;
      }
    });
  }

private:
  /// The sums of products begin .. end - 1: four chains of additions.
  template <class Values, class ColumnOf>
  [[gnu::always_inline]] Vec dot(const Values &values, const ColumnOf &column, std::uint32_t begin, std::uint32_t end) const
  {
    constexpr int ways = 4;
    Vec           sum[ways];
    for (Vec &s : sum) s = L::zero();
    const auto add = [&](std::uint32_t q, Vec s) __attribute__((always_inline))
    {
      return L::mul_add(L::set(values[q]), L::load(packed_ + std::int64_t(column(q)) * pass_columns), s);
    };
    std::uint32_t q = begin;
    for (; q + ways <= end; q += ways) {
      values.prefetch(q);
#pragma GCC unroll 4
      for (int i = 0; i < ways; ++i) sum[i] = add(q + static_cast<std::uint32_t>(i), sum[i]);
    }
    for (; q < end; ++q) sum[0] = add(q, sum[0]);
    return L::add(L::add(sum[0], sum[1]), L::add(sum[2], sum[3]));
  }

  /// What becomes of the sums of segment k: a row of its own, or a part of one that is cut.
  void finish(std::uint32_t k, Local row, const Scalar *sum)
  {
    if (k == 0 && c_.continues)
      for (int v = 0; v < update_.columns; ++v) carry(v).head = sum[v];
    else if (k + 1 == c_.segments && !c_.ends)
      for (int v = 0; v < update_.columns; ++v) carry(v).tail = sum[v];
    else update_(row, sum, 1);
  }

  kernels::Carry<Scalar, Local> &carry(int vector) const
  {
    return carry_[static_cast<std::size_t>(vector) * chunks_];
  }

  const Chunk                         &c_;
  const ChunkView                      view_;
  const Scalar                        *packed_;
  const kernels::ColumnsUpdate<Scalar> update_;
  kernels::Carry<Scalar, Local>       *carry_;
  std::size_t                          chunks_;
};

} // namespace petscspmv::ccoo
