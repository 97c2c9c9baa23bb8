#pragma once

/// \file image.hpp
/// An *image*: a matrix as it lies on a device, in host memory. What a plan becomes before it is copied there, and what
/// comes back to be decoded.
///
/// A small matrix consists of *batches*, 1024 entries of whole rows each (batch/batch_arrays.hpp). Others consist of
/// pieces of three kinds, each the work of one warp:
///
/// - a *unit* is 128 rows of a diagonal tile (unit/unit_arrays.hpp), some of which *slide* (slide/slide_arrays.hpp);
/// - a *chunk* is 512 consecutive entries (chunk/chunk_arrays.hpp);
/// - a *unit of nodes* is 32 nodes of a gather tile (node/node_arrays.hpp).

#include <functional>

#include "impls/ccoo/device/batch/batch_arrays.hpp"
#include "impls/ccoo/device/chunk/chunk_arrays.hpp"
#include "impls/ccoo/device/host_kind.hpp"
#include "impls/ccoo/device/node/node_arrays.hpp"
#include "impls/ccoo/device/slide/slide_arrays.hpp"
#include "impls/ccoo/device/unit/unit_arrays.hpp"

namespace petscspmv::ccoo::image {

/// Made in this order: units before those that slide. Kernels of their own are launched in it, too. Image and
/// DevicePieces have what there is of each.
using Kinds = KindList<UnitKind, SlideKind, NodeKind, ChunkKind, BatchKind>;

/// Calls visit(name, array...) for each array of one or several images.
template <class Visit, class... M> void for_each_array(const Visit &visit, M &...m)
{
  Kinds::for_each([&](auto kind) { decltype(kind)::for_each_array(visit, m...); });
}

/// The plan of a matrix for an image. Throws FormatError and std::bad_alloc.
template <class Scalar, class Index>
Plan<Scalar, Index, DeviceGroup> plan_for_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads);

template <class Scalar> struct Image : Kinds::Parts<Scalar> {
  Local rows = 0, cols = 0;

  Image() = default;
  /// What the plan of `a` says, with up to so many hot columns. With a `maker`, rooms are left to be filled on the
  /// device, but for columns of nodes, and for values in tables that are too long to be searched there. Throws
  /// FormatError for a matrix that is too large, and std::bad_alloc.
  template <class Index>
  Image(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const OptionValues &options, int threads,
        std::size_t most_hot = tuning::device_hot_columns, const Maker *maker = nullptr);
  /// All of a small matrix.
  Image(Local rows_, Local cols_, Part<BatchKind, Scalar> &&batches) : rows(rows_), cols(cols_)
  {
    static_cast<Part<BatchKind, Scalar> &>(*this) = std::move(batches);
  }

  /// Calls visit(row, column, value) for each entry; those of a row in their order.
  void  decode(const std::function<void(Local, Local, Scalar)> &visit) const;
  Facts facts() const;
  /// Of an image whose values are all with patterns, such as those of a stencil: those of `a`, found without bringing
  /// all of them to the device. False if they do not fit.
  template <class Index> bool renew_constants(const CsrView<Scalar, Index> &a, int threads);
};

} // namespace petscspmv::ccoo::image
