/// \file several.cpp
/// Several vectors at once on the device: formats of ours, their own single products one after the other, and
/// cuSPARSE's SpMM, with the transpose as an operation and as a matrix of its own.

#include "peers/several.hpp"

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

  void set_x(std::span<const double> local) override { x_.upload(columns_from(local, columns_).data()); }
  void fill_y(double value) override { y_.upload(std::vector<double>(y_.size(), value).data()); }
  void read_y(std::span<double> local) const override
  {
    std::vector<double> all(y_.size());
    y_.download(all.data(), all.size());
    read_columns(all, columns_, local);
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

using Type = FormatType<double, Index>;

/// The formats of a matrix, which serve all numbers of columns.
struct Built {
  FormatPtr<double, Index> single;  ///< the kernels for one vector, which several have one after the other
  FormatPtr<double, Index> several; ///< those for several, where MatMatMult() takes them
};

class FormatProduct final : public SeveralProduct {
public:
  FormatProduct(const Type &format, bool one_by_one, std::shared_ptr<Built> built, const Setup &setup, int columns)
    : SeveralProduct(setup, columns), format_(format), one_by_one_(one_by_one), built_(std::move(built))
  {
  }

  void build() override
  {
    const bool always = !one_by_one_ && select::always_at_once(format_);
    if (!always && !built_->single) built_->single = made(format_, Kernels::automatic);
    if (one_by_one_ || built_->several) return;
    if (always || select::pays_at_once(built_->single->footprint(), std::size_t(matrix().rows), sizeof(double)))
      built_->several =
        made(format_.several_on_device() ? format_ : select::beside(format_, all_types<double, Index>.front()), Kernels::kokkos);
  }
  void launch() override
  {
    const auto &object = !one_by_one_ && built_->several ? built_->several : built_->single;
    object->multiply_many(Operation::none, 1.0, x(), matrix().cols, 0.0, y(), matrix().rows, columns());
  }

private:
  FormatPtr<double, Index> made(const Type &format, Kernels kernels) const
  {
    const CsrView<double, Index> view{matrix().rows, matrix().cols, matrix().row_ptr.data(), matrix().col.data(), values().data()};
    return format.build(view, OptionValues(format.options), Execution{MemorySpace::device, 1, kernels});
  }

  Type                   format_;
  bool                   one_by_one_;
  std::shared_ptr<Built> built_;
};

/// A^T X, as PETSc has it: A is in device memory, where the format borrows it and makes the index of the transpose.
struct BuiltTransposed {
  DeviceArray<Index>       col;
  DeviceArray<double>      val;
  CsrView<double, Index>   a{};
  FormatPtr<double, Index> format;
};

class TransposedProduct final : public SeveralProduct {
public:
  TransposedProduct(const Type &format, bool one_by_one, std::shared_ptr<BuiltTransposed> built, const Setup &setup, const CsrMatrix &a,
                    int columns)
    : SeveralProduct(setup, columns), format_(format), one_by_one_(one_by_one), built_(std::move(built)), a_(a)
  {
  }

  void build() override
  {
    if (built_->format) return;
    built_->col          = uploaded(a_.col);
    built_->val          = uploaded(a_.val);
    built_->a            = {a_.rows, a_.cols, a_.row_ptr.data(), a_.col.data(), built_->val.data()};
    built_->a.device_col = built_->col.data();
    built_->format       = format_.build(built_->a, OptionValues(format_.options), Execution{MemorySpace::device, 1, Kernels::automatic});
  }
  void launch() override
  {
    Format<double, Index> &format = *built_->format;
    const auto             ldx = std::int64_t(matrix().cols), ldy = std::int64_t(matrix().rows);
    if (!one_by_one_) return format.multiply_many(Operation::transpose, 1.0, x(), ldx, 0.0, y(), ldy, columns());
    for (int c = 0; c < columns(); ++c) format.multiply(Operation::transpose, 1.0, x() + c * ldx, 0.0, y() + c * ldy);
  }
  void refresh_and_multiply() override
  {
    built_->format->refresh(built_->a);
    multiply();
  }

private:
  Type                             format_;
  bool                             one_by_one_;
  std::shared_ptr<BuiltTransposed> built_;
  const CsrMatrix                 &a_;
};

class SpmmProduct final : public SeveralProduct {
public:
  SpmmProduct(cusparseSpMMAlg_t algorithm, cusparseOperation_t op, const Setup &setup, const CsrMatrix &a, int columns)
    : SeveralProduct(setup, columns), algorithm_(algorithm), op_(op), csr_(a)
  {
  }
  ~SpmmProduct() override { release(); }
  SpmmProduct(const SpmmProduct &)            = delete;
  SpmmProduct &operator=(const SpmmProduct &) = delete;

  void build() override
  {
    release();
    a_ = on_device_.create(csr_, csr_.val);
    check_cusparse(
      cusparseCreateDnMat(&dense_x_, matrix().cols, columns(), matrix().cols, const_cast<double *>(x()), CUDA_R_64F, CUSPARSE_ORDER_COL),
      "cusparseCreateDnMat");
    check_cusparse(cusparseCreateDnMat(&dense_y_, matrix().rows, columns(), matrix().rows, y(), CUDA_R_64F, CUSPARSE_ORDER_COL),
                   "cusparseCreateDnMat");
    std::size_t bytes = 0;
    check_cusparse(
      cusparseSpMM_bufferSize(cusparse_handle(), op_, kPlain, &kOne, a_, dense_x_, &kZero, dense_y_, CUDA_R_64F, algorithm_, &bytes),
      "cusparseSpMM_bufferSize");
    buffer_ = DeviceArray<char>(bytes);
    check_cusparse(cusparseSpMM_preprocess(cusparse_handle(), op_, kPlain, &kOne, a_, dense_x_, &kZero, dense_y_, CUDA_R_64F, algorithm_,
                                           buffer_.data()),
                   "cusparseSpMM_preprocess");
  }

  void launch() override
  {
    check_cusparse(
      cusparseSpMM(cusparse_handle(), op_, kPlain, &kOne, a_, dense_x_, &kZero, dense_y_, CUDA_R_64F, algorithm_, buffer_.data()),
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
  cusparseOperation_t  op_;
  const CsrMatrix     &csr_;
  DeviceCsr            on_device_;
  DeviceArray<char>    buffer_;
  cusparseSpMatDescr_t a_       = nullptr;
  cusparseDnMatDescr_t dense_x_ = nullptr, dense_y_ = nullptr;
};

} // namespace

std::vector<SeveralPeer> several_peers_on_device(bool transposed)
{
  std::vector<SeveralPeer> peers;
  const auto               add = [&peers](std::string_view method, const char *how, const MakeSeveral &make) {
    peers.push_back({std::string(method) + how, std::string(method), *how != 0, make});
  };
  for (const Type &type : all_types<double, Index>) {
    if (transposed && !type.transposes) continue; // its matrices are transposed by the first that does
    const auto built          = std::make_shared<Built>();
    const auto the_transposed = std::make_shared<BuiltTransposed>();
    for (const bool one_by_one : {false, true})
      add(type.name, one_by_one ? ", one by one" : "", [=](const Setup &s, const CsrMatrix &a, int columns) -> std::unique_ptr<Product> {
        if (transposed) return std::make_unique<TransposedProduct>(type, one_by_one, the_transposed, s, a, columns);
        return std::make_unique<FormatProduct>(type, one_by_one, built, s, columns);
      });
  }
  // With one vector, SpMM is no match for the SpMV that is in its place; on a transpose of its own, that is what
  // PETSc's MatMultTranspose() calls.
  const auto add_cusparse = [&](const char *name, cusparseSpMMAlg_t algorithm, bool by_operation, const char *spmv) {
    peers.push_back({name + (" of " + cusparse_version_text()), "", false,
                     [=](const Setup &s, const CsrMatrix &a, int columns) -> std::unique_ptr<Product> {
                       if (columns == 1 && spmv) return find_peer(spmv)->make(s);
                       const auto op = by_operation ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
                       return std::make_unique<SpmmProduct>(algorithm, op, s, by_operation ? a : *s.matrix.rows, columns);
                     }});
  };
  add_cusparse("cusparse-spmm1", CUSPARSE_SPMM_CSR_ALG1, false, "cusparse-csr1");
  add_cusparse("cusparse-spmm2", CUSPARSE_SPMM_CSR_ALG2, false, "cusparse-csr2");
  add_cusparse("cusparse-spmm3", CUSPARSE_SPMM_CSR_ALG3, false, nullptr);
  if (transposed) add_cusparse("cusparse-spmm, transposed", CUSPARSE_SPMM_ALG_DEFAULT, true, nullptr);
  return peers;
}

} // namespace petscspmv::bench
