// Compiled with the flags of this instruction set; see kernels/isa.hpp.
#include "impls/bccoo/bccoo_spmv.hpp"

#include "kernels/block_lanes_avx512.hpp"

namespace petscspmv::bccoo {

Multiply<double> multiply_kernel_avx512(Shape shape)
{
  return kernel_for<kernels::Avx512BlockLanes>(shape);
}

} // namespace petscspmv::bccoo
