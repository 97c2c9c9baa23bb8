/// \file cusparse_csr.cpp
/// cuSPARSE on CSR, both algorithms, prepared by cusparseSpMV_preprocess.

#include "peers/device/cusparse_product.hpp"

namespace petscspmv::bench {

namespace {

class CsrProduct final : public SpmvProduct {
public:
  using SpmvProduct::SpmvProduct;

  void build() override { prepare(csr_.create(matrix(), values())); }

  std::optional<ProductBytes> bytes() const override
  {
    const std::int64_t csr = csr_bytes(size_of(matrix()));
    return ProductBytes{csr, csr + buffer_bytes()};
  }

private:
  DeviceCsr csr_;
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
