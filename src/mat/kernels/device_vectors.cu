#include "kernels/device_vectors.hpp"

#include <complex>

#include "kernels/device_array.cuh"
#include "kernels/device_scale.cuh"

namespace petscspmv::kernels {

bool is_device_address(const void *p)
{
  return is_on_device(p);
}

template <class Scalar> std::vector<Scalar> from_device(const Scalar *p, std::size_t n)
{
  if (n == 0 || !is_on_device(p)) return {};
  std::vector<Scalar> values(n);
  check_cuda(cudaMemcpyAsync(values.data(), p, n * sizeof(Scalar), cudaMemcpyDefault, current_stream()), "copy to the host");
  check_cuda(cudaStreamSynchronize(current_stream()), "copy to the host");
  return values;
}

template <class Scalar> void scale_on_device(std::int32_t n, Scalar beta, Scalar *y)
{
  using S = typename OnDevice<Scalar>::type;
  scale_rows(n, DeviceRowUpdate<S>(S(0), S(beta), reinterpret_cast<S *>(y)));
}

template std::vector<double>               from_device(const double *, std::size_t);
template std::vector<std::complex<double>> from_device(const std::complex<double> *, std::size_t);
template void                              scale_on_device(std::int32_t, double, double *);
template void                              scale_on_device(std::int32_t, std::complex<double>, std::complex<double> *);

} // namespace petscspmv::kernels
