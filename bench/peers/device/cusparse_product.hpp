#pragma once

/// \file cusparse_product.hpp
/// What products by cuSPARSE have in common.

#include <array>

#include <cusparse.h>

#include "peers/device/device_product.hpp"

namespace petscspmv::bench {

/// Throws std::runtime_error with cuSPARSE's own words.
void check_cusparse(cusparseStatus_t status, const char *function);

/// cuSPARSE's context of this process, whose work goes to the stream that products are timed on.
cusparseHandle_t cusparse_handle();

/// Of the library that is loaded: {12, 6, 3}, "12.6.3".
std::array<int, 3> cusparse_version();
std::string        cusparse_version_text();

inline constexpr cusparseIndexType_t kCusparseIndex = sizeof(Index) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;

/// CSR in device memory.
struct DeviceCsr {
  DeviceArray<Index>  row_ptr, col;
  DeviceArray<double> val;

  /// Uploads it, and describes it to cuSPARSE. The caller destroys the description.
  cusparseSpMatDescr_t create(const CsrMatrix &matrix, const std::vector<double> &values);
};

/// y = A x by a function of cuSPARSE's that takes descriptions of A, x and y.
class CusparseProduct : public DeviceProduct {
public:
  using DeviceProduct::DeviceProduct;
  ~CusparseProduct() override { release(); }
  CusparseProduct(const CusparseProduct &)            = delete;
  CusparseProduct &operator=(const CusparseProduct &) = delete;

protected:
  /// Takes the description of the matrix over, and describes x and y.
  void describe(cusparseSpMatDescr_t a);

  std::int64_t buffer_bytes() const { return std::int64_t(buffer_.bytes()); }

  static constexpr double kOne = 1, kZero = 0;

  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  DeviceArray<char>    buffer_;

private:
  void release();
};

/// By cusparseSpMV. build() of a derived class puts its format into device memory and ends with prepare().
class SpmvProduct : public CusparseProduct {
public:
  SpmvProduct(const Setup &setup, cusparseSpMVAlg_t algorithm) : CusparseProduct(setup), algorithm_(algorithm) { }

  void launch() override;

protected:
  /// Takes the matrix over; asks for the buffer and lets cuSPARSE analyse the matrix, which it is advised to for many
  /// products.
  void prepare(cusparseSpMatDescr_t a);

private:
  cusparseSpMVAlg_t algorithm_;
};

/// One algorithm of cuSPARSE.
class CusparsePeer : public DevicePeer {
public:
  CusparsePeer(std::string_view name, std::string_view help) : name_(name), help_(help) { }

  std::string_view name() const override { return name_; }
  std::string_view help() const override { return help_; }
  std::string_view library() const override { return "cuSPARSE"; }
  std::string      version() const override { return cusparse_version_text(); }

private:
  std::string_view name_, help_;
};

} // namespace petscspmv::bench
