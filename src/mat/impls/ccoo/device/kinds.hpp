#pragma once

/// \file kinds.hpp
/// The kinds of pieces of a matrix on a device; what they do there is in kinds.cuh.

#include "impls/ccoo/device/batch/batch_image.hpp"
#include "impls/ccoo/device/chunk/chunk_image.hpp"
#include "impls/ccoo/device/node/node_image.hpp"
#include "impls/ccoo/device/slide/slide_image.hpp"
#include "impls/ccoo/device/unit/unit_image.hpp"

namespace petscspmv::ccoo::image {

/// Made in this order: units before those that slide. Kernels of their own are launched in it, too.
using Kinds = KindList<UnitKind, SlideKind, NodeKind, ChunkKind, BatchKind>;

} // namespace petscspmv::ccoo::image
