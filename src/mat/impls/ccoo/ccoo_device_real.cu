#include "impls/ccoo/ccoo_device_tiles.cuh"

namespace petscspmv::ccoo {

template <> std::unique_ptr<DeviceTiles<double>> make_device_tiles()
{
  return std::make_unique<device::Tiles<double>>();
}
template <> std::unique_ptr<DeviceRows<double>> make_device_rows(const CsrView<double, std::int32_t> &a)
{
  return std::make_unique<device::Rows<double, std::int32_t>>(a);
}
template <> std::unique_ptr<DeviceRows<double>> make_device_rows(const CsrView<double, std::int64_t> &a)
{
  return std::make_unique<device::Rows<double, std::int64_t>>(a);
}
template <> std::vector<double> from_device(const double *p, std::size_t n)
{
  return kernels::from_device(p, n);
}
template <> void scale_on_device(Local n, double beta, double *y)
{
  device::scale(n, beta, y);
}

} // namespace petscspmv::ccoo
