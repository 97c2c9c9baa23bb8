#pragma once

/// \file kinds.cuh
/// What the kinds of pieces of kinds.hpp do on a device: which kernels a product takes, and how values get there.

#include <tuple>

#include "impls/ccoo/device/batch/batch_launch.cuh"
#include "impls/ccoo/device/chunk/chunk_launch.cuh"
#include "impls/ccoo/device/node/node_kernel.cuh"
#include "impls/ccoo/device/slide/slide_kernel.cuh"
#include "impls/ccoo/device/unit/unit_fill.cuh"

namespace petscspmv::ccoo::device {

/// All kinds of an image. S is the device's scalar.
template <class S> class Kinds {
public:
  Kinds() = default;
  /// Kernels get the shared memory that they ask for. Throws FormatError.
  template <class Image> explicit Kinds(const Image &m) : mostly_tiles_(m.entries() > 2 * (m.entries_in_units + m.entries_in_chunks))
  {
    std::apply(
      [&](auto &...kind) {
        (kind.prepare(m), ...);
        checks_ = (kind.checks(m) || ...);
      },
      kinds_);
  }

  /// Whether new values may not fit.
  bool check() const { return checks_; }

  bool want_row_ptr(const Arrays<S> &a) const
  {
    return std::apply([&](const auto &...kind) { return (kind.wants_row_ptr(a) || ...); }, kinds_);
  }
  /// What the image has left.
  template <class Index, class Image> void fill(const Filling<S, Index> &f, const Image &m) const
  {
    std::apply([&](const auto &...kind) { (kind.fill(f, m), ...); }, kinds_);
  }
  /// New values.
  template <class Index> void renew(const Filling<S, Index> &f) const
  {
    std::apply([&](const auto &...kind) { (kind.renew(f), ...); }, kinds_);
  }

  /// A product. Kernels run side by side, and the one that takes longest is launched last: a kernel begins when all
  /// blocks of the one before have, which is near the end of a long one.
  void multiply(const Product<S> &p) const
  {
    LaunchesBeside launches;
    if (mostly_tiles_) launch_units_and_chunks(p, launches);
    std::apply([&](const auto &...kind) { (kind.launch(p, launches), ...); }, kinds_);
    if (!mostly_tiles_) launch_units_and_chunks(p, launches);
    of<image::ChunkKind>().join_parts(p);
  }

private:
  template <class Kind> const DeviceKind<Kind, S> &of() const { return std::get<DeviceKind<Kind, S>>(kinds_); }

  /// Where all units have one value a slot and there are no chunks, one kernel has those that slide and the others.
  void launch_units_and_chunks(const Product<S> &p, LaunchesBeside &launches) const
  {
    const bool slide = p.a.slide.size() > 0, together = slide && of<image::ChunkKind>().only_by_slot(p);
    if (slide) of<image::SlideKind>().launch_with(together, p, launches);
    if (!together) of<image::ChunkKind>().launch_with_units(p, launches);
  }

  image::Kinds::Tuple<DeviceKind, S> kinds_;
  bool                               mostly_tiles_ = false; ///< most entries are in neither units nor chunks
  bool                               checks_       = false;
};

} // namespace petscspmv::ccoo::device
