#include "impls/ccoo/device/batch/batch_launch.cuh"
#include "impls/ccoo/device/chunk/chunk_fill.cuh"
#include "impls/ccoo/device/chunk/chunk_launch.cuh"
#include "impls/ccoo/device/node/node_kernel.cuh"
#include "impls/ccoo/device/pieces.cuh"
#include "impls/ccoo/device/slide/slide_kernel.cuh"
#include "impls/ccoo/device/unit/unit_fill.cuh"

namespace petscspmv::ccoo {

template class DevicePieces<double>;
template std::unique_ptr<DeviceRows<double>> make_device_rows(const CsrView<double, std::int32_t> &);
template std::unique_ptr<DeviceRows<double>> make_device_rows(const CsrView<double, std::int64_t> &);

} // namespace petscspmv::ccoo
