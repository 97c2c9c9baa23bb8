#pragma once

/// \file transposed.hpp
/// Products with the transpose of their second factor, which is made once, and gets its values before each product.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/known_pattern.hpp"
#include "impls/products/factors.hpp"

namespace petscspmv::products {

namespace { // see lists.hpp

template <class Scalar, class Index, class Place> class TransposedProduct final : public SparseProduct<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = KokkosScalar<Scalar>;
  using Memory                  = typename Place::Memory;
  using Made                    = std::unique_ptr<SparseProduct<Scalar, Index>>;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

public:
  /// make(B^T): a product that this one is.
  template <class Make>
  TransposedProduct(const View &b, int threads, const Make &make)
    : b_(b, threads), memory_(threads), room_(make_resident<Room<Memory>>()), row_ptr_(static_cast<std::size_t>(b.cols) + 1)
  {
    memory_.taking([&] {
      memory_.run([&](const auto &exec) {
        const auto columns = columns_of(exec, *room_, pattern_at<Place>(b), b.rows, b.cols, b.nonzeros());
        entry_             = columns.entry;
        value_             = room_->template take<S>(b.nonzeros());
        show(columns.rows, b);
      });
    });
    product_ = make(transpose_);
  }

  std::span<const Index> row_ptr() const override { return product_->row_ptr(); }
  void                   columns(Index *to) const override { product_->columns(to); }
  double                 flops() const override { return product_->flops(); }
  void                   forget_pattern() override { product_->forget_pattern(); }

  bool values(const View &a, const View &b, Scalar *c) override
  {
    if (!b_.is_of(b)) return false;
    const auto here = [n = static_cast<std::size_t>(b.nonzeros())](const auto *array) { return kernels::borrowed_array<Memory>(array, n); };
    memory_.run([&](const auto &exec) {
      each(exec, b.nonzeros(),
           kernels::GatherValues<S, Index, Memory>{here(entry_), here(reinterpret_cast<const S *>(b.val)), here(value_)});
    });
    return product_->values(a, transpose_, c);
  }

private:
  /// Where the pattern is on a device, the host is shown how many entries there are.
  void show(const Pattern<Index> &pattern, const View &b)
  {
    transpose_ = {b.cols, b.rows, pattern.row_ptr, pattern.col, reinterpret_cast<const Scalar *>(value_)};
    if constexpr (!on_host) {
      memory_.copy_to_host(pattern.row_ptr, row_ptr_.size(), row_ptr_.data());
      memory_.wait();
      transpose_.row_ptr          = row_ptr_.data();
      transpose_.col              = nullptr;
      transpose_.device_row_ptr   = pattern.row_ptr;
      transpose_.device_col       = pattern.col;
      transpose_.newest_on_device = true;
    }
  }

  KnownPattern<Scalar, Index> b_;
  KokkosMemory<Place>         memory_;
  Resident<Room<Memory>>      room_;
  std::vector<Index>          row_ptr_;         ///< of the transpose, if it is on a device
  const Index                *entry_ = nullptr; ///< of B, for each of the transpose
  S                          *value_ = nullptr;
  View                        transpose_;
  Made                        product_;
};

} // namespace
} // namespace petscspmv::products
