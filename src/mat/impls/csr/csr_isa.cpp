// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include "impls/csr/csr_many.hpp"
#include "impls/csr/csr_spmv.hpp"
#include "kernels/lanes/this_isa.hpp"

namespace petscspmv::csr {

template <kernels::Isa isa, class Scalar, class Index> Kernels<Scalar, Index> kernels_of()
{
  return {&multiply<kernels::ThisLanes, Index>, &rows_of_columns<kernels::ThisGroup<false>, Index>,
          &scatter_of_columns<kernels::ThisGroup<false>, Index>};
}

template Kernels<kernels::ThisScalar, std::int32_t> kernels_of<kernels::this_isa, kernels::ThisScalar, std::int32_t>();
template Kernels<kernels::ThisScalar, std::int64_t> kernels_of<kernels::this_isa, kernels::ThisScalar, std::int64_t>();

} // namespace petscspmv::csr
