#pragma once

/// \file ccoo_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device, in one launch.

#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "impls/ccoo/tiles/chunk_device.cuh"
#include "impls/ccoo/tiles/diagonal_device.cuh"

namespace petscspmv::ccoo::device {

/// Warps of a block of threads, with chunks or without.
template <bool chunks> inline constexpr unsigned block_warps = chunks ? tuning::device_chunk_warps : tuning::device_unit_warps;

/// Blocks of threads that a multiprocessor shall hold; registers are kept so few that they fit.
template <class S, bool chunks>
inline constexpr unsigned blocks_at_a_time = (chunks ? tuning::device_chunk_warps_at_a_time : tuning::device_unit_warps_at_a_time) /
                                             block_warps<chunks> / (sizeof(S) / sizeof(double));

/// A warp for each chunk, and one for each unit; those of chunks, which take longer, begin first.
template <class S, bool units, bool chunks>
__global__ void __launch_bounds__(block_warps<chunks> *image::lanes, blocks_at_a_time<S, chunks>)
  multiply_kernel(const __grid_constant__ Product<S> p)
{
  constexpr unsigned warps = block_warps<chunks>;
  const unsigned     warp  = threadIdx.x / image::lanes;
  unsigned           block = blockIdx.x;
  if constexpr (chunks) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned                                of_chunks = (p.a.chunks + warps - 1) / warps;
    if (block < of_chunks) {
      const unsigned i = block * warps + warp;
      if (i < p.a.chunks) multiply_chunk(p, i, reinterpret_cast<S *>(shared) + warp * p.a.most_ends);
      return;
    }
    block -= of_chunks;
  }
  if constexpr (units) {
    const unsigned i = block * warps + warp;
    if (i < p.a.units) multiply_unit(p, i);
  }
}

} // namespace petscspmv::ccoo::device
