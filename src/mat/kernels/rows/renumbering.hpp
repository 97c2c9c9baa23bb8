#pragma once

/// \file renumbering.hpp
/// Another order of the rows, in which neighbours read the same entries of x: for matrices with arbitrary numbering of
/// the unknowns.
///
/// Products then are P' A' (P x), with A' = P A P' or, if columns keep their places, P' (A' x) with A' = P A. They pay
/// for P with an entry read or written anywhere for each row, where A has one for each nonzero.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "core/footprint.hpp"
#include "kernels/host/arena.hpp"
#include "kernels/host/scratch_pool.hpp"

namespace petscspmv::kernels {

/// The values of an option that asks for an order: `automatic` looks at samples of the rows.
enum class Numbering {
  automatic,
  own,        ///< as they are
  columns,    ///< rows by their middle column; columns keep their places
  neighbours, ///< rows and columns breadth first, as in Cuthill and McKee; for a matrix that is not square, `columns`
};
inline constexpr std::array<std::string_view, 4> numbering_names{"auto", "own", "columns", "neighbours"};

/// An order of rows. Empty: as they are.
struct Renumbering {
  std::vector<std::int32_t> row;             ///< [rows] row[i] is the row that comes i-th
  bool                      columns = false; ///< columns are numbered as rows are

  bool             empty() const { return row.empty(); }
  std::string_view name() const { return numbering_names[static_cast<std::size_t>(kind())]; }

private:
  Numbering kind() const { return empty() ? Numbering::own : columns ? Numbering::neighbours : Numbering::columns; }
};

/// The order for a matrix; empty if it has 2^31 rows or columns.
template <class Scalar, class Index> Renumbering renumber(const CsrView<Scalar, Index> &a, Numbering wanted);

/// A copy of a matrix in another order. The entries of a row stay in theirs.
template <class Scalar, class Index> class RenumberedCsr {
public:
  /// `order` is not empty. Throws std::bad_alloc.
  RenumberedCsr(const CsrView<Scalar, Index> &a, const Renumbering &order, int threads);

  CsrView<Scalar, Index> view() const
  {
    return {a_rows_, a_cols_, row_ptr_.data(), reinterpret_cast<const Index *>(col_.data()), reinterpret_cast<const Scalar *>(val_.data())};
  }

private:
  Index              a_rows_, a_cols_;
  std::vector<Index> row_ptr_;
  Arena              col_, val_;
};

/// Products with a matrix that is kept in another order.
template <class Scalar> class RenumberedProducts {
public:
  /// `order` is not empty; the matrix has `cols` columns.
  RenumberedProducts(Renumbering order, std::int64_t cols, int threads);

  const Renumbering &order() const { return order_; }

  /// What a product reads because of the order, besides vectors.
  Footprint::Array array() const { return {"order of rows", order_.row.size() * sizeof(std::int32_t), false}; }
  /// What the vectors of a product in that order take.
  std::size_t vector_bytes() const { return static_cast<std::size_t>(rows() + std::max(rows(), cols_)) * sizeof(Scalar); }
  /// What those of products with several take: nothing before the first.
  std::size_t pass_bytes() const;

  /// y = alpha A x + beta y, where product(x, y) is y = A' x with the matrix that is kept.
  template <class Product> void multiply(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y, const Product &product)
  {
    const auto moved = vectors_.borrow([this] { return new_vectors(); });
    if (order_.columns) gather(x, moved->x.get());
    product(order_.columns ? moved->x.get() : x, moved->y.get());
    scatter(alpha, moved->y.get(), beta, y);
  }

  /// Y = alpha A X + beta Y with n <= pass_columns vectors, where product(X, ldx, Y, ldy) is Y = A' X.
  template <class Product>
  void multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n,
                     const Product &product)
  {
    const auto moved = pass_vectors_.borrow([this] { return new_pass_vectors(); });
    if (order_.columns)
      for (int c = 0; c < n; ++c) gather(x + c * ldx, moved->x.get() + c * cols_);
    product(order_.columns ? moved->x.get() : x, order_.columns ? cols_ : ldx, moved->y.get(), rows());
    for (int c = 0; c < n; ++c) scatter(alpha, moved->y.get() + c * rows(), beta, y + c * ldy);
  }

private:
  /// x and y in the order of the rows.
  struct Vectors {
    std::unique_ptr<Scalar[]> x, y;
  };

  std::int64_t rows() const { return static_cast<std::int64_t>(order_.row.size()); }
  Vectors      new_vectors() const;
  Vectors      new_pass_vectors() const;

  /// to[i] = from[row i]
  void gather(const Scalar *from, Scalar *to) const;
  /// to[row i] = alpha from[i] + beta to[row i]
  void scatter(Scalar alpha, const Scalar *from, Scalar beta, Scalar *to) const;

  Renumbering          order_;
  std::int64_t         cols_;
  int                  threads_;
  ScratchPool<Vectors> vectors_;
  ScratchPool<Vectors> pass_vectors_; // for pass_columns each; nothing until there is a product with several
};

/// Products in the order for a matrix; null if its rows stay as they are.
template <class Scalar, class Index>
std::unique_ptr<RenumberedProducts<Scalar>> renumbered_products(const CsrView<Scalar, Index> &a, Numbering wanted, int threads)
{
  Renumbering order = renumber(a, wanted);
  if (order.empty()) return nullptr;
  return std::make_unique<RenumberedProducts<Scalar>>(std::move(order), a.cols, threads);
}

} // namespace petscspmv::kernels
