// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include "kernels/lanes/this_isa.hpp"
#include "kernels/many/csr_kernel.hpp"

namespace petscspmv::kernels {

template <Isa isa, class Scalar, class Index> CsrColumns<Scalar, Index> csr_columns()
{
  return {&rows_of_columns<ThisGroup<false>, Index>, &scatter_of_columns<ThisGroup<false>, Index>};
}

template CsrColumns<ThisScalar, std::int32_t> csr_columns<this_isa, ThisScalar, std::int32_t>();
template CsrColumns<ThisScalar, std::int64_t> csr_columns<this_isa, ThisScalar, std::int64_t>();

} // namespace petscspmv::kernels
