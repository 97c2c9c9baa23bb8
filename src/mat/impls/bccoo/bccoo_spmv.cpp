#include "impls/bccoo/bccoo_spmv.hpp"

namespace petscspmv::bccoo {

template <> Multiply<double> multiply_kernel([[maybe_unused]] kernels::Isa isa, Shape shape)
{
  if constexpr (kernels::has_wide_kernels<double>) {
    if (isa == kernels::Isa::avx512) return multiply_kernel_avx512(shape);
    if (isa == kernels::Isa::avx2) return multiply_kernel_avx2(shape);
  }
  return kernel_for<kernels::PortableBlockLanes<double>>(shape);
}

} // namespace petscspmv::bccoo
