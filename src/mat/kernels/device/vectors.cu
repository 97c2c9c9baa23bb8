#include "kernels/device/vectors.hpp"

#include <complex>

#include "kernels/device/launch.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {
namespace {

template <class S> __global__ void scale(std::int32_t n, const DeviceRowUpdate<S> update)
{
  const std::int32_t i = std::int32_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) update.empty(i);
}

} // namespace

template <class Scalar> void scale_on_device(std::int32_t n, Scalar beta, Scalar *y)
{
  using S = typename OnDevice<Scalar>::type;
  const DeviceRowUpdate<S> update(S(0), S(beta), reinterpret_cast<S *>(y));
  if (n > 0 && !update.adds) launch(scale<S>, one_thread_each(n), n, update);
}

template void scale_on_device(std::int32_t, double, double *);
template void scale_on_device(std::int32_t, std::complex<double>, std::complex<double> *);

} // namespace petscspmv::kernels
