#pragma once

/// \file format.hpp
/// Any method's kernels through Kokkos as a format, on the host and, in a build for one, on the device. It does not
/// transpose.
///
/// Included by one source file for each method, <method>_kokkos.cpp, which a build for CUDA gives to nvcc, once
/// for each flavour of PETSc.

#include <memory>
#include <span>
#include <utility>

#include "kernels/kokkos/products.hpp"
#include "kernels/kokkos/values.hpp"
#include "kernels/rows/host_view.hpp"

namespace petscspmv::kernels {

/// `Matrix<Scalar, Index, Memory>` is how a method keeps a matrix, and its product:
///
/// - `summary` is what there is to it besides arrays, whatever the memory; these are KokkosArrays, and
///   `static each(visit, m...)` calls visit(name, array...) for those of one matrix, or of some side by side. An array
///   without a name is written by products; it begins as zeros and is not copied.
/// - In Kokkos::HostSpace it is made by a constructor (a, options, for_device).
/// - `multiply(exec, shape, product)` queues y = alpha A x + beta y, for a matrix that has entries and a KokkosProduct,
///   or for several vectors and KokkosProducts. All rows are written, once.
/// - `column_scratch()` bytes of a team's scratch memory that sums for one vector take.
/// - `facts()`.
/// - An array `source` may be left out: for one whose `value` are KokkosValues, each of them entry number source(i) of
///   the CSR matrix, or 0 if that is negative. Its constructor (a, options, for_device, threads) looks at the pattern
///   alone and leaves out the values, which are gathered where the matrix is; they are coded afterwards if
///   `codes(options, for_device)`.
template <class Scalar, class Index, template <class, class, class> class Matrix, class Place>
class KokkosFormat final : public ThroughKokkos<Scalar, Index, Matrix<Scalar, Index, typename Place::Memory>, Place> {
  using Kept   = Matrix<Scalar, Index, typename Place::Memory>;
  using OnHost = Matrix<Scalar, Index, Kokkos::HostSpace>;
  using Base   = ThroughKokkos<Scalar, Index, Kept, Place>;
  using Base::for_device;
  using Base::kept_;
  using Base::memory_;
  using Base::options_;
  using Base::several_;
  using typename Base::Memory;
  using typename Base::S;
  using typename Base::View;
  static constexpr bool gathers = requires(Kept kept) { kept.source; };

public:
  KokkosFormat(const View &a, OptionValues options, const Execution &execution) : Base(a, std::move(options), execution, PatternUse::all)
  {
    build(a);
  }

  Facts facts() const override
  {
    Facts facts = Base::facts_of(false);
    facts.insert(facts.begin(), Base::fact_of_place());
    return facts;
  }

private:
  void take_values(const View &a) override
  {
    if (a.nonzeros() == 0) return;
    [[maybe_unused]] const auto turn = memory_.take_turn(DeviceWork::changes);
    several_.reset();
    if constexpr (gathers)
      if (std::exchange(refreshed_, true)) return gather(a, *kept_);
    build(a);
  }

  /// With new values, one that gathers them keeps where they are from, and has them as they are. A matrix that never
  /// gets any does not take that memory, which is half as much as its values; the first new ones cost what building
  /// does.
  void build(const View &a)
  {
    if (a.nonzeros() == 0) return kept_.reset();
    if constexpr (gathers) {
      auto kept = make_resident<Kept>(memory_.template brought<Kept>(OnHost(a, options_, for_device(), memory_.threads())));
      gather(a, *kept);
      if (!refreshed_) {
        kept->source = {};
        if (OnHost::codes(options_, for_device())) code(*kept);
      }
      kept_ = std::move(kept);
    } else {
      const HostView host(a);
      kept_ = make_resident<Kept>(memory_.template brought<Kept>(OnHost(host.view(), options_, for_device())));
    }
  }

  /// The values of `a` in their places, taken from where they are.
  void gather(const View &a, Kept &kept) const
  {
    memory_.taking([&] {
      const std::size_t n = kept.source.extent(0);
      if (kept.value.number.extent(0) == 0) kept.value.number = new_array<S, Memory>(n);
      const auto entry = memory_.shown(reinterpret_cast<const S *>(a.val), static_cast<std::size_t>(a.nonzeros()));
      memory_.run([&](const auto &exec) {
        Kokkos::parallel_for("petscspmv values", indices(exec, static_cast<std::int64_t>(n)),
                             GatherValues<S, Index, Memory>{kept.source, entry, kept.value.number});
      });
      memory_.wait();
    });
  }

  void code(Kept &kept) const
  {
    memory_.taking([&] {
      const auto raw   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kept.value.number);
      const auto coded = coded_values(std::span<const S>(raw.data(), raw.extent(0)), true);
      if (!coded.is_coded()) return;
      kept.value = {
        Kokkos::create_mirror_view_and_copy(Memory(), coded.number), Kokkos::create_mirror_view_and_copy(Memory(), coded.code), {}};
    });
  }

  bool refreshed_ = false;
};

/// Throws FormatError if Kokkos cannot be started, or if there is no room or no device.
template <template <class, class, class> class Matrix, class Scalar, class Index>
FormatPtr<Scalar, Index> make_kokkos_format(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  return made_at(execution.space, [&]<class Place>(Place) -> FormatPtr<Scalar, Index> {
    return std::make_unique<KokkosFormat<Scalar, Index, Matrix, Place>>(a, options, execution);
  });
}

} // namespace petscspmv::kernels
