// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include "impls/bccoo/bccoo_spmv.hpp"
#include "kernels/lanes/this_isa.hpp"
#if defined(PETSCSPMV_ISA_avx512) || defined(PETSCSPMV_ISA_avx2)
  #include "impls/bccoo/block_wide.hpp"
#endif

namespace petscspmv::bccoo {
namespace {

#if defined(PETSCSPMV_ISA_avx512) || defined(PETSCSPMV_ISA_avx2)
using ThisBlock = WideBlockLanes<kernels::ThisGroup<false>>;
#else
using ThisBlock = PortableBlockLanes<kernels::ThisScalar>;
#endif

} // namespace

template <kernels::Isa isa, class Scalar> Multiply<Scalar> kernel_of(Shape shape)
{
  return kernel_for<ThisBlock>(shape);
}

template Multiply<kernels::ThisScalar> kernel_of<kernels::this_isa, kernels::ThisScalar>(Shape);

} // namespace petscspmv::bccoo
