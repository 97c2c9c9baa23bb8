// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/aijspec/aijspec_spmv.hpp"

#include "kernels/lanes/avx512.hpp"

namespace petscspmv::aijspec {

template <class Index> Multiply<double, Index> multiply_kernel_avx512()
{
  return &multiply_bunches<kernels::Avx512Lanes, Index>;
}

template Multiply<double, std::int32_t> multiply_kernel_avx512();
template Multiply<double, std::int64_t> multiply_kernel_avx512();

} // namespace petscspmv::aijspec
