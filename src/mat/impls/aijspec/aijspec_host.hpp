#pragma once

/// \file aijspec_host.hpp
/// A matrix on the host: what it owns besides the arrays it borrows.

#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "impls/aijspec/aijspec.hpp"
#include "impls/aijspec/aijspec_kernels.hpp"
#include "kernels/host/scratch_pool.hpp"
#include "kernels/many/csr.hpp"

namespace petscspmv::aijspec {

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

/// What is decided before anything is allocated.
template <class Scalar, class Index> struct Plan {
  /// One pass over the row pointer, and some samples of it and of the columns. Throws FormatError if that is not one.
  Plan(const CsrView<Scalar, Index> &a, const OptionValues &options);

  Order        order;
  bool         skip_empty; ///< keep a list of the rows that are not empty
  Index        non_empty;  ///< rows that are not empty
  int          tile;       ///< entries of a tile
  std::int64_t bunch;      ///< entries of a bunch
  Index        bunches;

  Index carries() const { return order == Order::nodes ? 0 : bunches; }
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
  Scratch(Index carries, int parts, int tile);

  std::vector<kernels::Carry<Scalar, Index>> carry;
  std::vector<Buffers<Scalar>>               buffers;   ///< one for each part
  std::vector<Workspace<Scalar, Index>>      workspace; ///< views of all that
};

template <class Scalar, class Index> class HostMatrix final : public kernels::BorrowingFormat<Scalar, Index> {
  using Base = kernels::BorrowingFormat<Scalar, Index>;
  using View = CsrView<Scalar, Index>;

public:
  HostMatrix(const View &a, const OptionValues &options, const Execution &execution);

  void      refresh(const View &a) override;
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  Footprint footprint() const override;
  Facts     facts() const override;

private:
  Scratch<Scalar, Index> new_scratch() const { return {plan_.carries(), this->threads_, largest_tile_}; }

  Plan<Scalar, Index>                          plan_;
  Multiply<Scalar, Index>                      kernel_;
  Layout<Scalar, Index>                        layout_{};
  NonEmptyRows<Index>                          non_empty_;    ///< empty arrays where all rows are used
  int                                          largest_tile_; ///< entries
  kernels::ScratchPool<Scratch<Scalar, Index>> scratch_;
  std::atomic<std::int64_t>                    dirty_tiles_{0}; ///< of the last product
};

} // namespace petscspmv::aijspec
