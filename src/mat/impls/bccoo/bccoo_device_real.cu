#include "impls/bccoo/bccoo_device_tiles.cuh"

namespace petscspmv::bccoo {

template <> std::unique_ptr<DeviceTiles<double>> make_device_tiles()
{
  return std::make_unique<device::Tiles<double>>();
}

} // namespace petscspmv::bccoo
