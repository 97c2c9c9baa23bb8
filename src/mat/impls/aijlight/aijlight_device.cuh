#pragma once

/// \file aijlight_device.cuh
/// A matrix on the device: plain CSR there, which is multiplied through Kokkos.

#include <string>
#include <utility>

#include "impls/aijlight/aijlight_kokkos.hpp"
#include "kernels/device/memory/matrix.cuh"
#include "kernels/kokkos/instance.hpp"

namespace petscspmv::aijlight {

/// The arrays of CSR and what deals their rows, with products for plain op; see kernels::DeviceMatrix.
template <class Scalar, class Index> class DeviceRows : public kernels::DeviceCsr<kernels::KokkosScalar<Scalar>, Index> {
  using S      = kernels::KokkosScalar<Scalar>;
  using Csr    = kernels::DeviceCsr<S, Index>;
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  using OnHost = LightMatrix<Scalar, Index, Kokkos::HostSpace>;

public:
  using Settings = OptionValues;

  static constexpr bool wants_host_row_ptr = true;

  DeviceRows(typename Csr::Array row_ptr, typename Csr::Array col, const Index *host_row_ptr, const Settings &settings)
    : DeviceRows(std::move(row_ptr), std::move(col), OnHost(host_row_ptr, static_cast<Index>(row_ptr.size() - 1), settings, true))
  {
  }

  void multiply(bool conjugate, const S *x, const kernels::DeviceRowUpdate<S> &update) const
  {
    LightMatrix<Scalar, Index, Memory> a;
    a.summary = summary_;
    a.row_ptr = borrowed(Csr::row_ptr());
    a.col     = borrowed(Csr::col());
    a.val     = borrowed(Csr::val());
    a.ticket  = borrowed(ticket_);
    a.cut     = borrowed(cut_);
    a.part    = borrowed(part_);
    a.multiply(kernels::current_instance(), {},
               kernels::KokkosProduct<S>{x, kernels::KokkosRowUpdate<S>(update.alpha, update.beta, update.y), conjugate});
  }

  bool has_scratch() const { return part_.size() > 0; }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    Csr::add_to(f, prefix);
    Csr::add(f, prefix + "tickets", ticket_.bytes());
    Csr::add(f, prefix + "long rows", cut_.bytes());
    Csr::add(f, prefix + "sums of pieces of long rows", part_.bytes());
  }

  /// `rows` is null for a matrix without entries.
  static Facts facts(const DeviceRows *rows) { return rows ? rows->facts_ : Facts{{"tickets", "0"}}; }

private:
  DeviceRows(typename Csr::Array &&row_ptr, typename Csr::Array &&col, const OnHost &dealt)
    : Csr(std::move(row_ptr), std::move(col)), summary_(dealt.summary), facts_(dealt.facts()), ticket_(dealt.ticket.extent(0)),
      cut_(dealt.cut.extent(0)), part_(dealt.part.extent(0))
  {
    ticket_.upload(dealt.ticket.data());
    cut_.upload(dealt.cut.data());
  }

  template <class Array> static auto borrowed(const Array &array) { return kernels::borrowed_array<Memory>(array.data(), array.size()); }

  LightSummary                                     summary_;
  Facts                                            facts_;
  kernels::DeviceArray<Ticket<Index>>              ticket_;
  kernels::DeviceArray<kernels::CutSegment<Index>> cut_;
  kernels::DeviceArray<S>                          part_;
};

} // namespace petscspmv::aijlight
