#include "impls/bccoo/bccoo_device_tiles.cuh"

namespace petscspmv::bccoo {

template <> std::unique_ptr<DeviceTiles<std::complex<double>>> make_device_tiles()
{
  return std::make_unique<device::Tiles<std::complex<double>>>();
}
template <> std::vector<std::complex<double>> from_device(const std::complex<double> *p, std::size_t n)
{
  return kernels::from_device(p, n);
}
template <> void scale_on_device(Local n, std::complex<double> beta, std::complex<double> *y)
{
  device::scale(n, beta, y);
}

} // namespace petscspmv::bccoo
