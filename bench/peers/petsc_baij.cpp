/// \file petsc_baij.cpp
/// PETSc's baij, where the matrix consists of small dense blocks.

#include <algorithm>

#include "petsc/check.hpp"
#include "peers/petsc_product.hpp"

namespace petscspmv::bench {

namespace {

/// Blocked rows. PETSc 3.18's own conversion takes time proportional to rows times columns.
struct Blocks {
  std::vector<PetscInt>    row_ptr{0};
  std::vector<PetscInt>    col;
  std::vector<PetscScalar> val; ///< [blocks][b][b], rows of a block one after the other
};

Blocks to_blocks(const CsrMatrix &a, Index b)
{
  Blocks             blocks;
  std::vector<Index> cols;
  for (Index begin = 0; begin < a.rows; begin += b) {
    cols.clear();
    for (Index k = a.row_ptr[begin]; k < a.row_ptr[begin + b]; ++k) cols.push_back(a.col[k] / b);
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    const std::size_t first = blocks.col.size();
    blocks.col.insert(blocks.col.end(), cols.begin(), cols.end());
    blocks.row_ptr.push_back(PetscInt(blocks.col.size()));
    blocks.val.resize(blocks.col.size() * std::size_t(b * b), 0.0);
    for (Index r = begin; r < begin + b; ++r)
      for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
        const auto block = std::size_t(std::lower_bound(cols.begin(), cols.end(), a.col[k] / b) - cols.begin()) + first;
        blocks.val[(block * std::size_t(b) + std::size_t(r - begin)) * std::size_t(b) + std::size_t(a.col[k] % b)] = a.val[k];
      }
  }
  return blocks;
}

class BaijProduct final : public PetscProduct {
public:
  explicit BaijProduct(const Setup &setup) : PetscProduct(setup), b_(Index(setup.statistics->block_size)) { }

  void build() override
  {
    const CsrMatrix &a      = *matrix_.rows;
    const Blocks     blocks = to_blocks(a, b_);
    count_                  = std::int64_t(blocks.col.size());
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
    if (ranks > 1 && (s.size.rows % (ranks * s.block_size) != 0 || s.size.cols % (ranks * s.block_size) != 0))
      return "its blocks of " + std::to_string(s.block_size) + " cannot be dealt out evenly to " + std::to_string(ranks) + " ranks";
    return "";
  }
  std::unique_ptr<Product> make(const Setup &setup) const override { return std::make_unique<BaijProduct>(setup); }
};

const PeerRegistration<BaijPeer> registration;

} // namespace

} // namespace petscspmv::bench
