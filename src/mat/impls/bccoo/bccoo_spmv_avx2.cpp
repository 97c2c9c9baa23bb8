// Compiled with the flags of this instruction set; see kernels/isa.hpp.
#include "impls/bccoo/bccoo_spmv.hpp"

#include "kernels/block_lanes_avx2.hpp"

namespace petscspmv::bccoo {

Multiply<double> multiply_kernel_avx2(Shape shape)
{
  return kernel_for<kernels::Avx2BlockLanes>(shape);
}

} // namespace petscspmv::bccoo
