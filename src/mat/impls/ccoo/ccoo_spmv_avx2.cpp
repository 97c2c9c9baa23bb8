// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/ccoo/ccoo_spmv.hpp"

#include "kernels/lanes/group_avx2.hpp"

namespace petscspmv::ccoo {

Multiply<double> multiply_kernel_avx2()
{
  return &multiply_share<kernels::Avx2Group>;
}

} // namespace petscspmv::ccoo
