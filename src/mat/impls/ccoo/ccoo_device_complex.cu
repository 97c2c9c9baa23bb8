#include "impls/ccoo/ccoo_device_tiles.cuh"

namespace petscspmv::ccoo {

template <> std::unique_ptr<DeviceTiles<std::complex<double>>> make_device_tiles()
{
  return std::make_unique<device::Tiles<std::complex<double>>>();
}
template <> void scale_on_device(Local n, std::complex<double> beta, std::complex<double> *y)
{
  device::scale(n, beta, y);
}

} // namespace petscspmv::ccoo
