/// \file cusparse_spmvop.cpp
/// cuSPARSE's experimental SpMVOp on CSR, both algorithms, whose plans are made beforehand. Looked up while the program
/// runs: with a cuSPARSE that has none, the bench does without.

#include <array>
#include <utility>

#include "peers/device/cusparse_product.hpp"
#include "peers/look_up.hpp"

namespace petscspmv::bench {

namespace {

/// Before, SpMVOp had no algorithms, and its functions other arguments.
constexpr std::array kOldest{12, 8, 1};

using Descr = void *;
using Plan  = void *;

/// z = alpha A x + beta y. Declared here, for most versions of cusparse.h do not.
struct Functions {
  cusparseStatus_t (*buffer_size)(cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t x,
                                  cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cudaDataType, int algorithm,
                                  std::size_t *bytes)                                                                         = nullptr;
  cusparseStatus_t (*create_descr)(cusparseHandle_t, Descr *, cusparseOperation_t, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t x,
                                   cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cudaDataType, int algorithm, void *buffer) = nullptr;
  cusparseStatus_t (*destroy_descr)(Descr)                                                                                    = nullptr;
  cusparseStatus_t (*create_plan)(cusparseHandle_t, Descr, Plan *, const void *epilogue, std::size_t epilogue_bytes)          = nullptr;
  cusparseStatus_t (*destroy_plan)(Plan)                                                                                      = nullptr;
  cusparseStatus_t (*multiply)(cusparseHandle_t, Plan, const void *alpha, const void *beta, cusparseConstDnVecDescr_t x,
                               cusparseConstDnVecDescr_t y, cusparseDnVecDescr_t z)                                           = nullptr;

  bool complete() const { return buffer_size && create_descr && destroy_descr && create_plan && destroy_plan && multiply; }
};

const Functions &spmvop()
{
  static const Functions functions = [] {
    Functions f;
    if (cusparse_version() < kOldest) return f;
    look_up(RTLD_DEFAULT, "cusparseSpMVOp_bufferSize", f.buffer_size);
    look_up(RTLD_DEFAULT, "cusparseSpMVOp_createDescr", f.create_descr);
    look_up(RTLD_DEFAULT, "cusparseSpMVOp_destroyDescr", f.destroy_descr);
    look_up(RTLD_DEFAULT, "cusparseSpMVOp_createPlan", f.create_plan);
    look_up(RTLD_DEFAULT, "cusparseSpMVOp_destroyPlan", f.destroy_plan);
    look_up(RTLD_DEFAULT, "cusparseSpMVOp", f.multiply);
    return f;
  }();
  return functions;
}

class SpmvOpProduct final : public CusparseProduct {
public:
  SpmvOpProduct(const Setup &setup, int algorithm) : CusparseProduct(setup), algorithm_(algorithm) { }
  ~SpmvOpProduct() override { release(); }
  SpmvOpProduct(const SpmvOpProduct &)            = delete;
  SpmvOpProduct &operator=(const SpmvOpProduct &) = delete;

  void build() override
  {
    release();
    describe(csr_.create(matrix(), values()));
    std::size_t bytes = 0;
    check_cusparse(spmvop_.buffer_size(cusparse_handle(), kPlain, a_, x_, y_, y_, CUDA_R_64F, algorithm_, &bytes),
                   "cusparseSpMVOp_bufferSize");
    buffer_ = DeviceArray<char>(bytes);
    check_cusparse(spmvop_.create_descr(cusparse_handle(), &descr_, kPlain, a_, x_, y_, y_, CUDA_R_64F, algorithm_, buffer_.data()),
                   "cusparseSpMVOp_createDescr");
    check_cusparse(spmvop_.create_plan(cusparse_handle(), descr_, &plan_, nullptr, 0), "cusparseSpMVOp_createPlan");
  }

  void launch() override { check_cusparse(spmvop_.multiply(cusparse_handle(), plan_, &kOne, &kZero, x_, y_, y_), "cusparseSpMVOp"); }

  std::optional<ProductBytes> bytes() const override
  {
    const std::int64_t csr = csr_bytes(size_of(matrix()));
    return ProductBytes{csr, csr + buffer_bytes()};
  }

private:
  static constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void release()
  {
    if (plan_) static_cast<void>(spmvop_.destroy_plan(std::exchange(plan_, nullptr)));
    if (descr_) static_cast<void>(spmvop_.destroy_descr(std::exchange(descr_, nullptr)));
  }

  const Functions &spmvop_ = spmvop(); // all there, see SpmvOpPeer::unavailable()
  int              algorithm_;
  DeviceCsr        csr_;
  Descr            descr_ = nullptr;
  Plan             plan_  = nullptr;
};

template <int algorithm> class SpmvOpPeer final : public CusparsePeer {
public:
  SpmvOpPeer()
    : CusparsePeer(algorithm == 1 ? "cusparse-spmvop1" : "cusparse-spmvop2",
                   algorithm == 1 ? "cuSPARSE's SpMVOp on CSR, ALG1, planned" : "cuSPARSE's SpMVOp on CSR, ALG2, planned")
  {
  }

  std::string unavailable() const override
  {
    if (sizeof(Index) == 8) return "cuSPARSE's SpMVOp knows columns of 32 bits only, and this PETSc's have 64";
    return spmvop().complete() ? ""
                               : "cuSPARSE has SpMVOp with algorithms from 12.8.1 on (CUDA 13.3), and the one that is loaded is " +
                                   version() + ". scripts/provide-cusparse downloads a newer one and says how it is used";
  }

  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<SpmvOpProduct>(setup, algorithm); }
};

const PeerRegistration<SpmvOpPeer<1>> first;
const PeerRegistration<SpmvOpPeer<2>> second;

} // namespace

} // namespace petscspmv::bench
