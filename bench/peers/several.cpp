/// \file several.cpp
/// Several vectors at once on the host: types of ours and PETSc's own, as MatMatMult() and MatTransposeMatMult() have
/// them, and MKL's.

#include "peers/several.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <petscmat.h>

#include "interface/type_list.hpp"
#include "kernels/rows/csr_copy.hpp"
#include "petsc/check.hpp"

namespace petscspmv::bench {

std::vector<double> columns_from(std::span<const double> x, int columns)
{
  std::vector<double> all;
  all.reserve(x.size() * std::size_t(columns));
  for (int c = 0; c < columns; ++c)
    for (double v : x) all.push_back(std::ldexp(v, -c));
  return all;
}

void read_columns(std::span<const double> y, int columns, std::span<double> local)
{
  for (std::size_t r = 0; r < local.size(); ++r) {
    const int c = int(r % std::size_t(columns));
    local[r]    = std::ldexp(y[r + std::size_t(c) * local.size()], c);
  }
}

CsrMatrix transposed(const CsrMatrix &a)
{
  kernels::Csr<double, Index> t = kernels::transposed(CsrView<double, Index>{a.rows, a.cols, a.row_ptr.data(), a.col.data(), a.val.data()});
  return {t.rows, t.cols, std::move(t.row_ptr), std::move(t.col), std::move(t.val)};
}

namespace {

/// A product of PETSc's with a dense matrix.
class MatMatProduct final : public Product {
public:
  MatMatProduct(std::string type, bool transposed, const Setup &setup, const CsrMatrix &a, int columns)
    : type_(std::move(type)), multiply_(transposed ? &MatTransposeMatMult : &MatMatMult), columns_(columns)
  {
    check_petsc(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, a.rows, a.cols, const_cast<Index *>(a.row_ptr.data()),
                                          const_cast<Index *>(a.col.data()), const_cast<double *>(a.val.data()), &a_));
    check_petsc(MatCreateSeqDense(PETSC_COMM_SELF, setup.matrix.rows->cols, columns, nullptr, &x_));
  }
  ~MatMatProduct() override
  {
    for (Mat *m : {&a_, &x_, &y_}) static_cast<void>(MatDestroy(m));
  }
  MatMatProduct(const MatMatProduct &)            = delete;
  MatMatProduct &operator=(const MatMatProduct &) = delete;

  void build() override
  {
    check_petsc(MatConvert(a_, type_.c_str(), MAT_INPLACE_MATRIX, &a_));
    check_petsc(MatSetVecType(a_, VECSTANDARD));
  }
  void set_x(std::span<const double> local) override
  {
    const std::vector<double> columns = columns_from(local, columns_);
    with(x_, [&](double *x) { std::copy(columns.begin(), columns.end(), x); });
  }
  void fill_y(double value) override
  {
    if (!y_) return; // there will be one with the first product
    PetscInt rows, columns;
    check_petsc(MatGetSize(y_, &rows, &columns));
    with(y_, [&](double *y) { std::fill_n(y, std::size_t(rows) * std::size_t(columns), value); });
  }
  void read_y(std::span<double> local) const override
  {
    with(y_, [&](double *y) { read_columns({y, local.size() * std::size_t(columns_)}, columns_, local); });
  }
  void multiply() override { check_petsc(multiply_(a_, x_, y_ ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &y_)); }
  void scale_values(double factor) override { check_petsc(MatScale(a_, factor)); }
  std::optional<ProductBytes> bytes() const override { return std::nullopt; }

private:
  template <class Work> static void with(Mat dense, const Work &work)
  {
    double *entries;
    check_petsc(MatDenseGetArray(dense, &entries));
    work(entries);
    check_petsc(MatDenseRestoreArray(dense, &entries));
  }

  std::string type_;
  PetscErrorCode (*multiply_)(Mat, Mat, MatReuse, PetscReal, Mat *);
  int columns_;
  Mat a_ = nullptr, x_ = nullptr, y_ = nullptr;
};

} // namespace

std::vector<SeveralPeer> several_peers_on_host(bool transposed)
{
  std::vector<SeveralPeer> peers;
  const auto               add = [&](const std::string &type, const std::string &method) {
    peers.push_back({type, method, false, [type, transposed](const Setup &s, const CsrMatrix &a, int columns) {
                       return std::make_unique<MatMatProduct>(type, transposed, s, a, columns);
                     }});
  };
  for (const auto &type : all_types<double, Index>) add(std::string(type.name), std::string(type.name));
  add(MATAIJ, "");
  for (SeveralPeer &peer : several_by_mkl(transposed)) peers.push_back(std::move(peer));
  return peers;
}

} // namespace petscspmv::bench
