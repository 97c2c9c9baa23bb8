/// \file petsc_baij.cpp
/// PETSc's baij, where the matrix consists of small dense blocks.

#include "matrix/blocks.hpp"
#include "petsc/check.hpp"
#include "peers/petsc_product.hpp"

namespace petscspmv::bench {

namespace {

class BaijProduct final : public PetscProduct {
public:
  explicit BaijProduct(const Setup &setup) : PetscProduct(setup), b_(Index(setup.statistics->block_size)) { }

  void build() override
  {
    const CsrMatrix &a = *matrix_.rows;
    // PETSc 3.18's own conversion takes time proportional to rows times columns.
    const Blocks blocks = to_blocks(a, a.val, b_);
    count_              = std::int64_t(blocks.col.size());
    check_petsc(MatDestroy(&A_));
    check_petsc(MatCreate(comm_, &A_));
    check_petsc(MatSetSizes(A_, a.rows, matrix_.local_cols, matrix_.all_rows, a.cols));
    check_petsc(MatSetType(A_, MATBAIJ));
    check_petsc(MatSetBlockSize(A_, b_));
    // The values are given row by row within a block.
    check_petsc(MatSeqBAIJSetPreallocationCSR(A_, b_, blocks.row_ptr.data(), blocks.col.data(), blocks.val.data()));
    check_petsc(MatMPIBAIJSetPreallocationCSR(A_, b_, blocks.row_ptr.data(), blocks.col.data(), blocks.val.data()));
  }

  std::optional<ProductBytes> bytes() const override
  {
    const std::int64_t bytes = count_ * (std::int64_t(b_) * b_ * std::int64_t(sizeof(double)) + std::int64_t(sizeof(Index))) +
                               (matrix_.rows->rows / b_ + 1) * std::int64_t(sizeof(Index));
    return ProductBytes{bytes, bytes};
  }

private:
  Index        b_;
  std::int64_t count_ = 0;
};

class BaijPeer final : public PetscPeer {
public:
  std::string_view name() const override { return "baij"; }
  std::string_view help() const override { return "PETSc's baij, where blocks of 2 x 2 to 8 x 8 are at least 0.7 full"; }

  std::string misfit(const MatrixStatistics &s, int ranks) const override
  {
    if (s.block_size == 1) return "the matrix has no dense blocks";
    // Each rank must own whole blocks.
    const std::int64_t share = std::int64_t(ranks) * s.block_size;
    if (ranks > 1 && (s.size.rows % share != 0 || s.size.cols % share != 0))
      return "its blocks of " + std::to_string(s.block_size) + " cannot be dealt out evenly to " + std::to_string(ranks) + " ranks";
    return "";
  }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<BaijProduct>(setup); }
};

const PeerRegistration<BaijPeer> registration;

} // namespace

} // namespace petscspmv::bench
