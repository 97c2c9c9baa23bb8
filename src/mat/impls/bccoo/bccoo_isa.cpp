// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include "impls/bccoo/bccoo_spmv.hpp"
#include "kernels/lanes/this_isa.hpp"

namespace petscspmv::bccoo {

template <kernels::Isa isa, class Scalar> Multiply<Scalar> kernel_of(Shape shape)
{
  return kernel_for<kernels::ThisBlock>(shape);
}

template Multiply<kernels::ThisScalar> kernel_of<kernels::this_isa, kernels::ThisScalar>(Shape);

} // namespace petscspmv::bccoo
