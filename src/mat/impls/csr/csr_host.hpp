#pragma once

/// \file csr_host.hpp
/// A matrix on the host: what it owns besides the arrays it borrows.

#include <atomic>
#include <cstddef>
#include <vector>

#include "core/format.hpp"
#include "impls/csr/csr_kernels.hpp"
#include "kernels/host/scratch.hpp"

namespace petscspmv::csr {

/// A layout whose numbers are decided, before anything of the matrix's size is allocated; its views come later.
template <class Scalar, class Index> struct Plan : Layout<Scalar, Index> {
  /// One pass over the row pointer, and some samples of it and of the columns. Throws FormatError if that is not one.
  Plan(Schedule how, const CsrView<Scalar, Index> &a, const OptionValues &options);

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

template <class Scalar, class Index> class HostMatrix final : public Format<Scalar, Index> {
  using View  = CsrView<Scalar, Index>;
  using Carry = kernels::Carry<Scalar, Index>;

public:
  HostMatrix(Schedule schedule, const View &a, const OptionValues &options, const Execution &execution);

  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  void      multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                          int columns) override;
  Footprint footprint() const override;
  Facts     facts() const override;

private:
  void        take_values(const View &a) override;
  void        multiply_parts(const Scalar *x, const kernels::RowUpdate<Scalar> &update);
  void        multiply_tickets(const Scalar *x, const kernels::RowUpdate<Scalar> &update);
  std::size_t scratch_bytes() const ///< of a product with one vector: carries, or the sums of pieces of long rows
  {
    return static_cast<std::size_t>(plan_.carries()) * sizeof(Carry) + static_cast<std::size_t>(plan_.pieces) * sizeof(Scalar);
  }
  void multiply_pass(bool transposes, const Scalar *x, std::int64_t ldx, const kernels::ColumnsUpdate<Scalar> &update);

  View                      view_;
  kernels::Isa              isa_;
  Kernels<Scalar, Index>    kernels_;
  int                       threads_ = 1;
  Plan<Scalar, Index>       plan_;
  NonEmptyRows<Index>       non_empty_;      ///< empty arrays where all rows are used
  kernels::ScratchClaim     scratch_;        ///< of products with one vector, and with several
  std::atomic<std::int64_t> dirty_tiles_{0}; ///< of the last product
};

} // namespace petscspmv::csr
