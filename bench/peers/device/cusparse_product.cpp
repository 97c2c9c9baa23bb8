#include "peers/device/cusparse_product.hpp"

#include <stdexcept>

namespace petscspmv::bench {

namespace {

constexpr double kOne = 1, kZero = 0;

} // namespace

void check_cusparse(cusparseStatus_t status, const char *function)
{
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(std::string(function) + " says: " + cusparseGetErrorString(status));
}

cusparseHandle_t cusparse_handle()
{
  static const cusparseHandle_t handle = [] {
    cusparseHandle_t h = nullptr;
    check_cusparse(cusparseCreate(&h), "cusparseCreate");
    return h;
  }();
  check_cusparse(cusparseSetStream(handle, kernels::current_stream()), "cusparseSetStream");
  return handle;
}

void CusparseProduct::release()
{
  if (x_) static_cast<void>(cusparseDestroyDnVec(x_));
  if (y_) static_cast<void>(cusparseDestroyDnVec(y_));
  if (a_) static_cast<void>(cusparseDestroySpMat(a_));
  a_ = nullptr;
  x_ = y_ = nullptr;
}

void CusparseProduct::prepare(cusparseSpMatDescr_t a)
{
  release();
  a_ = a;
  check_cusparse(cusparseCreateDnVec(&x_, matrix().cols, const_cast<double *>(x()), CUDA_R_64F), "cusparseCreateDnVec");
  check_cusparse(cusparseCreateDnVec(&y_, matrix().rows, y(), CUDA_R_64F), "cusparseCreateDnVec");
  std::size_t bytes = 0;
  check_cusparse(
    cusparseSpMV_bufferSize(cusparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a_, x_, &kZero, y_, CUDA_R_64F, algorithm_, &bytes),
    "cusparseSpMV_bufferSize");
  buffer_ = DeviceArray<char>(bytes);
#if CUDART_VERSION >= 12040
  const cusparseStatus_t status = cusparseSpMV_preprocess(cusparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a_, x_, &kZero, y_,
                                                          CUDA_R_64F, algorithm_, buffer_.data());
  // Formats that there is nothing to prepare for may say so.
  if (status != CUSPARSE_STATUS_NOT_SUPPORTED) check_cusparse(status, "cusparseSpMV_preprocess");
#endif
}

void CusparseProduct::launch()
{
  check_cusparse(
    cusparseSpMV(cusparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a_, x_, &kZero, y_, CUDA_R_64F, algorithm_, buffer_.data()),
    "cusparseSpMV");
}

std::string CusparsePeer::version() const
{
  int major = 0, minor = 0, patch = 0;
  static_cast<void>(cusparseGetProperty(MAJOR_VERSION, &major));
  static_cast<void>(cusparseGetProperty(MINOR_VERSION, &minor));
  static_cast<void>(cusparseGetProperty(PATCH_LEVEL, &patch));
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

} // namespace petscspmv::bench
