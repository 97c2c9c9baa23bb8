#pragma once

/// \file aijlight_device.cuh
/// A matrix on the device: what is built besides its arrays, and the launch of a product.

#include <algorithm>
#include <array>
#include <bit>

#include "impls/aijlight/aijlight.hpp"
#include "impls/aijlight/aijlight_device_kernels.cuh"
#include "impls/aijlight/aijlight_device_plan.hpp"
#include "kernels/device/memory/matrix.cuh"
#include "kernels/device/residency.cuh"

namespace petscspmv::aijlight {

/// A kernel with the shape in which it is launched.
template <class S, class Index> struct Launch {
  void (*kernel)(Product<S, Index>);
  unsigned threads;
  unsigned takers; ///< who takes tickets, of a block of threads
};

template <Taker taker, int lanes, class S, class Index> Launch<S, Index> launch_of()
{
  constexpr unsigned threads = BlockShape<taker, S, Index>::threads;
  constexpr unsigned takers  = BlockShape<taker, S, Index>::by_blocks ? 1 : threads / (taker == Taker::warp ? 32 : lanes);
  return {multiply_kernel<taker, lanes, S, Index>, threads, takers};
}

template <Taker taker, class S, class Index> Launch<S, Index> launch_of(int lanes)
{
  const std::array<Launch<S, Index>, 6> all{launch_of<taker, 1, S, Index>(),  launch_of<taker, 2, S, Index>(),
                                            launch_of<taker, 4, S, Index>(),  launch_of<taker, 8, S, Index>(),
                                            launch_of<taker, 16, S, Index>(), launch_of<taker, 32, S, Index>()};
  return all[std::countr_zero(static_cast<unsigned>(lanes))]; // 1, 2, 4, ... 32
}

template <class S, class Index> Launch<S, Index> launch_of(const DevicePlan<Index> &plan)
{
  if (plan.level == Level::vector) return launch_of<Taker::vector, S, Index>(plan.lanes);
  if (plan.level == Level::warp) return launch_of<Taker::warp, S, Index>(plan.lanes);
  return plan.tame ? launch_of<Taker::tame_block, S, Index>(plan.lanes) : launch_of<Taker::block, S, Index>(plan.lanes);
}

/// A CSR matrix with a plan, and its products with plain op. S is the device's scalar.
template <class S, class Index> class DeviceRows : public kernels::DeviceCsr<S, Index> {
  using Csr = kernels::DeviceCsr<S, Index>;

public:
  using Settings = DeviceSettings;

  static constexpr bool wants_host_row_ptr = true;

  DeviceRows(typename Csr::Array row_ptr, typename Csr::Array col, const Index *host_row_ptr, const Settings &settings)
    : Csr(std::move(row_ptr), std::move(col)), plan_(host_row_ptr, Csr::rows(), sizeof(S) + sizeof(Index), settings),
      launch_(launch_of<S>(plan_)), queue_(1), long_row_(plan_.long_rows.list.size()), part_(plan_.long_rows.pieces),
      summed_(plan_.long_rows.list.size())
  {
    long_row_.upload(plan_.long_rows.list.data());
    queue_.clear();
    summed_.clear();
    blocks_ =
      std::clamp<std::int64_t>(std::max<std::int64_t>(plan_.long_rows.pieces, (plan_.tickets + launch_.takers - 1) / launch_.takers), 1,
                               kernels::resident_blocks(launch_.kernel, launch_.threads, shared_bytes()));
  }

  void multiply(bool conjugate, const S *x, const kernels::DeviceRowUpdate<S> &update) const
  {
    kernels::launch(launch_.kernel, {static_cast<unsigned>(blocks_), launch_.threads, shared_bytes()},
                    Product<S, Index>{layout(), x, update, conjugate});
  }

  /// The queue at least.
  static constexpr bool has_scratch() { return true; }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    Csr::add_to(f, prefix);
    Csr::add(f, prefix + "long rows", long_row_.bytes() + summed_.bytes());
    Csr::add(f, prefix + "sums of pieces of long rows", part_.bytes());
    Csr::add(f, prefix + "queue", queue_.bytes());
  }

  /// `rows` is null for a matrix without entries.
  static Facts facts(const DeviceRows *rows)
  {
    if (!rows) return {{"level", "none"}};
    const auto &plan = rows->plan_;
    return {{"level", std::string(level_names[static_cast<int>(plan.level)])},
            {"lanes a row", std::to_string(plan.lanes)},
            {"rows a ticket", std::to_string(plan.ticket)},
            {"tickets", std::to_string(plan.tickets)},
            {"blocks of threads", std::to_string(rows->blocks_)},
            {"long rows", std::to_string(plan.long_rows.list.size())},
            {"pieces of long rows", std::to_string(plan.long_rows.pieces)}};
  }

private:
  std::size_t shared_bytes() const { return static_cast<std::size_t>(plan_.capacity) * (sizeof(S) + sizeof(Index)); }

  DeviceLayout<S, Index> layout() const
  {
    return {Csr::rows(),
            Csr::row_ptr().data(),
            Csr::col().data(),
            Csr::val().data(),
            Csr::nonzeros(),
            plan_.tickets,
            plan_.ticket,
            queue_.data(),
            plan_.long_rows.piece,
            plan_.long_rows.pieces,
            static_cast<Index>(plan_.long_rows.list.size()),
            long_row_.data(),
            part_.data(),
            summed_.data(),
            plan_.capacity};
  }

  DevicePlan<Index>                    plan_;
  Launch<S, Index>                     launch_;
  kernels::DeviceArray<Queue>          queue_;
  kernels::DeviceArray<LongRow<Index>> long_row_;
  kernels::DeviceArray<S>              part_;
  kernels::DeviceArray<unsigned>       summed_;
  std::int64_t                         blocks_;
};

template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads)
{
  using Rows              = DeviceRows<typename kernels::OnDevice<Scalar>::type, Index>;
  const auto make_several = [](const CsrView<Scalar, Index> &view) {
    using Format = AijLight<Scalar, Index>;
    return Format::through_kokkos(view, OptionValues(Format::options()), {MemorySpace::device, 1, Kernels::kokkos});
  };
  return std::make_unique<kernels::DeviceMatrix<Scalar, Index, Rows>>(a, DeviceSettings(options), threads, make_several);
}

} // namespace petscspmv::aijlight
