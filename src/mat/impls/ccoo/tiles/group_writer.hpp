#pragma once

/// \file group_writer.hpp
/// The way of eight sums into y.

#include "impls/ccoo/ccoo_layout.hpp"
#include "kernels/row_update.hpp"

namespace petscspmv::ccoo {

template <class L> class GroupWriter {
  using Scalar = typename L::Scalar;
  using Vec    = typename L::Vec;

public:
  /// `streams`: y shall go to memory past the caches, if its part that begins with `row` lies so that it can.
  GroupWriter(const kernels::RowUpdate<Scalar> &update, bool streams, Local row)
    : update_(update), stores_(update.only_stores()),
      streams_(streams && stores_ && reinterpret_cast<std::uintptr_t>(update.y() + row) % L::stream_alignment == 0)
  {
  }

  /// Rows row .. row + 7.
  [[gnu::always_inline]] void operator()(Local row, Vec sum) const
  {
    if (streams_) return L::stream(update_.y() + row, sum);
    if (stores_) return L::store(update_.y() + row, sum);
    through_memory(row, sum, group_rows);
  }

  /// Rows row .. row + n - 1.
  [[gnu::always_inline]] void operator()(Local row, Vec sum, int n) const
  {
    if (stores_) return L::store(update_.y() + row, sum, kernels::first_lanes(n));
    through_memory(row, sum, n);
  }

  /// Rows row + order[l] step for the first n lanes l; without an order rows row + l step.
  [[gnu::always_inline]] void scatter(Local row, Vec sum, int n, const std::uint16_t *order, int step) const
  {
    Buffer buffer;
    L::store(buffer.scalars(), sum);
    if (stores_ && order) store(update_.y() + row, buffer.scalars(), n, order, step);
    else through_memory(row, buffer.scalars(), n, order, step);
  }

  /// A row without entries.
  [[gnu::always_inline]] void empty(Local row) const
  {
    if (stores_) update_.y()[row] = Scalar(0);
    else update_.empty(row, row + 1);
  }

private:
  struct Buffer { // not set to zero, as an array of complex numbers would be
    alignas(64) std::byte bytes[group_rows * sizeof(Scalar)];
    Scalar *scalars() { return reinterpret_cast<Scalar *>(bytes); }
  };

  [[gnu::always_inline]] static void store(Scalar *y, const Scalar *sum, int n, const std::uint16_t *order, int step)
  {
#pragma GCC unroll 1
    for (int l = 0; l < n; ++l) y[order[l] * step] = sum[l];
  }

  [[gnu::noinline]] void through_memory(Local row, const Scalar *sum, int n, const std::uint16_t *order, int step) const
  {
#pragma GCC unroll 1
    for (int l = 0; l < n; ++l) update_(static_cast<Local>(row + (order ? order[l] : l) * step), sum[l]);
  }

  [[gnu::noinline]] void through_memory(Local row, Vec sum, int n) const
  {
    Buffer buffer;
    L::store(buffer.scalars(), sum);
    update_(row, buffer.scalars(), static_cast<Local>(n));
  }

  kernels::RowUpdate<Scalar> update_;
  bool                       stores_, streams_;
};

} // namespace petscspmv::ccoo
