// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include "impls/ccoo/ccoo_spmv.hpp"
#include "kernels/lanes/this_isa.hpp"

namespace petscspmv::ccoo {

template <kernels::Isa isa, class Scalar> Multiply<Scalar> kernel_of(Gathers gathers)
{
  // NOLINTNEXTLINE(misc-redundant-expression): where there is no instruction, groups gather in one way
  return gathers == Gathers::instruction ? &multiply_share<kernels::ThisGroup<true>> : &multiply_share<kernels::ThisGroup<false>>;
}

template Multiply<kernels::ThisScalar> kernel_of<kernels::this_isa, kernels::ThisScalar>(Gathers);

} // namespace petscspmv::ccoo
