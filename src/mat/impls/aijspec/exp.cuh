#pragma once
namespace petscspmv::aijspec {
template <int threads, int each, int per_sm, class Scalar, class Index>
__global__ void __launch_bounds__(threads, per_sm) bunch_kernel(const __grid_constant__ Product<Scalar, Index> p)
{
  extern __shared__ __align__(128) unsigned char shared[];
  if (blockIdx.x < p.a.dirty_ranges) return sum_dirty_rows<threads>(p, p.a.dirty[blockIdx.x]);
  multiply_bunches<threads, each>(p, blockIdx.x - p.a.dirty_ranges, gridDim.x - p.a.dirty_ranges, shared);
}
}
