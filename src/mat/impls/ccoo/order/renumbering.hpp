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
#include "core/options.hpp"
#include "kernels/host/arena.hpp"
#include "kernels/host/scratch.hpp"

namespace petscspmv::ccoo {

/// The values of an option that asks for an order: `automatic` looks at samples of the rows.
enum class Numbering {
  automatic,
  own,        ///< as they are
  columns,    ///< rows by their middle column; columns keep their places
  neighbours, ///< rows and columns breadth first, as in Cuthill and McKee; for a matrix that is not square, `columns`
};
inline constexpr auto numbering_names = names<Numbering>(
  {{Numbering::automatic, "auto"}, {Numbering::own, "own"}, {Numbering::columns, "columns"}, {Numbering::neighbours, "neighbours"}});
inline constexpr auto numbering_option = host_only(
  Choice("order", numbering_names, Numbering::automatic,
         "Order of rows on the host: their own, by columns, or breadth first with their columns; auto where it spares enough of x"));

/// An order of rows. Empty: as they are.
struct Renumbering {
  std::vector<std::int32_t> row;             ///< [rows] row[i] is the row that comes i-th
  bool                      columns = false; ///< columns are numbered as rows are

  bool             empty() const { return row.empty(); }
  std::string_view name() const { return numbering_names[kind()]; }

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
  kernels::Arena     col_, val_;
};

/// Products with a matrix that is kept in another order.
template <class Scalar> class RenumberedProducts {
public:
  /// `order` is not empty; the matrix has `cols` columns.
  RenumberedProducts(Renumbering order, std::int64_t cols, int threads);

  const Renumbering &order() const { return order_; }

  /// What a product reads because of the order, besides vectors.
  Footprint::Array array() const { return {"order of rows", order_.row.size() * sizeof(std::int32_t), false}; }
  std::size_t      bytes_taken() const { return sizeof(*this) + petscspmv::bytes_taken(order_.row); }
  /// What n vectors x and y in that order take.
  std::size_t vector_bytes(int n) const
  {
    return kernels::whole_lines(static_cast<std::size_t>(n) * static_cast<std::size_t>(rows() + moved_columns()) * sizeof(Scalar));
  }

  /// Y = alpha A X + beta Y with n vectors, where product(X, ldx, Y, ldy) is Y = A' X with the matrix that is kept;
  /// `scratch` has vector_bytes(n).
  template <class Product>
  void multiply(std::byte *scratch, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n,
                const Product &product) const
  {
    auto *const moved_y = reinterpret_cast<Scalar *>(scratch), *const moved_x = moved_y + n * rows();
    if (order_.columns)
      for (int c = 0; c < n; ++c) gather(x + c * ldx, moved_x + c * cols_);
    product(order_.columns ? moved_x : x, order_.columns ? cols_ : ldx, moved_y, rows());
    for (int c = 0; c < n; ++c) scatter(alpha, moved_y + c * rows(), beta, y + c * ldy);
  }

private:
  std::int64_t rows() const { return static_cast<std::int64_t>(order_.row.size()); }
  std::int64_t moved_columns() const { return order_.columns ? cols_ : 0; }

  /// to[i] = from[row i]
  void gather(const Scalar *from, Scalar *to) const;
  /// to[row i] = alpha from[i] + beta to[row i]
  void scatter(Scalar alpha, const Scalar *from, Scalar beta, Scalar *to) const;

  Renumbering  order_;
  std::int64_t cols_;
  int          threads_;
};

/// Products in the order for a matrix; null if its rows stay as they are.
template <class Scalar, class Index>
std::unique_ptr<RenumberedProducts<Scalar>> renumbered_products(const CsrView<Scalar, Index> &a, Numbering wanted, int threads)
{
  Renumbering order = renumber(a, wanted);
  if (order.empty()) return nullptr;
  return std::make_unique<RenumberedProducts<Scalar>>(std::move(order), a.cols, threads);
}

} // namespace petscspmv::ccoo
