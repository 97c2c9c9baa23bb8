#pragma once

/// \file aijspec_device.cuh
/// A matrix on the device: its arrays, how they get there, and the launches of a product.

#include <optional>

#include "core/runtime.hpp"
#include "impls/aijspec/aijspec_device.hpp"
#include "impls/aijspec/aijspec_device_kernels.cuh"
#include "impls/aijspec/aijspec_device_plan.cuh"
#include "kernels/device_array.cuh"
#include "kernels/device_launch.cuh"
#include "kernels/device_transpose.cuh"

namespace petscspmv::aijspec {

/// A CSR matrix with a plan, and its products with plain op. S is the device's scalar.
template <class S, class Index> class DeviceRows {
public:
  using Array = kernels::DeviceArray<Index>;

  /// Adopts arrays that are on the device. There are rows and nonzeros.
  DeviceRows(Array row_ptr, Array col, const Index *host_row_ptr, Tiling tiling)
    : row_ptr_(std::move(row_ptr)), col_(std::move(col)), val_(col_.size()),
      plan_(row_ptr_.data(), host_row_ptr, rows(), sizeof(S) + sizeof(Index), tiling), cut_(plan_.tiles)
  {
    set_carveout<Work::short_tiles>();
    set_carveout<Work::long_tiles>();
  }

  Index                    rows() const { return static_cast<Index>(row_ptr_.size() - 1); }
  Index                    nonzeros() const { return static_cast<Index>(col_.size()); }
  const Array             &row_ptr() const { return row_ptr_; }
  const Array             &col() const { return col_; }
  kernels::DeviceArray<S> &val() { return val_; }
  const DevicePlan<Index> &plan() const { return plan_; }

  void multiply(bool conjugate, const S *x, const kernels::DeviceRowUpdate<S> &update) const
  {
    const Product<S, Index> product{layout(), x, update, conjugate};
    const auto             &a = product.a;
    if (a.tiles == 0) launch<Work::rows>(pick<Work::rows>(), a.row_groups(), product);
    else if (a.row_blocks > 0) launch<Work::both>(pick<Work::both>(), a.row_groups() + a.tiles, product);
    else if (nonzeros() / rows() < tuning::short_row)
      launch<Work::short_tiles>(multiply_kernel<Work::short_tiles, 1, S, Index>, a.tiles, product);
    else launch<Work::long_tiles>(multiply_kernel<Work::long_tiles, 1, S, Index>, a.tiles, product);
    if (a.tiles == 0) return;
    const unsigned join_blocks = (a.tiles + finish_threads - 1) / finish_threads;
    kernels::launch(finish_kernel<S, Index>, {a.dirty_ranges + join_blocks, finish_threads, 0, true}, product);
  }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    const auto add = [&](const char *name, std::size_t bytes) {
      if (bytes > 0) f.arrays.push_back({prefix + name, bytes, false});
    };
    add("columns", col_.bytes());
    add("values", val_.bytes());
    add("row pointer", row_ptr_.bytes());
    add("kinds of row blocks", plan_.wild.bytes());
    add("tiles", plan_.tile.bytes());
    add("rows of dirty tiles", plan_.dirty.bytes());
    add("parts of cut rows", cut_.bytes());
  }

private:
  template <Work work> static void set_carveout()
  {
    kernels::check_cuda(
      cudaFuncSetAttribute(multiply_kernel<work, 1, S, Index>, cudaFuncAttributePreferredSharedMemoryCarveout, tile_shape<work>.carveout),
      "divide the memory of its multiprocessors");
  }

  template <Work work> void launch(void (*kernel)(Product<S, Index>), unsigned blocks, const Product<S, Index> &product) const
  {
    kernels::launch(kernel, {blocks, BlockShape<work, S>::threads, shared_bytes()}, product);
  }

  std::size_t shared_bytes() const
  {
    const std::size_t rows = static_cast<std::size_t>(plan_.capacity) * (sizeof(S) + sizeof(Index));
    return plan_.tiles > 0 ? std::max(rows, plan_.tile_entries * sizeof(S)) : rows;
  }

  template <Work work> auto pick() const -> void (*)(Product<S, Index>)
  {
    switch (plan_.lanes) {
    case 1:
      return multiply_kernel<work, 1, S, Index>;
    case 2:
      return multiply_kernel<work, 2, S, Index>;
    case 4:
      return multiply_kernel<work, 4, S, Index>;
    default:
      return multiply_kernel<work, 8, S, Index>;
    }
  }

  DeviceLayout<S, Index> layout() const
  {
    DeviceLayout<S, Index> a{rows(),
                             nonzeros(),
                             row_ptr_.data(),
                             col_.data(),
                             val_.data(),
                             plan_.lanes,
                             plan_.row_blocks,
                             plan_.wild.data(),
                             plan_.capacity,
                             plan_.tile_entries,
                             plan_.tiles,
                             plan_.tile.data(),
                             cut_.data(),
                             0,
                             plan_.dirty.data(),
                             plan_.dirty_ranges};
    const std::uint64_t    total = std::uint64_t(a.tiles) + a.row_groups();
    if (a.row_blocks > 0) a.tile_ratio = static_cast<unsigned>(((std::uint64_t(a.tiles) << 32) + total - 1) / total);
    return a;
  }

  Array                            row_ptr_, col_;
  kernels::DeviceArray<S>          val_;
  DevicePlan<Index>                plan_;
  kernels::DeviceArray<CutRows<S>> cut_;
};

/// The matrix, and its transpose as soon as somebody has asked for it.
template <class Scalar, class Index> class DeviceMatrix final : public AnyFormat<Scalar, Index> {
  using View   = CsrView<Scalar, Index>;
  using S      = typename kernels::OnDevice<Scalar>::type;
  using Rows   = DeviceRows<S, Index>;
  using Update = kernels::DeviceRowUpdate<S>;

public:
  DeviceMatrix(const View &a, const OptionValues &options) : rows_(a.rows), cols_(a.cols), tiling_(static_cast<Tiling>(options["tiling"]))
  {
    if (!runtime::has_device()) throw FormatError(runtime::device_problem());
    if (a.nonzeros() <= 0) return;
    kernels::DeviceArray<Index> row_ptr(static_cast<std::size_t>(a.rows) + 1), col(a.nonzeros());
    row_ptr.upload(a.row_ptr);
    col.upload(a.col);
    a_.emplace(std::move(row_ptr), std::move(col), a.row_ptr, tiling_);
    refresh(a);
  }

  void refresh(const View &a) override
  {
    if (!a_) return;
    a_->val().upload(device(a.val));
    if (transpose_) index_->gather_values(a_->val().data(), transpose_->val().data());
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    const Index  n = op == Operation::none ? rows_ : cols_;
    const Update update(S(alpha), S(beta), device(y));
    if (alpha == Scalar(0) || !a_) {
      if (n > 0 && !update.adds) kernels::launch(scale_kernel<S, Index>, kernels::one_thread_each(n), n, update);
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
    static const DevicePlan<Index> nothing;
    const auto                    &plan = a_ ? a_->plan() : nothing;
    return {{"row blocks", std::to_string(plan.row_blocks)},
            {"lanes a row", std::to_string(plan.lanes)},
            {"tiles", std::to_string(plan.tiles)},
            {"pieces of dirty tiles", std::to_string(plan.dirty_ranges)},
            {"transpose", transpose_ ? "built" : "not used"}};
  }

private:
  static const S *device(const Scalar *p) { return reinterpret_cast<const S *>(p); }
  static S       *device(Scalar *p) { return reinterpret_cast<S *>(p); }

  void build_transpose()
  {
    kernels::TransposedIndex<Index> index(a_->row_ptr().data(), a_->col().data(), rows_, cols_, a_->nonzeros());
    std::vector<Index>              host_row_ptr(index.row_ptr.size());
    index.row_ptr.download(host_row_ptr.data(), host_row_ptr.size());
    index_.emplace(std::move(index));
    transpose_.emplace(std::move(index_->row_ptr), std::move(index_->col), host_row_ptr.data(), tiling_);
    index_->gather_values(a_->val().data(), transpose_->val().data());
  }

  Index                                          rows_, cols_;
  Tiling                                         tiling_;
  std::optional<Rows>                            a_;         ///< nothing if there are no nonzeros
  std::optional<kernels::TransposedIndex<Index>> index_;     ///< of the transpose; its entries only
  std::optional<Rows>                            transpose_; ///< nothing until it is needed
};

template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options)
{
  return std::make_unique<DeviceMatrix<Scalar, Index>>(a, options);
}

} // namespace petscspmv::aijspec
