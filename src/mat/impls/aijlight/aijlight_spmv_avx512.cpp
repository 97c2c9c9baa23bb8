// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "impls/aijlight/aijlight_spmv.hpp"

#include "kernels/lanes/avx512.hpp"

namespace petscspmv::aijlight {

template <class Index> Multiply<double, Index> multiply_kernel_avx512()
{
  return &multiply_ticket<kernels::Avx512Lanes, Index>;
}

template Multiply<double, std::int32_t> multiply_kernel_avx512();
template Multiply<double, std::int64_t> multiply_kernel_avx512();

} // namespace petscspmv::aijlight
