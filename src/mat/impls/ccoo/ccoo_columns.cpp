#include "impls/ccoo/ccoo_columns.hpp"
#include "kernels/lanes/group_portable.hpp"

namespace petscspmv::ccoo {

template <class Scalar> ColumnsKernels<Scalar> columns_kernels([[maybe_unused]] kernels::Isa isa)
{
  if constexpr (kernels::has_wide_kernels<Scalar>) {
    if (isa == kernels::Isa::avx512) return columns_kernels_avx512();
    if (isa == kernels::Isa::avx2) return columns_kernels_avx2();
  }
  using L = kernels::PortableGroup<Scalar>;
  return {&columns_of_tile<L>, &columns_of_chunk<L>};
}

template ColumnsKernels<double>               columns_kernels(kernels::Isa);
template ColumnsKernels<std::complex<double>> columns_kernels(kernels::Isa);

} // namespace petscspmv::ccoo
