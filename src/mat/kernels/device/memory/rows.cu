#include "kernels/device/memory/rows.cuh"

#include <complex>

namespace petscspmv::kernels {

template <class Scalar, class Index> std::unique_ptr<DeviceRows<Scalar>> make_device_rows(const CsrView<Scalar, Index> &a)
{
  return std::make_unique<RowsOnDevice<Scalar, Index>>(a);
}

template std::unique_ptr<DeviceRows<double>>               make_device_rows(const CsrView<double, std::int32_t> &);
template std::unique_ptr<DeviceRows<double>>               make_device_rows(const CsrView<double, std::int64_t> &);
template std::unique_ptr<DeviceRows<std::complex<double>>> make_device_rows(const CsrView<std::complex<double>, std::int32_t> &);
template std::unique_ptr<DeviceRows<std::complex<double>>> make_device_rows(const CsrView<std::complex<double>, std::int64_t> &);

} // namespace petscspmv::kernels
