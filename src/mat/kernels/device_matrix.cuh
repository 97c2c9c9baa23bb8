#pragma once

/// \file device_matrix.cuh
/// A CSR matrix on the device as a format: its arrays, how they get there, and its transpose as soon as somebody asks for it.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/format.hpp"
#include "core/runtime.hpp"
#include "kernels/device_array.cuh"
#include "kernels/device_launch.cuh"
#include "kernels/device_scalar.cuh"
#include "kernels/device_scale.cuh"
#include "kernels/device_transpose.cuh"

namespace petscspmv::kernels {

/// The arrays. There are rows and nonzeros. S is the device's scalar.
template <class S, class Index> class DeviceCsr {
public:
  using Array = DeviceArray<Index>;

  /// Adopts arrays that are on the device; values come later.
  DeviceCsr(Array row_ptr, Array col) : row_ptr_(std::move(row_ptr)), col_(std::move(col)), val_(col_.size()) { }

  Index                 rows() const { return static_cast<Index>(row_ptr_.size() - 1); }
  Index                 nonzeros() const { return static_cast<Index>(col_.size()); }
  const Array          &row_ptr() const { return row_ptr_; }
  const Array          &col() const { return col_; }
  const DeviceArray<S> &val() const { return val_; }
  DeviceArray<S>       &val() { return val_; }

  /// Adds an array to a footprint, unless it is empty.
  static void add(Footprint &f, const std::string &name, std::size_t bytes)
  {
    if (bytes > 0) f.arrays.push_back({name, bytes, false});
  }
  void add_to(Footprint &f, const std::string &prefix) const
  {
    add(f, prefix + "columns", col_.bytes());
    add(f, prefix + "values", val_.bytes());
    add(f, prefix + "row pointer", row_ptr_.bytes());
  }

private:
  Array          row_ptr_, col_;
  DeviceArray<S> val_;
};

/// A matrix whose products with plain op are those of `Rows`, a DeviceCsr with
///
/// - a type `Settings` and a constructor (row_ptr, col, host_row_ptr, settings) that looks at the pattern, host_row_ptr being the row
///   pointer on the host,
/// - `multiply(conjugate, x, update)`,
/// - `add_to(footprint, prefix)`, and `static facts(rows)`, where rows is null if the matrix has no entries.
template <class Scalar, class Index, class Rows> class DeviceMatrix final : public AnyFormat<Scalar, Index> {
  using View   = CsrView<Scalar, Index>;
  using S      = typename OnDevice<Scalar>::type;
  using Update = DeviceRowUpdate<S>;

public:
  /// `threads` of the host bring it to the device.
  DeviceMatrix(const View &a, const typename Rows::Settings &settings, int threads)
    : rows_(a.rows), cols_(a.cols), settings_(settings), threads_(threads)
  {
    if (!runtime::has_device()) throw FormatError(runtime::device_problem());
    if (a.nonzeros() <= 0) return;
    DeviceArray<Index> row_ptr(static_cast<std::size_t>(a.rows) + 1), col(a.nonzeros());
    row_ptr.upload(a.row_ptr, threads_);
    col.upload(a.col, threads_);
    a_.emplace(std::move(row_ptr), std::move(col), a.row_ptr, settings_);
    refresh(a);
  }

  void refresh(const View &a) override
  {
    if (!a_) return;
    a_->val().upload(device(a.val), threads_);
    if (transpose_) index_->gather_values(a_->val().data(), transpose_->val().data());
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    const Index  n = op == Operation::none ? rows_ : cols_;
    const Update update(S(alpha), S(beta), device(y));
    if (alpha == Scalar(0) || !a_) {
      scale_rows(n, update);
    } else if (op == Operation::none) a_->multiply(false, device(x), update);
    else {
      if (!transpose_) build_transpose();
      transpose_->multiply(op == Operation::hermitian, device(x), update);
    }
  }

  Footprint footprint() const override
  {
    Footprint f;
    if (a_) a_->add_to(f, "");
    if (transpose_) {
      transpose_->add_to(f, "transposed ");
      f.arrays.push_back({"entries of the transposed", index_->entry.bytes(), false});
    }
    return f;
  }

  Facts facts() const override
  {
    Facts facts = Rows::facts(a_ ? &*a_ : nullptr);
    facts.emplace_back("transpose", transpose_ ? "built" : "not used");
    return facts;
  }

private:
  static const S *device(const Scalar *p) { return reinterpret_cast<const S *>(p); }
  static S       *device(Scalar *p) { return reinterpret_cast<S *>(p); }

  void build_transpose()
  {
    TransposedIndex<Index> index(a_->row_ptr().data(), a_->col().data(), rows_, cols_, a_->nonzeros());
    std::vector<Index>     host_row_ptr(index.row_ptr.size());
    index.row_ptr.download(host_row_ptr.data(), host_row_ptr.size());
    index_.emplace(std::move(index));
    transpose_.emplace(std::move(index_->row_ptr), std::move(index_->col), host_row_ptr.data(), settings_);
    index_->gather_values(a_->val().data(), transpose_->val().data());
  }

  Index                                 rows_, cols_;
  typename Rows::Settings               settings_;
  int                                   threads_;
  std::optional<Rows>                   a_;         ///< nothing if there are no nonzeros
  std::optional<TransposedIndex<Index>> index_;     ///< of the transpose; its entries only
  std::optional<Rows>                   transpose_; ///< nothing until it is needed
};

} // namespace petscspmv::kernels
