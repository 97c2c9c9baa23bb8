#pragma once

/// \file csr_host.hpp
/// A matrix on the host: what it owns besides the arrays it borrows.

#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "impls/csr/csr_kernels.hpp"
#include "kernels/host/scratch_pool.hpp"
#include "kernels/many/csr.hpp"

namespace petscspmv::csr {

/// An array that starts on a cache line and whose entries are not set.
template <class T> class AlignedArray {
public:
  explicit AlignedArray(std::size_t n) : p_(static_cast<T *>(::operator new(n * sizeof(T), line))) { }
  T *get() const { return p_.get(); }

private:
  static constexpr std::align_val_t line{64};
  struct Free {
    void operator()(T *p) const { ::operator delete(p, line); }
  };
  std::unique_ptr<T, Free> p_;
};

/// A layout whose numbers are decided, before anything of the matrix's size is allocated; its views come later.
template <class Scalar, class Index> struct Plan : Layout<Scalar, Index> {
  /// One pass over the row pointer, and some samples of it and of the columns. Throws FormatError if that is not one.
  Plan(Schedule schedule, const CsrView<Scalar, Index> &a, const OptionValues &options);

  std::vector<LongRow<Index>> long_list;

  bool  skips_empty() const { return this->rows < this->all_rows; }
  Index carries() const { return this->order == Order::nodes ? 0 : this->bunches; }

private:
  void plan_parts(const CsrView<Scalar, Index> &a, const OptionValues &options);
  void plan_tickets(const CsrView<Scalar, Index> &a, const OptionValues &options);
};

/// The row pointer without its empty rows.
template <class Index> struct NonEmptyRows {
  std::vector<Index> row;     ///< [non-empty rows] which row each is, ascending
  std::vector<Index> row_ptr; ///< [non-empty rows + 1]
};

/// The memory of one thread's TileBuffer.
template <class Scalar> struct Buffers {
  explicit Buffers(int tile); ///< entries of the largest tile
  kernels::TileBuffer<Scalar> view() const { return {product.get(), sum.get(), end.get() + 1}; }

private:
  AlignedArray<Scalar> product, sum;
  AlignedArray<int>    end;
};

/// What a product writes besides y.
template <class Scalar, class Index> struct Scratch {
  Scratch(const Plan<Scalar, Index> &plan, int threads);

  std::vector<kernels::Carry<Scalar, Index>> carry;
  std::vector<Buffers<Scalar>>               buffers;   ///< of parts, one for each thread
  std::vector<Scalar>                        piece_sum; ///< of long rows
  std::vector<Workspace<Scalar, Index>>      workspace; ///< views of all that
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
  Scratch<Scalar, Index> new_scratch() const { return {plan_, this->threads_}; }

  void multiply_parts(const Scalar *x, const kernels::RowUpdate<Scalar> &update);
  void multiply_tickets(const Scalar *x, const kernels::RowUpdate<Scalar> &update);

  Plan<Scalar, Index>                          plan_;
  Multiply<Scalar, Index>                      kernel_;
  NonEmptyRows<Index>                          non_empty_; ///< empty arrays where all rows are used
  kernels::ScratchPool<Scratch<Scalar, Index>> scratch_;
  std::atomic<std::int64_t>                    dirty_tiles_{0}; ///< of the last product
};

} // namespace petscspmv::csr
