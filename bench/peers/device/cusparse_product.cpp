#include "peers/device/cusparse_product.hpp"

#include <stdexcept>

namespace petscspmv::bench {

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

std::array<int, 3> cusparse_version()
{
  std::array<int, 3>                           version{};
  constexpr std::array<libraryPropertyType, 3> parts{MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (std::size_t k = 0; k < 3; ++k) check_cusparse(cusparseGetProperty(parts[k], &version[k]), "cusparseGetProperty");
  return version;
}

std::string cusparse_version_text()
{
  const auto [major, minor, patch] = cusparse_version();
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

cusparseSpMatDescr_t DeviceCsr::create(const CsrMatrix &matrix, const std::vector<double> &values)
{
  row_ptr                          = uploaded(matrix.row_ptr);
  col                              = uploaded(matrix.col);
  val                              = uploaded(values);
  cusparseSpMatDescr_t description = nullptr;
  check_cusparse(cusparseCreateCsr(&description, matrix.rows, matrix.cols, matrix.nonzeros(), row_ptr.data(), col.data(), val.data(),
                                   kCusparseIndex, kCusparseIndex, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                 "cusparseCreateCsr");
  return description;
}

void CusparseProduct::release()
{
  if (x_) static_cast<void>(cusparseDestroyDnVec(x_));
  if (y_) static_cast<void>(cusparseDestroyDnVec(y_));
  if (a_) static_cast<void>(cusparseDestroySpMat(a_));
  a_ = nullptr;
  x_ = y_ = nullptr;
}

void CusparseProduct::describe(cusparseSpMatDescr_t a)
{
  release();
  a_ = a;
  check_cusparse(cusparseCreateDnVec(&x_, matrix().cols, const_cast<double *>(x()), CUDA_R_64F), "cusparseCreateDnVec");
  check_cusparse(cusparseCreateDnVec(&y_, matrix().rows, y(), CUDA_R_64F), "cusparseCreateDnVec");
}

void SpmvProduct::prepare(cusparseSpMatDescr_t a)
{
  describe(a);
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

void SpmvProduct::launch()
{
  check_cusparse(
    cusparseSpMV(cusparse_handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, a_, x_, &kZero, y_, CUDA_R_64F, algorithm_, buffer_.data()),
    "cusparseSpMV");
}

} // namespace petscspmv::bench
