#pragma once

/// \file analysis.hpp
/// What is found out of a pattern before sweeps or factors are made.
///
/// Where they are to work on the host, threads of the host find it. For a device, its kernels do, from the arrays that
/// are there (kernel_*.hpp); but the host finds what rows have that are too long for a thread of a device, and fill for
/// which there is no room.

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/execution.hpp"
#include "core/known_pattern.hpp"
#include "impls/sweeps/analysis_arrays.hpp"
#include "impls/sweeps/making.hpp"

namespace petscspmv {

/// An order that something was made in, known again by a sum over its rows: a copy takes as long as to find it.
template <class Index> class KnownOrder {
public:
  /// `order`: null if it is the rows' own.
  KnownOrder(const BlockOrder<Index> *order, int threads) : sum_(sum_of(order, threads)), threads_(threads)
  {
    if (order) block_ = order->block, colour_ = order->colour;
  }

  bool is(const BlockOrder<Index> *order) const
  {
    return sum_ == sum_of(order, threads_) && (!order || (order->block == block_ && order->colour == colour_));
  }

  std::size_t bytes() const { return petscspmv::bytes_taken(block_) + petscspmv::bytes_taken(colour_); }

private:
  static std::uint64_t sum_of(const BlockOrder<Index> *order, int threads)
  {
    return order ? sum_of_numbers(order->row.data(), std::ssize(order->row), threads) : 0;
  }

  std::uint64_t      sum_;
  std::vector<Index> block_, colour_; ///< as in BlockOrder
  int                threads_;
};

template <class Scalar, class Index> struct Analysis {
  template <class Memory> using Arrays = kernels::Resident<sweeps::AnalysisArrays<Index, Memory>>;

  KnownPattern<Scalar, Index>           matrix;
  KnownOrder<Index>                     order;
  MemorySpace                           space;
  std::int64_t                          most_levels;    ///< with more, PETSc's is faster
  std::int64_t                          levels    = 0;  ///< of both triangles; perhaps of one if that is too many
  Arrays<kernels::KokkosHost::Memory>   on_host   = {}; ///< in one of these memories; null: nothing is to be made
  Arrays<kernels::KokkosDevice::Memory> on_device = {};

  template <class Memory> const Arrays<Memory> &at() const
  {
    if constexpr (std::is_same_v<Memory, kernels::KokkosHost::Memory>) return on_host;
    else return on_device;
  }
  template <class Memory> Arrays<Memory> &at() { return const_cast<Arrays<Memory> &>(std::as_const(*this).template at<Memory>()); }

  /// Why nothing is made; empty: something is.
  std::string why_not(Making when) const;
};

/// Of the pattern of `a` in this order: what is kept, if it is that, or a new one, which is kept then. With
/// Kernels::kokkos, the host does what a device does.
template <class Scalar, class Index>
KeptAnalysis<Scalar, Index> analysed(const CsrView<Scalar, Index> &a, const BlockOrder<Index> *order, const Execution &execution,
                                     Making when, KeptAnalysis<Scalar, Index> *kept);

} // namespace petscspmv
