/// \file cusparse_sell.cpp
/// cuSPARSE on sliced ELLPACK.

#include "matrix/sliced_ell.hpp"
#include "peers/device/cusparse_product.hpp"

namespace petscspmv::bench {

namespace {

/// A warp's worth of rows, so that the loads of a slice are whole lines.
constexpr Index kHeight = 32;

class SellProduct final : public SpmvProduct {
public:
  explicit SellProduct(const Setup &setup) : SpmvProduct(setup, CUSPARSE_SPMV_SELL_ALG1) { }

  void build() override
  {
    const SlicedEll s      = to_sliced_ell(matrix(), values(), kHeight);
    slice_ptr_             = uploaded(s.slice_ptr);
    col_                   = uploaded(s.col);
    val_                   = uploaded(s.val);
    cusparseSpMatDescr_t a = nullptr;
    check_cusparse(cusparseCreateSlicedEll(&a, matrix().rows, matrix().cols, matrix().nonzeros(), std::int64_t(s.val.size()), kHeight,
                                           slice_ptr_.data(), col_.data(), val_.data(), kCusparseIndex, kCusparseIndex,
                                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                   "cusparseCreateSlicedEll");
    prepare(a);
  }

  std::optional<ProductBytes> bytes() const override
  {
    const auto sell = std::int64_t(slice_ptr_.bytes() + col_.bytes() + val_.bytes());
    return ProductBytes{sell, sell + buffer_bytes()};
  }

private:
  DeviceArray<Index>  slice_ptr_, col_;
  DeviceArray<double> val_;
};

class SellPeer final : public CusparsePeer {
public:
  SellPeer() : CusparsePeer("cusparse-sell", "cuSPARSE's sliced ELLPACK, slices of 32 rows") { }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<SellProduct>(setup); }
};

const PeerRegistration<SellPeer> registration;

} // namespace

} // namespace petscspmv::bench
