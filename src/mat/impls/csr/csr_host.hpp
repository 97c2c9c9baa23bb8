#pragma once

/// \file csr_host.hpp
/// A matrix on the host: what it owns besides the arrays it borrows.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "impls/csr/csr_kernels.hpp"
#include "kernels/many/csr.hpp"

namespace petscspmv::csr {

/// A layout whose numbers are decided, before anything of the matrix's size is allocated; its views come later.
template <class Scalar, class Index> struct Plan : Layout<Scalar, Index> {
  /// One pass over the row pointer, and some samples of it and of the columns. Throws FormatError if that is not one.
  Plan(Schedule schedule, const CsrView<Scalar, Index> &a, const OptionValues &options);

  std::vector<LongRow<Index>> long_list;

  bool  skips_empty() const { return this->rows < this->all_rows; }
  Index carries() const { return this->order == Order::nodes ? 0 : this->bunches; }
  bool  has_tiles() const
  {
    const Order o = this->order;
    return this->schedule == Schedule::parts && (o == Order::tiles || o == Order::tiles_ahead || o == Order::tiles_x);
  }

private:
  void plan_parts(const CsrView<Scalar, Index> &a, const OptionValues &options);
  void plan_tickets(const CsrView<Scalar, Index> &a, const OptionValues &options);
};

/// The row pointer without its empty rows.
template <class Index> struct NonEmptyRows {
  std::vector<Index> row;     ///< [non-empty rows] which row each is, ascending
  std::vector<Index> row_ptr; ///< [non-empty rows + 1]
};

/// Where what a product writes besides y is in its scratch memory. Of parts: the carries, and behind them for each thread
/// a TileBuffer, where there are tiles. Of tickets: the sums of pieces of long rows.
template <class Scalar, class Index> class ScratchLayout {
  using Buffer = kernels::TileBuffer<Scalar>;
  using Carry  = kernels::Carry<Scalar, Index>;

public:
  ScratchLayout() = default;
  explicit ScratchLayout(const Plan<Scalar, Index> &plan)
    : carries_(kernels::whole_lines(static_cast<std::size_t>(plan.carries()) * sizeof(Carry))),
      sums_(plan.has_tiles() ? kernels::whole_lines(room(plan) * sizeof(Scalar)) : 0),
      ends_(plan.has_tiles() ? kernels::whole_lines((1 + room(plan)) * sizeof(int)) : 0),
      pieces_(static_cast<std::size_t>(plan.pieces) * sizeof(Scalar))
  {
  }

  std::size_t bytes(int threads) const { return pieces_ + carries_ + static_cast<std::size_t>(threads) * buffer(); }

  Carry                   *carry(std::byte *scratch) const { return reinterpret_cast<Carry *>(scratch); }
  Workspace<Scalar, Index> workspace(std::byte *scratch, int thread) const
  {
    if (buffer() == 0) return {{}, carry(scratch), reinterpret_cast<Scalar *>(scratch)};
    std::byte *const at   = scratch + carries_ + static_cast<std::size_t>(thread) * buffer();
    int *const       ends = reinterpret_cast<int *>(at + products + sums_);
    *ends                 = 0;
    return {{reinterpret_cast<Scalar *>(at), reinterpret_cast<Scalar *>(at + products), ends + 1}, carry(scratch), nullptr};
  }

private:
  static constexpr std::size_t products = kernels::whole_lines((Buffer::ring + Buffer::mirror) * sizeof(Scalar));
  static std::size_t           room(const Plan<Scalar, Index> &plan)
  {
    return static_cast<std::size_t>(std::min<std::int64_t>(plan.tile, plan.nonzeros)) + 1 + Buffer::pad;
  }

  std::size_t buffer() const { return sums_ > 0 ? products + sums_ + ends_ : 0; } ///< bytes of one

  std::size_t carries_ = 0, sums_ = 0, ends_ = 0, pieces_ = 0;
};

template <class Scalar, class Index> class HostMatrix final : public kernels::BorrowingFormat<Scalar, Index> {
  using Base = kernels::BorrowingFormat<Scalar, Index>;
  using View = CsrView<Scalar, Index>;

public:
  HostMatrix(Schedule schedule, const View &a, const OptionValues &options, const Execution &execution);

  void      refresh(const View &a) override;
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  Footprint footprint() const override;
  Facts     facts() const override;

private:
  void multiply_parts(const Scalar *x, const kernels::RowUpdate<Scalar> &update);
  void multiply_tickets(const Scalar *x, const kernels::RowUpdate<Scalar> &update);

  Plan<Scalar, Index>          plan_;
  Multiply<Scalar, Index>      kernel_;
  NonEmptyRows<Index>          non_empty_; ///< empty arrays where all rows are used
  ScratchLayout<Scalar, Index> scratch_layout_;
  std::atomic<std::int64_t>    dirty_tiles_{0}; ///< of the last product
};

} // namespace petscspmv::csr
