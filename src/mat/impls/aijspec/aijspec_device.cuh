#pragma once

/// \file aijspec_device.cuh
/// A matrix on the device: what is built besides its arrays, and the launches of a product.

#include "impls/aijspec/aijspec.hpp"
#include "impls/aijspec/aijspec_device_kernels.cuh"
#include "impls/aijspec/aijspec_device_plan.cuh"
#include "kernels/device/memory/matrix.cuh"
#include "kernels/device/residency.cuh"

namespace petscspmv::aijspec {

/// A CSR matrix with a plan, and its products with plain op. S is the device's scalar.
template <class S, class Index> class DeviceRows : public kernels::DeviceCsr<S, Index> {
  using Csr = kernels::DeviceCsr<S, Index>;

public:
  using Csr::col;
  using Csr::nonzeros;
  using Csr::row_ptr;
  using Csr::rows;
  using Csr::val;
  using Settings = Tiling;

  static constexpr bool wants_host_row_ptr = false;

  DeviceRows(typename Csr::Array row_ptr_, typename Csr::Array col_, const Index *, Tiling tiling)
    : Csr(std::move(row_ptr_), std::move(col_)), plan_(row_ptr().data(), rows(), nonzeros(), sizeof(S) + sizeof(Index), tiling),
      cut_(plan_.tiles)
  {
  }

  void multiply(bool conjugate, const S *x, const kernels::DeviceRowUpdate<S> &update) const
  {
    multiply_with(kernels::OrderedValues<S>{val().data()}, conjugate, x, update);
  }
  /// With values of another matrix in the place of those here: that of entry i is number entry[i]. The same bits.
  void multiply_gathered(const S *values, const Index *entry, bool conjugate, const S *x, const kernels::DeviceRowUpdate<S> &update) const
  {
    multiply_with(kernels::GatheredValues<S, Index>{values, entry}, conjugate, x, update);
  }

  /// Parts of cut rows: none in blocks of rows, nor where a row begins in the first entries of every window, be they
  /// the longest row's.
  bool has_scratch() const { return plan_.row_blocks == 0 && plan_.tile_snap == 1; }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    Csr::add_to(f, prefix);
    Csr::add(f, prefix + "tiles", plan_.tile.bytes());
    Csr::add(f, prefix + "rows of dirty tiles", plan_.dirty.bytes());
    Csr::add(f, prefix + "parts of cut rows", cut_.bytes() + plan_.arrived.bytes());
  }

  static Facts facts(const DeviceRows *a)
  {
    static const DevicePlan<Index> nothing;
    const auto                    &plan = a ? a->plan_ : nothing;
    return {{"row blocks", std::to_string(plan.row_blocks)},
            {"lanes a row", std::to_string(plan.lanes)},
            {"tiles", std::to_string(plan.tiles)},
            {"pieces of dirty tiles", std::to_string(plan.dirty_ranges)}};
  }

private:
  /// Tiles that the current device can work on at a time.
  static unsigned tiles_at_a_time()
  {
    constexpr auto kernel = multiply_kernel<Work::tiles, 1, S, Index, kernels::OrderedValues<S>>;
    kernels::check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, tuning::tile_carveout),
                        "divide the memory of its multiprocessors");
    return static_cast<unsigned>(kernels::resident_blocks(kernel, BlockShape<Work::tiles, S>::threads, tuning::tile_entries * sizeof(S)));
  }

  template <class Values>
  void multiply_with(const Values &values, bool conjugate, const S *x, const kernels::DeviceRowUpdate<S> &update) const
  {
    const Product<S, Index, Values> product{layout(values), x, update, conjugate};
    const auto                     &a = product.a;
    if (a.row_blocks > 0) launch<Work::rows>(rows_kernel<Values>(), a.row_groups(), product);
    else
      launch<Work::tiles>(multiply_kernel<Work::tiles, 1, S, Index, Values>, a.dirty_ranges + std::min(a.tiles, tiles_at_a_time_), product);
  }

  template <Work work, class Values>
  void launch(void (*kernel)(Product<S, Index, Values>), unsigned blocks, const Product<S, Index, Values> &product) const
  {
    kernels::launch(kernel, {blocks, BlockShape<work, S>::threads, shared_bytes()}, product);
  }

  std::size_t shared_bytes() const
  {
    return plan_.tiles > 0 ? tuning::tile_entries * sizeof(S) : static_cast<std::size_t>(plan_.capacity) * (sizeof(S) + sizeof(Index));
  }

  template <class Values> auto rows_kernel() const -> void (*)(Product<S, Index, Values>)
  {
    switch (plan_.lanes) {
    case 1:
      return multiply_kernel<Work::rows, 1, S, Index, Values>;
    case 2:
      return multiply_kernel<Work::rows, 2, S, Index, Values>;
    case 4:
      return multiply_kernel<Work::rows, 4, S, Index, Values>;
    default:
      return multiply_kernel<Work::rows, 8, S, Index, Values>;
    }
  }

  template <class Values> DeviceLayout<S, Index, Values> layout(const Values &values) const
  {
    return {rows(),          row_ptr().data(),     col().data(),       values,
            nonzeros(),      plan_.lanes,          plan_.row_blocks,   plan_.capacity,
            plan_.tile_step, plan_.tile_snap,      plan_.tiles,        plan_.tile.data(),
            cut_.data(),     plan_.arrived.data(), plan_.dirty.data(), plan_.dirty_ranges};
  }

  unsigned                         tiles_at_a_time_ = tiles_at_a_time();
  DevicePlan<Index>                plan_;
  kernels::DeviceArray<CutRows<S>> cut_;
};

template <class Scalar, class Index>
FormatPtr<Scalar, Index> on_device(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
{
  using Rows              = DeviceRows<typename kernels::OnDevice<Scalar>::type, Index>;
  const auto make_several = [](const CsrView<Scalar, Index> &view) {
    return through_kokkos(view, OptionValues(option_table), {MemorySpace::device, 1});
  };
  return std::make_unique<kernels::DeviceMatrix<Scalar, Index, Rows>>(a, static_cast<Tiling>(options["tiling"]), execution.threads,
                                                                      make_several);
}

} // namespace petscspmv::aijspec
