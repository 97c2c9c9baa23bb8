#include "impls/ccoo/device/tiles.cuh"

namespace petscspmv::ccoo {

template <> std::unique_ptr<DeviceTiles<std::complex<double>>> make_device_tiles()
{
  return std::make_unique<device::Tiles<std::complex<double>>>();
}
template <> std::unique_ptr<image::Maker> make_maker(const kernels::DeviceRows<std::complex<double>> &rows)
{
  return std::make_unique<device::Maker<std::complex<double>>>(rows);
}
template <> std::size_t most_hot_columns<std::complex<double>>()
{
  return device::most_hot_columns(sizeof(std::complex<double>));
}
template <> std::size_t most_waiting_batches<std::complex<double>>()
{
  return device::most_waiting_batches<kernels::DeviceComplex>();
}

} // namespace petscspmv::ccoo
