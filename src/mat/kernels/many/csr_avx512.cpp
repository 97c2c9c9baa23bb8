// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "kernels/many/csr_kernel.hpp"

#include "kernels/lanes/group_avx512.hpp"

namespace petscspmv::kernels {

template <class Index> CsrColumns<double, Index> csr_columns_avx512()
{
  return csr_columns<Avx512Group<false>, Index>();
}

template CsrColumns<double, std::int32_t> csr_columns_avx512();
template CsrColumns<double, std::int64_t> csr_columns_avx512();

} // namespace petscspmv::kernels
