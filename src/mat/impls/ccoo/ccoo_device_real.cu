#include "impls/ccoo/ccoo_device_tiles.cuh"

namespace petscspmv::ccoo {

template <> std::unique_ptr<DeviceTiles<double>> make_device_tiles()
{
  return std::make_unique<device::Tiles<double>>();
}
template <> void scale_on_device(Local n, double beta, double *y)
{
  device::scale(n, beta, y);
}

} // namespace petscspmv::ccoo
