/// \file eigen.cpp
/// Eigen's row-major sparse matrix on the arrays as they are; its product is parallel by OpenMP.

#include <Eigen/SparseCore>

#include "peers/host_product.hpp"

namespace petscspmv::bench {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
using Vector = Eigen::VectorXd;

class EigenProduct final : public HostProduct {
public:
  explicit EigenProduct(const Setup &setup) : HostProduct(setup) { }

  void build() override
  {
    const CsrMatrix &a = matrix();
    matrix_            = Eigen::Map<const Matrix>(a.rows, a.cols, a.nonzeros(), a.row_ptr.data(), a.col.data(), values());
  }

  void multiply() override
  {
    Eigen::setNbThreads(threads());
    Eigen::Map<Vector>(y(), matrix_.rows()).noalias() = matrix_ * Eigen::Map<const Vector>(x(), matrix_.cols());
  }

  std::optional<ProductBytes> bytes() const override { return ProductBytes{csr_bytes(size_of(matrix())), csr_bytes(size_of(matrix()))}; }

  void refresh_and_multiply() override
  {
    std::copy_n(values(), matrix().nonzeros(), matrix_.valuePtr());
    multiply();
  }

private:
  Matrix matrix_;
};

class EigenPeer final : public Peer {
public:
  std::string_view name() const override { return "eigen"; }
  std::string_view help() const override { return "Eigen's SparseMatrix, row-major"; }
  Role             role() const override { return Role::peer; }
  std::string      version() const override
  {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
  }
  std::string              limits(int ranks, int) const override { return ranks > 1 ? "Eigen runs in one process" : ""; }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<EigenProduct>(setup); }
};

const PeerRegistration<EigenPeer> registration;

} // namespace

} // namespace petscspmv::bench
