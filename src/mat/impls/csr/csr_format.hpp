#pragma once

/// \file csr_format.hpp
/// A CSR matrix that multiplies through Kokkos, on the host or on a device: its arrays, which are those of the CsrView
/// where they are there already, and its transpose as soon as somebody asks for it.

#include <optional>
#include <type_traits>
#include <utility>

#include "impls/csr/csr_kokkos.hpp"
#include "kernels/kokkos/products.hpp"
#include "kernels/rows/csr_copy.hpp"
#if defined(PETSCSPMV_CUDA)
  #include "impls/csr/csr_transpose.cuh"
#endif

namespace petscspmv::csr {

/// A transpose that is made on the host.
template <class Scalar, class Index, class Place> class HostTranspose {
  using Kept   = PiecesOfRows<Scalar, Index, typename Place::Memory>;
  using OnHost = PiecesOfRows<Scalar, Index, Kokkos::HostSpace>;

public:
  static constexpr bool is_made_anew = true; ///< for new values

  Kept kept;

  /// `deal(row pointer on the host, rows)` is a matrix without entries.
  template <class Deal> HostTranspose(const kernels::KokkosMemory<Place> &memory, const Kept &a, Index cols, const Deal &deal)
  {
    const auto host = memory.template brought<OnHost>(a);
    const auto val  = reinterpret_cast<const Scalar *>(host.val.data());
    csr_.emplace(kernels::transposed(
      CsrView<Scalar, Index>{static_cast<Index>(host.row_ptr.extent(0)) - 1, cols, host.row_ptr.data(), host.col.data(), val}));
    kept = deal(csr_->row_ptr.data(), cols);
    memory.show(csr_->row_ptr.data(), csr_->row_ptr.size(), kept.row_ptr);
    memory.show(csr_->col.data(), csr_->col.size(), kept.col);
    memory.show(reinterpret_cast<const typename Kept::S *>(csr_->val.data()), csr_->val.size(), kept.val);
    memory.wait();
    if constexpr (!std::is_same_v<Kept, OnHost>) csr_.reset();
  }

  void add_to(Footprint &f) const { kernels::add_arrays(f, "transposed ", kept, false); }

private:
  std::optional<kernels::Csr<Scalar, Index>> csr_; ///< which `kept` borrows on the host
};

template <class Scalar, class Index, class Place> struct TransposeOf {
  using type = HostTranspose<Scalar, Index, Place>;
};
#if defined(PETSCSPMV_CUDA)
template <class Scalar, class Index> struct TransposeOf<Scalar, Index, kernels::KokkosDevice> {
  using type = DeviceTranspose<Scalar, Index>;
};
#endif

template <class Scalar, class Index, class Place>
class KokkosCsr final : public kernels::ThroughKokkos<Scalar, Index, PiecesOfRows<Scalar, Index, typename Place::Memory>, Place> {
  using Kept      = PiecesOfRows<Scalar, Index, typename Place::Memory>;
  using OnHost    = PiecesOfRows<Scalar, Index, Kokkos::HostSpace>;
  using Base      = kernels::ThroughKokkos<Scalar, Index, Kept, Place>;
  using Transpose = typename TransposeOf<Scalar, Index, Place>::type;
  using Base::kept_;
  using Base::memory_;
  using Base::on_host;
  using typename Base::S;
  using typename Base::View;

public:
  KokkosCsr(const View &a, OptionValues options, const Execution &execution)
    : Base(a, std::move(options), execution, on_host ? PatternUse::row_ptr : PatternUse::all),
      tells_place_(execution.kernels == Kernels::kokkos)
  {
    if (a.nonzeros() == 0) return;
    [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::writes);
    kept_                            = kernels::make_resident<Kept>(dealt(a.row_ptr, a.rows));
    show(a);
  }

  Footprint footprint() const override
  {
    Footprint f = Base::footprint();
    if (transpose_) transpose_->add_to(f);
    return f;
  }

  Facts facts() const override
  {
    Facts facts = Base::facts_of(static_cast<bool>(transpose_));
    if (tells_place_) facts.insert(facts.begin(), Base::fact_of_place());
    return facts;
  }

private:
  void take_values(const View &a) override
  {
    if (!kept_) return;
    [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::changes);
    Base::several_.reset();
    show(a);
    if (!transpose_) return;
    if constexpr (Transpose::is_made_anew) make_transpose();
    else if (transpose_->follow(*kept_)) Base::several_transposed_.reset();
  }

  /// How rows are dealt.
  Kept dealt(const Index *row_ptr, Index rows) const
  {
    return memory_.template brought<Kept>(OnHost(row_ptr, rows, Base::options_, Base::for_device()));
  }

  /// Takes the arrays of a matrix with the same pattern. What of the pattern is a copy stays, unless it is on the
  /// device now.
  void show(const View &a)
  {
    const auto n     = static_cast<std::size_t>(a.nonzeros());
    const auto there = [](const Index *on_device, const Index *here) { return !on_host && on_device ? on_device : here; };
    const auto own   = [](const auto &array) { return array.use_count() > 0; };
    memory_.taking([&] {
      if (!own(kept_->row_ptr)) memory_.show(there(a.device_row_ptr, a.row_ptr), static_cast<std::size_t>(a.rows) + 1, kept_->row_ptr);
      if (!own(kept_->col) || a.device_col) memory_.show(there(a.device_col, a.col), n, kept_->col);
      memory_.show(reinterpret_cast<const S *>(a.val), n, kept_->val);
      if (own(kept_->row_ptr) || own(kept_->col) || own(kept_->val)) memory_.wait();
    });
  }

  const Kept &matrix(Operation op) override
  {
    if (op == Operation::none) return *kept_;
    if (!transpose_) {
      [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::writes);
      make_transpose();
    }
    if constexpr (!Transpose::is_made_anew)
      if (!transpose_->has_values()) {
        const auto turn = memory_.take_turn(kernels::DeviceWork::writes);
        transpose_->gather(*kept_);
      }
    return transpose_->kept;
  }

  void make_transpose()
  {
    const auto deal = [this](const Index *row_ptr, Index rows) { return dealt(row_ptr, rows); };
    transpose_      = kernels::make_resident<Transpose>(memory_, *kept_, Base::cols_, deal);
  }

  bool                         tells_place_;
  kernels::Resident<Transpose> transpose_; ///< nothing until it is needed
};

} // namespace petscspmv::csr
