#include "impls/bccoo/bccoo_device_tiles.cuh"

namespace petscspmv::bccoo {

template <> std::unique_ptr<DeviceTiles<double>> make_device_tiles()
{
  return std::make_unique<device::Tiles<double>>();
}
template <> std::vector<double> from_device(const double *p, std::size_t n)
{
  return kernels::from_device(p, n);
}
template <> void scale_on_device(Local n, double beta, double *y)
{
  device::scale(n, beta, y);
}

} // namespace petscspmv::bccoo
