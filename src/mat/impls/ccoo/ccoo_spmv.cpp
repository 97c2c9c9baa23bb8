#include "impls/ccoo/ccoo_spmv.hpp"
#include "kernels/lanes/group_portable.hpp"

namespace petscspmv::ccoo {

template <> Multiply<double> multiply_kernel([[maybe_unused]] kernels::Isa isa, [[maybe_unused]] kernels::Gathers gathers)
{
  if constexpr (kernels::has_wide_kernels<double>) {
    if (isa == kernels::Isa::avx512) return multiply_kernel_avx512(gathers);
    if (isa == kernels::Isa::avx2) return multiply_kernel_avx2();
  }
  return &multiply_share<kernels::PortableGroup<double>>;
}

} // namespace petscspmv::ccoo
