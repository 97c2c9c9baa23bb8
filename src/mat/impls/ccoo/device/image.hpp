#pragma once

/// \file image.hpp
/// A matrix as it lies on a device, in host memory: what a plan becomes before it is copied there, and what comes back
/// to be decoded.
///
/// A small matrix consists of *batches*, 1024 entries of whole rows each (batch/batch_image.hpp). Others consist of pieces of
/// three kinds, each the work of one warp:
///
/// - a *unit* is 128 rows of a diagonal tile (unit/unit_image.hpp), some of which *slide* (slide/slide_image.hpp);
/// - a *chunk* is 512 consecutive entries (chunk/chunk_image.hpp);
/// - a *unit of nodes* is 32 nodes of a gather tile (node/node_image.hpp).

#include <functional>

#include "impls/ccoo/device/kinds.hpp"

namespace petscspmv::ccoo::image {

/// Calls visit(name, array...) for each array of one or several images, or of what has arrays of the same names.
template <class Visit, class... M> void for_each_array(const Visit &visit, M &...m)
{
  Kinds::for_each([&](auto kind) { decltype(kind)::for_each_array(visit, m...); });
}

/// What is known of an image besides its arrays.
struct Summary : Kinds::Counts {
  Local rows = 0, cols = 0;
};

/// The plan of a matrix for an image. Throws FormatError and std::bad_alloc.
template <class Scalar, class Index>
Plan<Scalar, Index, DeviceGroup> plan_for_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads);

template <class Scalar> struct Image : Summary, Kinds::Arrays<Scalar, InHostMemory> {
  Image() = default;
  /// What the plan of `a` says, with up to so many hot columns. With a `maker`, rooms are left to be filled on the
  /// device, but for columns of nodes, and for values in tables that are too long to be searched there. Throws
  /// FormatError for a matrix that is too large, and std::bad_alloc.
  template <class Index>
  Image(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const OptionValues &options, int threads,
        std::size_t most_hot = tuning::device_hot_columns, const Maker *maker = nullptr);

  /// Calls visit(row, column, value) for each entry; those of a row in their order.
  void  decode(const std::function<void(Local, Local, Scalar)> &visit) const;
  Facts facts() const;
};

} // namespace petscspmv::ccoo::image
