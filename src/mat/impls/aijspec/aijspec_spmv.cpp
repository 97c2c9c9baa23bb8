#include "impls/aijspec/aijspec_spmv.hpp"

#include "kernels/lanes/portable.hpp"

namespace petscspmv::aijspec {

template <class Scalar, class Index> Multiply<Scalar, Index> multiply_kernel([[maybe_unused]] kernels::Isa isa)
{
  if constexpr (kernels::has_wide_kernels<Scalar>) {
    if (isa == kernels::Isa::avx512) return multiply_kernel_avx512<Index>();
    if (isa == kernels::Isa::avx2) return multiply_kernel_avx2<Index>();
  }
  return &multiply_bunches<kernels::PortableLanes<Scalar>, Index>;
}

template Multiply<double, std::int32_t>               multiply_kernel(kernels::Isa);
template Multiply<double, std::int64_t>               multiply_kernel(kernels::Isa);
template Multiply<std::complex<double>, std::int32_t> multiply_kernel(kernels::Isa);
template Multiply<std::complex<double>, std::int64_t> multiply_kernel(kernels::Isa);

} // namespace petscspmv::aijspec
