#include "kernels/device/vectors.hpp"

#include <complex>

#include "kernels/device/scale.cuh"

namespace petscspmv::kernels {

template <class Scalar> void scale_on_device(std::int32_t n, Scalar beta, Scalar *y)
{
  using S = typename OnDevice<Scalar>::type;
  scale_rows(n, DeviceRowUpdate<S>(S(0), S(beta), reinterpret_cast<S *>(y)));
}

template void scale_on_device(std::int32_t, double, double *);
template void scale_on_device(std::int32_t, std::complex<double>, std::complex<double> *);

} // namespace petscspmv::kernels
