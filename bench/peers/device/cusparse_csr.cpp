/// \file cusparse_csr.cpp
/// cuSPARSE on CSR, both algorithms, prepared by cusparseSpMV_preprocess.

#include "peers/device/cusparse_product.hpp"

namespace petscspmv::bench {

namespace {

class CsrProduct final : public CusparseProduct {
public:
  using CusparseProduct::CusparseProduct;

  void build() override
  {
    row_ptr_               = uploaded(matrix().row_ptr);
    col_                   = uploaded(matrix().col);
    val_                   = uploaded(values());
    cusparseSpMatDescr_t a = nullptr;
    check_cusparse(cusparseCreateCsr(&a, matrix().rows, matrix().cols, matrix().nonzeros(), row_ptr_.data(), col_.data(), val_.data(),
                                     kCusparseIndex, kCusparseIndex, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                   "cusparseCreateCsr");
    prepare(a);
  }

  std::optional<ProductBytes> bytes() const override
  {
    const std::int64_t csr = csr_bytes(size_of(matrix()));
    return ProductBytes{csr, csr + std::int64_t(buffer_bytes())};
  }

private:
  DeviceArray<Index>  row_ptr_, col_;
  DeviceArray<double> val_;
};

template <cusparseSpMVAlg_t algorithm> class CsrPeer final : public CusparsePeer {
public:
  CsrPeer()
    : CusparsePeer(algorithm == CUSPARSE_SPMV_CSR_ALG1 ? "cusparse-csr1" : "cusparse-csr2",
                   algorithm == CUSPARSE_SPMV_CSR_ALG1 ? "cuSPARSE's CSR_ALG1, preprocessed" : "cuSPARSE's CSR_ALG2, preprocessed")
  {
  }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<CsrProduct>(setup, algorithm); }
};

const PeerRegistration<CsrPeer<CUSPARSE_SPMV_CSR_ALG1>> first;
const PeerRegistration<CsrPeer<CUSPARSE_SPMV_CSR_ALG2>> second;

} // namespace

} // namespace petscspmv::bench
