/// \file several.cpp
/// Several vectors at once: formats of ours, their own single products one after the other, and cuSPARSE's SpMM.

#include "device/several.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "interface/type_list.hpp"
#include "peers/device/cusparse_product.hpp"
#include "select/several.hpp"

namespace petscspmv::bench {

namespace {

class SeveralProduct : public DeviceProduct {
public:
  SeveralProduct(const Setup &setup, int columns)
    : DeviceProduct(setup), columns_(columns), x_(std::size_t(columns) * std::size_t(matrix().cols)),
      y_(std::size_t(columns) * std::size_t(matrix().rows))
  {
  }

  void set_x(std::span<const double> local) override
  {
    std::vector<double> all;
    all.reserve(x_.size());
    for (int c = 0; c < columns_; ++c)
      for (double v : local) all.push_back(std::ldexp(v, -c));
    x_.upload(all.data());
  }
  void fill_y(double value) override { y_.upload(std::vector<double>(y_.size(), value).data()); }
  void read_y(std::span<double> local) const override
  {
    std::vector<double> all(y_.size());
    y_.download(all.data(), all.size());
    for (std::size_t r = 0; r < local.size(); ++r) {
      const int c = int(r % std::size_t(columns_));
      local[r]    = std::ldexp(all[r + std::size_t(c) * local.size()], c);
    }
  }

  std::optional<ProductBytes> bytes() const override { return std::nullopt; }

protected:
  int           columns() const { return columns_; }
  const double *x() const { return x_.data(); }
  double       *y() const { return y_.data(); }

private:
  int                 columns_;
  DeviceArray<double> x_, y_;
};

using Format = FormatType<double, Index>;

/// The formats of a matrix, which serve all numbers of columns.
struct Built {
  std::unique_ptr<AnyFormat<double, Index>> single;  ///< the kernels for one vector, which several have one after the other
  std::unique_ptr<AnyFormat<double, Index>> several; ///< those through Kokkos, where MatMatMult() takes them
};

class FormatProduct final : public SeveralProduct {
public:
  FormatProduct(const Format &format, bool one_by_one, std::shared_ptr<Built> built, const Setup &setup, int columns)
    : SeveralProduct(setup, columns), format_(format), one_by_one_(one_by_one), built_(std::move(built))
  {
  }

  void build() override
  {
    const bool always = !one_by_one_ && select::always_at_once(format_);
    if (!always && !built_->single) built_->single = made(Kernels::automatic);
    if (one_by_one_ || built_->several) return;
    if (always || select::pays_at_once(built_->single->footprint(), std::size_t(matrix().rows), sizeof(double)))
      built_->several = made(Kernels::kokkos);
  }
  void launch() override
  {
    const auto &object = !one_by_one_ && built_->several ? built_->several : built_->single;
    object->multiply_many(1.0, x(), matrix().cols, 0.0, y(), matrix().rows, columns());
  }

private:
  std::unique_ptr<AnyFormat<double, Index>> made(Kernels kernels) const
  {
    const CsrView<double, Index> view{matrix().rows, matrix().cols, matrix().row_ptr.data(), matrix().col.data(), values().data()};
    return format_.build(view, OptionValues(format_.options), Execution{MemorySpace::device, 1, kernels});
  }

  Format                 format_;
  bool                   one_by_one_;
  std::shared_ptr<Built> built_;
};

class SpmmProduct final : public SeveralProduct {
public:
  SpmmProduct(cusparseSpMMAlg_t algorithm, const Setup &setup, int columns) : SeveralProduct(setup, columns), algorithm_(algorithm) { }
  ~SpmmProduct() override { release(); }
  SpmmProduct(const SpmmProduct &)            = delete;
  SpmmProduct &operator=(const SpmmProduct &) = delete;

  void build() override
  {
    release();
    a_ = csr_.create(matrix(), values());
    check_cusparse(
      cusparseCreateDnMat(&dense_x_, matrix().cols, columns(), matrix().cols, const_cast<double *>(x()), CUDA_R_64F, CUSPARSE_ORDER_COL),
      "cusparseCreateDnMat");
    check_cusparse(cusparseCreateDnMat(&dense_y_, matrix().rows, columns(), matrix().rows, y(), CUDA_R_64F, CUSPARSE_ORDER_COL),
                   "cusparseCreateDnMat");
    std::size_t bytes = 0;
    check_cusparse(
      cusparseSpMM_bufferSize(cusparse_handle(), kPlain, kPlain, &kOne, a_, dense_x_, &kZero, dense_y_, CUDA_R_64F, algorithm_, &bytes),
      "cusparseSpMM_bufferSize");
    buffer_ = DeviceArray<char>(bytes);
    check_cusparse(cusparseSpMM_preprocess(cusparse_handle(), kPlain, kPlain, &kOne, a_, dense_x_, &kZero, dense_y_, CUDA_R_64F, algorithm_,
                                           buffer_.data()),
                   "cusparseSpMM_preprocess");
  }

  void launch() override
  {
    check_cusparse(
      cusparseSpMM(cusparse_handle(), kPlain, kPlain, &kOne, a_, dense_x_, &kZero, dense_y_, CUDA_R_64F, algorithm_, buffer_.data()),
      "cusparseSpMM");
  }

private:
  static constexpr double              kOne = 1, kZero = 0;
  static constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void release()
  {
    for (cusparseDnMatDescr_t *dense : {&dense_x_, &dense_y_})
      if (*dense) static_cast<void>(cusparseDestroyDnMat(std::exchange(*dense, nullptr)));
    if (a_) static_cast<void>(cusparseDestroySpMat(std::exchange(a_, nullptr)));
  }

  cusparseSpMMAlg_t    algorithm_;
  DeviceCsr            csr_;
  DeviceArray<char>    buffer_;
  cusparseSpMatDescr_t a_       = nullptr;
  cusparseDnMatDescr_t dense_x_ = nullptr, dense_y_ = nullptr;
};

} // namespace

std::vector<SeveralPeer> several_peers()
{
  std::vector<SeveralPeer> peers;
  for_each_format<double, Index>([&peers]<class F>() {
    if constexpr (F::on_device && HasKokkosKernels<F>) {
      const auto built = std::make_shared<Built>();
      for (const bool one_by_one : {false, true})
        peers.push_back({std::string(F::name) + (one_by_one ? ", one by one" : ""), std::string(F::name), one_by_one,
                         [one_by_one, built](const Setup &s, int columns) {
                           return std::make_unique<FormatProduct>(format_type<F>(), one_by_one, built, s, columns);
                         }});
    }
  });
  const std::pair<const char *, cusparseSpMMAlg_t> algorithms[] = {
    {"cusparse-spmm1", CUSPARSE_SPMM_CSR_ALG1}, {"cusparse-spmm2", CUSPARSE_SPMM_CSR_ALG2}, {"cusparse-spmm3", CUSPARSE_SPMM_CSR_ALG3}};
  for (const auto &[name, algorithm] : algorithms)
    peers.push_back({name + (" of " + cusparse_version_text()), "", false, [algorithm = algorithm](const Setup &s, int columns) {
                       return std::make_unique<SpmmProduct>(algorithm, s, columns);
                     }});
  return peers;
}

} // namespace petscspmv::bench
