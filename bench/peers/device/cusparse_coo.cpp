/// \file cusparse_coo.cpp
/// cuSPARSE on coordinates sorted by rows, both algorithms.

#include "peers/device/cusparse_product.hpp"

namespace petscspmv::bench {

namespace {

std::vector<Index> rows_of_entries(const CsrMatrix &a)
{
  std::vector<Index> rows;
  rows.reserve(a.col.size());
  for (Index r = 0; r < a.rows; ++r) rows.insert(rows.end(), std::size_t(a.row_ptr[std::size_t(r) + 1] - a.row_ptr[std::size_t(r)]), r);
  return rows;
}

class CooProduct final : public SpmvProduct {
public:
  using SpmvProduct::SpmvProduct;

  void build() override
  {
    row_                   = uploaded(rows_of_entries(matrix()));
    col_                   = uploaded(matrix().col);
    val_                   = uploaded(values());
    cusparseSpMatDescr_t a = nullptr;
    check_cusparse(cusparseCreateCoo(&a, matrix().rows, matrix().cols, matrix().nonzeros(), row_.data(), col_.data(), val_.data(),
                                     kCusparseIndex, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                   "cusparseCreateCoo");
    prepare(a);
  }

  std::optional<ProductBytes> bytes() const override
  {
    const std::int64_t coo = matrix().nonzeros() * std::int64_t(sizeof(double) + 2 * sizeof(Index));
    return ProductBytes{coo, coo + buffer_bytes()};
  }

private:
  DeviceArray<Index>  row_, col_;
  DeviceArray<double> val_;
};

template <cusparseSpMVAlg_t algorithm> class CooPeer final : public CusparsePeer {
public:
  CooPeer()
    : CusparsePeer(algorithm == CUSPARSE_SPMV_COO_ALG1 ? "cusparse-coo1" : "cusparse-coo2",
                   algorithm == CUSPARSE_SPMV_COO_ALG1 ? "cuSPARSE's COO_ALG1" : "cuSPARSE's COO_ALG2, whose sums have a fixed order")
  {
  }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<CooProduct>(setup, algorithm); }
};

const PeerRegistration<CooPeer<CUSPARSE_SPMV_COO_ALG1>> first;
const PeerRegistration<CooPeer<CUSPARSE_SPMV_COO_ALG2>> second;

} // namespace

} // namespace petscspmv::bench
