// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/ccoo/ccoo_spmv.hpp"

#include "kernels/lanes/group_avx512.hpp"

namespace petscspmv::ccoo {

Multiply<double> multiply_kernel_avx512(kernels::Gathers gathers)
{
  return gathers == kernels::Gathers::instruction ? &multiply_share<kernels::Avx512Group<true>>
                                                  : &multiply_share<kernels::Avx512Group<false>>;
}

} // namespace petscspmv::ccoo
