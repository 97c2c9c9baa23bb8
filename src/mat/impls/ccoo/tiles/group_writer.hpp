#pragma once

/// \file group_writer.hpp
/// The way of eight sums into y.

#include <cstdint>
#include <cstring>

#include "impls/ccoo/ccoo_layout.hpp"
#include "kernels/rows/update.hpp"

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

  /// Rows row + order[i] step .. row + order[i] step + step - 1 have no entries, for i from 0 to n - 1; without an
  /// order rows row + i step ...
  [[gnu::noinline]] void empty(Local row, int n, const std::uint16_t *order, int step) const
  {
    if (stores_ && order && step == 1) return clear(update_.y() + row, n, order);
    for (int i = 0; i < n; ++i) {
      const Local first = row + (order ? order[i] : i) * step;
      update_.empty(first, first + step);
    }
  }

private:
  struct Buffer { // not set to zero, as an array of complex numbers would be
    alignas(64) std::byte bytes[group_rows * sizeof(Scalar)];
    Scalar *scalars() { return reinterpret_cast<Scalar *>(bytes); }
  };

  [[gnu::always_inline]] static void store(Scalar *y, const Scalar *sum, int n, const std::uint16_t *order, int step)
  {
    each_place(order, n, [&](int l, std::uint64_t place) { y[place * static_cast<std::uint64_t>(step)] = sum[l]; });
  }

  static void clear(Scalar *y, int n, const std::uint16_t *order)
  {
    each_place(order, n, [&](int, std::uint64_t place) { y[place] = Scalar(0); });
  }

  /// Calls visit(i, order[i]) for i from 0 to n - 1; four places are one load. The compiler shall not make scatter
  /// instructions of it: AMD Zen 4, ns an entry with them and without, NotreDame_www, where more than half of the rows
  /// are empty, 1.13 and 0.64; power 0.70 and 0.43; cage10 0.32 and 0.29.
  template <class Visit> [[gnu::always_inline]] static void each_place(const std::uint16_t *order, int n, const Visit &visit)
  {
    int i = 0;
    for (; i + 4 <= n; i += 4) {
      std::uint64_t four;
      std::memcpy(&four, order + i, sizeof four);
      visit(i, four & 0xffff);
      visit(i + 1, four >> 16 & 0xffff);
      visit(i + 2, four >> 32 & 0xffff);
      visit(i + 3, four >> 48);
    }
    for (; i < n; ++i) {
      visit(i, order[i]);
      asm volatile("" ::: "memory");
    }
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
