#include "impls/bccoo/bccoo_device_tiles.cuh"

namespace petscspmv::bccoo {

template <> std::unique_ptr<DeviceTiles<std::complex<double>>> make_device_tiles()
{
  return std::make_unique<device::Tiles<std::complex<double>>>();
}

} // namespace petscspmv::bccoo
