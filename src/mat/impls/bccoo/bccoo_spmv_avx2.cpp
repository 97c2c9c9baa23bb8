// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/bccoo/bccoo_spmv.hpp"

#include "kernels/lanes/block_avx2.hpp"

namespace petscspmv::bccoo {

Multiply<double> multiply_kernel_avx2(Shape shape)
{
  return kernel_for<kernels::Avx2BlockLanes>(shape);
}

} // namespace petscspmv::bccoo
