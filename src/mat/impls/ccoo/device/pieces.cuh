#pragma once

/// \file pieces.cuh
/// The pieces of a matrix on a device, kind by kind: how they get there, take new values, and are multiplied.

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/memory/rows.cuh"
#include "impls/ccoo/device/pieces.hpp"

namespace petscspmv::ccoo {
namespace device {

template <class Scalar> using DeviceScalar = typename kernels::OnDevice<Scalar>::type;

/// The pieces of each kind, and what they have in common.
template <class Scalar> struct AllPieces {
  using S = DeviceScalar<Scalar>;

  template <class Visit> void each(const Visit &visit)
  {
    std::apply([&visit](auto &...kind) { (visit(kind), ...); }, kinds);
  }
  template <class Visit> bool any(const Visit &visit) const
  {
    return std::apply([&visit](const auto &...kind) { return (visit(kind) || ...); }, kinds);
  }
  /// Calls visit(kind, Filling) for each, when all of the rows are there.
  template <class Visit> void each_with(const DeviceRows<Scalar> &rows, unsigned *misfit, const Visit &visit)
  {
    with_rows(rows, [&]<class Index>(const RowsView<S, Index> &view) {
      each([&](auto &kind) { visit(kind, Filling<S, Index>{view, misfit}); });
    });
  }
  template <class Kind> DeviceKind<Kind, S>       &of() { return std::get<DeviceKind<Kind, S>>(kinds); }
  template <class Kind> const DeviceKind<Kind, S> &of() const { return std::get<DeviceKind<Kind, S>>(kinds); }

  std::int64_t entries() const
  {
    std::int64_t sum = 0;
    image::Kinds::for_each([&](auto kind) { sum += kind.entries(of<decltype(kind)>().counts()); });
    return sum;
  }

  /// Where all units have one value a slot and there are no chunks, one kernel has those that slide and the others.
  void launch_units_and_chunks(const Pass<S> &p, LaunchesBeside &launches) const
  {
    const auto &units    = of<image::UnitKind>();
    const auto &slides   = of<image::SlideKind>();
    const auto &chunks   = of<image::ChunkKind>();
    const bool  together = !slides.is_empty() && chunks.is_empty() && units.counts().all_by_slot;
    if (!slides.is_empty()) slides.launch_with(units.view(), together, p, launches);
    if (!chunks.is_empty()) chunks.launch_with(units, p, launches);
    else if (!together) units.launch_alone(p, launches);
  }

  image::Kinds::Tuple<DeviceKind, S> kinds;
  Local                              rows = 0, cols = 0;
  bool                               mostly_tiles = false; ///< most entries are in neither units nor chunks
  bool                               checks       = false; ///< new values may not fit
  /// One number, for a refresh to say that a value does not fit. It comes with the other memory: to allocate it takes
  /// longer than to refresh.
  kernels::DeviceArray<unsigned> misfits;
};

/// What an update makes of rows without entries.
template <class S> __global__ void scale_kernel(std::int32_t n, const kernels::DeviceRowUpdate<S> update)
{
  const std::int32_t i = std::int32_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) update.empty(i);
}

} // namespace device

template <class Scalar> DevicePieces<Scalar>::DevicePieces() : all_(std::make_unique<device::AllPieces<Scalar>>()) { }
template <class Scalar> DevicePieces<Scalar>::~DevicePieces() = default;

template <class Scalar> void DevicePieces<Scalar>::upload(const Image &m, int threads, const Rows *rows)
{
  device::AllPieces<Scalar> &all            = *all_;
  const auto                 for_each_array = [&](const auto &visit) {
    all.each([&](auto &kind) { kind.for_each_array(m, visit); });
    all.each([&](auto &kind) { kind.for_each_scratch(m, visit); });
    visit(all.misfits, 1);
  };
  std::size_t bytes = 0;
  for_each_array([&bytes](auto &array, std::size_t n) {
    if (array.size() == n) return;
    array = {};
    if (n > 0) bytes += array.room(n);
  });
  kernels::DeviceBlock block(bytes);
  for_each_array([&block](auto &array, std::size_t n) {
    if (array.size() != n) array = std::decay_t<decltype(array)>(n, block);
  });
  all.each([&](auto &kind) { kind.upload(m, threads); });
  all.rows         = m.rows;
  all.cols         = m.cols;
  all.mostly_tiles = m.entries() > 2 * (m.entries_in_units + m.entries_in_chunks);
  all.checks       = all.any([&m](const auto &kind) { return kind.checks(m); });
  all.each([&m](auto &kind) { kind.prepare(m); });
  if (rows) all.each_with(*rows, nullptr, [&m](auto &kind, const auto &f) { kind.fill(m, f); });
}

template <class Scalar> RowsWanted DevicePieces<Scalar>::wanted() const
{
  return {all_->any([](const auto &kind) { return kind.wants_row_ptr(); }), false, true};
}

template <class Scalar> bool DevicePieces<Scalar>::refresh(const Rows &rows)
{
  device::AllPieces<Scalar> &all = *all_;
  if (all.entries() != rows.nonzeros()) return false;
  all.misfits.clear();
  all.each_with(rows, all.misfits.data(), [](auto &kind, const auto &f) { kind.renew(f); });
  all.template of<image::SlideKind>().renew_weights(all.template of<image::UnitKind>().view().slot, all.misfits.data());
  if (!all.checks) return true; // the host need not wait for the device
  unsigned found = 0;
  all.misfits.download(&found, 1);
  return found == 0;
}

template <class Scalar> std::optional<image::Image<Scalar>> DevicePieces<Scalar>::constants() const
{
  const auto        &units   = all_->template of<image::UnitKind>();
  const std::int64_t entries = units.counts().entries_in_units;
  if (entries == 0 || units.has_own_values() || all_->entries() > entries) return {};
  return download();
}

template <class Scalar> void DevicePieces<Scalar>::renew_constants(const Image &m)
{
  all_->each([&m](auto &kind) { kind.renew_constants(m); });
}

template <class Scalar> image::Image<Scalar> DevicePieces<Scalar>::download() const
{
  Image m;
  m.rows = all_->rows;
  m.cols = all_->cols;
  all_->each([&m](const auto &kind) { kind.download(m); });
  return m;
}

/// Kernels run side by side, and the one that takes longest is launched last: a kernel begins when all blocks of the
/// one before have, which is near the end of a long one.
template <class Scalar> void DevicePieces<Scalar>::multiply(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const
{
  using S = device::DeviceScalar<Scalar>;
  const device::Pass<S>  p{reinterpret_cast<const S *>(x), {S(alpha), S(beta), reinterpret_cast<S *>(y)}};
  device::LaunchesBeside launches;
  if (all_->mostly_tiles) all_->launch_units_and_chunks(p, launches);
  all_->each([&](const auto &kind) { kind.launch(p, launches); });
  if (!all_->mostly_tiles) all_->launch_units_and_chunks(p, launches);
  all_->template of<image::ChunkKind>().join_parts(p);
}

template <class Scalar> void DevicePieces<Scalar>::scale(std::int32_t n, Scalar beta, Scalar *y)
{
  using S = device::DeviceScalar<Scalar>;
  const kernels::DeviceRowUpdate<S> update(S(0), S(beta), reinterpret_cast<S *>(y));
  if (n > 0 && !update.adds) kernels::launch(device::scale_kernel<S>, kernels::one_thread_each(n), n, update);
}

template <class Scalar> bool DevicePieces<Scalar>::has_scratch() const
{
  return all_->any([](const auto &kind) { return kind.has_scratch(); });
}

template <class Scalar> Footprint DevicePieces<Scalar>::footprint() const
{
  Footprint f;
  all_->each([&f](const auto &kind) { kind.add_to(f); });
  all_->each([&f](const auto &kind) { kind.add_scratch_to(f); });
  return f;
}

template <class Scalar> std::size_t DevicePieces<Scalar>::most_hot_columns()
{
  return device::DeviceKind<image::ChunkKind, device::DeviceScalar<Scalar>>::most_hot_columns();
}

template <class Scalar> std::size_t DevicePieces<Scalar>::most_waiting_batches()
{
  return device::DeviceKind<image::BatchKind, device::DeviceScalar<Scalar>>::most_waiting();
}

template <class Scalar> std::unique_ptr<image::Maker> DevicePieces<Scalar>::make_maker(const Rows &rows)
{
  return device::DeviceKind<image::ChunkKind, device::DeviceScalar<Scalar>>::make_maker(rows);
}

} // namespace petscspmv::ccoo
