// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/aijspec/aijspec_spmv.hpp"

#include "kernels/lanes/avx2.hpp"

namespace petscspmv::aijspec {

template <class Index> Multiply<double, Index> multiply_kernel_avx2()
{
  return &multiply_bunches<kernels::Avx2Lanes, Index>;
}

template Multiply<double, std::int32_t> multiply_kernel_avx2();
template Multiply<double, std::int64_t> multiply_kernel_avx2();

} // namespace petscspmv::aijspec
