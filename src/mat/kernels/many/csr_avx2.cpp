// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "kernels/many/csr_kernel.hpp"

#include "kernels/lanes/group_avx2.hpp"

namespace petscspmv::kernels {

template <class Index> CsrColumns<double, Index> csr_columns_avx2()
{
  return csr_columns<Avx2Group, Index>();
}

template CsrColumns<double, std::int32_t> csr_columns_avx2();
template CsrColumns<double, std::int64_t> csr_columns_avx2();

} // namespace petscspmv::kernels
