// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include "impls/csr/csr_spmv.hpp"
#include "kernels/lanes/this_isa.hpp"

namespace petscspmv::csr {

template <kernels::Isa isa, class Scalar, class Index> Multiply<Scalar, Index> kernel_of()
{
  return &multiply<kernels::ThisLanes, Index>;
}

template Multiply<kernels::ThisScalar, std::int32_t> kernel_of<kernels::this_isa, kernels::ThisScalar, std::int32_t>();
template Multiply<kernels::ThisScalar, std::int64_t> kernel_of<kernels::this_isa, kernels::ThisScalar, std::int64_t>();

} // namespace petscspmv::csr
