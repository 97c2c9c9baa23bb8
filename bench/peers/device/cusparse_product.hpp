#pragma once

/// \file cusparse_product.hpp
/// What products by cuSPARSE have in common.

#include <cusparse.h>

#include "peers/device/device_product.hpp"

namespace petscspmv::bench {

/// Throws std::runtime_error with cuSPARSE's own words.
void check_cusparse(cusparseStatus_t status, const char *function);

/// cuSPARSE's context of this process, whose work goes to the stream that products are timed on.
cusparseHandle_t cusparse_handle();

inline constexpr cusparseIndexType_t kCusparseIndex = sizeof(Index) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;

/// y = A x by cusparseSpMV. build() of a derived class puts its format into device memory and ends with prepare().
class CusparseProduct : public DeviceProduct {
public:
  CusparseProduct(const Setup &setup, cusparseSpMVAlg_t algorithm) : DeviceProduct(setup), algorithm_(algorithm) { }
  ~CusparseProduct() override { release(); }
  CusparseProduct(const CusparseProduct &)            = delete;
  CusparseProduct &operator=(const CusparseProduct &) = delete;

  void launch() override;

protected:
  /// Takes the matrix over; asks for the buffer and lets cuSPARSE analyse the matrix, which it is advised to for many
  /// products.
  void prepare(cusparseSpMatDescr_t a);

  std::size_t buffer_bytes() const { return buffer_.bytes(); }

private:
  void release();

  cusparseSpMVAlg_t    algorithm_;
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  DeviceArray<char>    buffer_;
};

/// One algorithm of cuSPARSE.
class CusparsePeer : public DevicePeer {
public:
  CusparsePeer(std::string_view name, std::string_view help) : name_(name), help_(help) { }

  std::string_view name() const override { return name_; }
  std::string_view help() const override { return help_; }
  std::string      version() const override;

private:
  std::string_view name_, help_;
};

} // namespace petscspmv::bench
