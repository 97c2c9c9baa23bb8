// Apart from the kernels for real numbers, because compilers take long for each.
#include "impls/ccoo/ccoo_spmv.hpp"
#include "kernels/lanes/group_portable.hpp"

namespace petscspmv::ccoo {

template <> Multiply<std::complex<double>> multiply_kernel(kernels::Isa, kernels::Gathers)
{
  return &multiply_share<kernels::PortableGroup<std::complex<double>>>;
}

} // namespace petscspmv::ccoo
