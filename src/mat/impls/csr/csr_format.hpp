#pragma once

/// \file csr_format.hpp
/// A CSR matrix that multiplies through Kokkos, on the host or on a device: its arrays, which are those of the CsrView where
/// they are there already, and its transpose as soon as somebody asks for it.

#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/format.hpp"
#include "impls/csr/csr_kokkos.hpp"
#include "kernels/kokkos/several.hpp"
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
    const OnHost host = memory.template brought<OnHost>(a);
    const auto   val  = reinterpret_cast<const Scalar *>(host.val.data());
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

template <class Scalar, class Index, class Place> class KokkosCsr final : public Format<Scalar, Index> {
  using View                    = CsrView<Scalar, Index>;
  using S                       = kernels::KokkosScalar<Scalar>;
  using Memory                  = typename Place::Memory;
  using Kept                    = PiecesOfRows<Scalar, Index, Memory>;
  using OnHost                  = PiecesOfRows<Scalar, Index, Kokkos::HostSpace>;
  using Transpose               = typename TransposeOf<Scalar, Index, Place>::type;
  using Several                 = kernels::SeveralVectors<S, Kept, Place>;
  static constexpr bool on_host = std::is_same_v<Kept, OnHost>;

public:
  KokkosCsr(const View &a, OptionValues options, const Execution &execution)
    : Format<Scalar, Index>(a, execution, on_host ? PatternUse::row_ptr : PatternUse::all), rows_(a.rows), cols_(a.cols),
      options_(std::move(options)), kernels_(execution.kernels), memory_(execution.threads), shape_{execution.team, execution.lanes}
  {
    if (a.nonzeros() == 0) return;
    [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::writes);
    kept_                            = kernels::make_resident<Kept>(dealt(a.row_ptr, rows_));
    show(a);
  }

  void take_values(const View &a) override
  {
    if (!kept_) return;
    [[maybe_unused]] const auto turn = memory_.take_turn(kernels::DeviceWork::changes);
    several_.reset();
    show(a);
    if (!transpose_) return;
    if constexpr (Transpose::is_made_anew) make_transpose();
    else if (transpose_->follow(*kept_)) several_transposed_.reset();
  }

  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override
  {
    // Of the program's threads, one multiplies at a time: what a product writes besides y is the matrix's.
    const std::lock_guard             lock(busy_);
    const kernels::KokkosRowUpdate<S> update(S(alpha), S(beta), reinterpret_cast<S *>(y));
    if (alpha == Scalar(0) || !kept_) return kernels::empty_rows(memory_, op == Operation::none ? rows_ : cols_, update);
    const Kept                     &kept = matrix(op);
    const kernels::KokkosProduct<S> product{reinterpret_cast<const S *>(x), update, op == Operation::hermitian};
    memory_.run(kernels::work_of(kept), [&](const auto &exec) { kept.multiply(exec, shape_, product); });
  }

  void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                     int columns) override
  {
    const bool is_plain = op == Operation::none;
    if (alpha == Scalar(0) || !kept_ || columns < 2 || (on_host && !is_plain))
      return Format<Scalar, Index>::multiply_many(op, alpha, x, ldx, beta, y, ldy, columns);
    Several &several = is_plain ? several_ : several_transposed_;
    several.multiply(*kept_, columns, [&](int c, int n) {
      if (n == 1) return multiply(op, alpha, x + c * ldx, beta, y + c * ldy);
      const std::lock_guard             lock(busy_);
      const Kept                       &kept = matrix(op);
      const kernels::KokkosRowUpdate<S> first(S(alpha), S(beta), reinterpret_cast<S *>(y + c * ldy));
      several.pass(memory_, kept, shape_, is_plain ? cols_ : rows_, reinterpret_cast<const S *>(x + c * ldx), ldx, first, ldy, n);
    });
  }

  Footprint footprint() const override
  {
    Footprint f;
    if (kept_) kernels::add_arrays(f, "", *kept_);
    if (transpose_) transpose_->add_to(f);
    if (several_) f.arrays.push_back({"several vectors", several_.bytes(), false});
    if (several_transposed_) f.arrays.push_back({"transposed several vectors", several_transposed_.bytes(), false});
    return f;
  }

  Facts facts() const override
  {
    Facts facts;
    if (kernels_ == Kernels::kokkos) facts.emplace_back("kernels", "Kokkos " + memory_.name());
    if (kept_)
      for (auto &fact : kept_->facts()) facts.push_back(std::move(fact));
    facts.emplace_back("transpose", transpose_ ? "built" : "not used");
    if (several_) facts.emplace_back("bytes for several vectors", std::to_string(several_.bytes()));
    return facts;
  }

private:
  /// How rows are dealt. A team of several threads has tiles as on a device, on the host, too.
  Kept dealt(const Index *row_ptr, Index rows) const
  {
    return memory_.template brought<Kept>(OnHost(row_ptr, rows, options_, !on_host || shape_.team > 0));
  }

  /// Takes the arrays of a matrix with the same pattern. What of the pattern is a copy stays, unless it is on the device now.
  void show(const View &a)
  {
    const auto n     = static_cast<std::size_t>(a.nonzeros());
    const auto there = [](const Index *on_device, const Index *here) { return !on_host && on_device ? on_device : here; };
    const auto own   = [](const auto &array) { return array.use_count() > 0; };
    memory_.taking([&] {
      if (!own(kept_->row_ptr)) memory_.show(there(a.device_row_ptr, a.row_ptr), static_cast<std::size_t>(rows_) + 1, kept_->row_ptr);
      if (!own(kept_->col) || a.device_col) memory_.show(there(a.device_col, a.col), n, kept_->col);
      memory_.show(reinterpret_cast<const S *>(a.val), n, kept_->val);
      if (own(kept_->row_ptr) || own(kept_->col) || own(kept_->val)) memory_.wait();
    });
  }

  const Kept &matrix(Operation op)
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
    transpose_      = kernels::make_resident<Transpose>(memory_, *kept_, cols_, deal);
  }

  Index                        rows_, cols_;
  OptionValues                 options_;
  Kernels                      kernels_;
  kernels::KokkosMemory<Place> memory_;
  kernels::KokkosShape         shape_;
  kernels::Resident<Kept>      kept_;      ///< nothing if there are no entries
  kernels::Resident<Transpose> transpose_; ///< nothing until it is needed
  Several                      several_, several_transposed_;
  std::mutex                   busy_;
};

} // namespace petscspmv::csr
