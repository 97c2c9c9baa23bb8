#include "impls/ccoo/device/tiles.cuh"

namespace petscspmv::ccoo {

template <> std::unique_ptr<DeviceTiles<double>> make_device_tiles()
{
  return std::make_unique<device::Tiles<double>>();
}
template <> std::unique_ptr<image::Maker> make_maker(const kernels::DeviceRows<double> &rows)
{
  return std::make_unique<device::Maker<double>>(rows);
}
template <> std::size_t most_hot_columns<double>()
{
  return device::most_hot_columns(sizeof(double));
}
template <> std::size_t most_waiting_batches<double>()
{
  return device::most_waiting_batches<double>();
}

} // namespace petscspmv::ccoo
