// Apart from the kernels for real numbers, because compilers take long for each.
#include "impls/bccoo/bccoo_spmv.hpp"

namespace petscspmv::bccoo {

template <> Multiply<std::complex<double>> multiply_kernel(kernels::Isa, Shape shape)
{
  return kernel_for<kernels::PortableBlockLanes<std::complex<double>>>(shape);
}

} // namespace petscspmv::bccoo
