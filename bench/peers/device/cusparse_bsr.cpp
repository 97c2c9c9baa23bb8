/// \file cusparse_bsr.cpp
/// cuSPARSE on block rows, where the matrix consists of small dense blocks.

#include "matrix/blocks.hpp"
#include "peers/device/cusparse_product.hpp"

namespace petscspmv::bench {

namespace {

/// By cusparseDbsrmv, which all versions of the toolkit have; cusparseSpMV knows blocks only lately.
class BsrProduct final : public DeviceProduct {
public:
  explicit BsrProduct(const Setup &setup) : DeviceProduct(setup), b_(setup.statistics->block_size)
  {
    check_cusparse(cusparseCreateMatDescr(&description_), "cusparseCreateMatDescr");
  }
  ~BsrProduct() override { static_cast<void>(cusparseDestroyMatDescr(description_)); }
  BsrProduct(const BsrProduct &)            = delete;
  BsrProduct &operator=(const BsrProduct &) = delete;

  void build() override
  {
    const Blocks blocks = to_blocks(matrix(), values(), Index(b_));
    // The function knows no other index than int.
    row_ptr_ = uploaded(std::vector<int>(blocks.row_ptr.begin(), blocks.row_ptr.end()));
    col_     = uploaded(std::vector<int>(blocks.col.begin(), blocks.col.end()));
    val_     = uploaded(blocks.val);
  }

  void launch() override
  {
    constexpr double one = 1, zero = 0;
    check_cusparse(cusparseDbsrmv(cusparse_handle(), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, int(matrix().rows) / b_,
                                  int(matrix().cols) / b_, int(col_.size()), &one, description_, val_.data(), row_ptr_.data(), col_.data(),
                                  b_, x(), &zero, y()),
                   "cusparseDbsrmv");
  }

  std::optional<ProductBytes> bytes() const override
  {
    const auto bytes = std::int64_t(row_ptr_.bytes() + col_.bytes() + val_.bytes());
    return ProductBytes{bytes, bytes};
  }

private:
  int                 b_;
  cusparseMatDescr_t  description_ = nullptr;
  DeviceArray<int>    row_ptr_, col_;
  DeviceArray<double> val_;
};

class BsrPeer final : public CusparsePeer {
public:
  BsrPeer() : CusparsePeer("cusparse-bsr", "cuSPARSE's BSR, where blocks of 2 x 2 to 8 x 8 are at least 0.7 full") { }
  std::string misfit(const MatrixStatistics &s, int) const override { return s.block_size == 1 ? "the matrix has no dense blocks" : ""; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<BsrProduct>(setup); }
};

const PeerRegistration<BsrPeer> registration;

} // namespace

} // namespace petscspmv::bench
