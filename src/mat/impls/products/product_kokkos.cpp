#include <cassert>
#include <optional>
#include <type_traits>

#include "core/for_each_type.hpp"
#include "core/known_pattern.hpp"
#include "impls/products/product.hpp"
#include "impls/products/structure.hpp"
#include "impls/products/team_product.hpp"
#include "impls/products/transposed.hpp"

namespace petscspmv {
namespace products {
namespace {

/// Adds a row of blocks, times a factor, to a row of C; `code` holds their places, times two if there are flags.
/// `width`: columns of a block, 0: any number.
template <int width, bool flagged, class S, class Index, class Place>
void add_row(S factor, const S *row, const Place *code, Index nodes, Index any_width, S *sums)
{
  const Index cols = width ? width : any_width;
  for (Index k = 0; k < nodes; ++k) {
    S *const to = sums + static_cast<Index>(code[k] >> flagged) * cols;
    for (Index m = 0; m < cols; ++m) to[m] += factor * row[k * cols + m];
  }
}

/// Calls go() with the width as a template argument.
template <class Index, class Go> void with_width(Index width, const Go &go)
{
  switch (width) {
  case 1:
    return go.template operator()<1>();
  case 3:
    return go.template operator()<3>();
  case 6:
    return go.template operator()<6>();
  default:
    return go.template operator()<0>();
  }
}

/// Row v of A B where blocks are of one entry, without a loop for each row of B: its end, after three entries or five,
/// is what processors cannot predict.
template <class Index, class Place, class S>
void multiply_short(const ByRows<Index> &p, Index v, const Place *code, const S *a, const S *b, S *to)
{
  const auto n = static_cast<Index>(p.rows.before[v + 1] - p.rows.before[v]);
  Index      t = p.a.nodes.row_ptr[v] - 1;
  for (Index k = 0; k < n; ++k) {
    t += static_cast<Index>(code[k] & 1);
    to[code[k] >> 1] += a[p.entry[t]] * b[p.shift[t] + k];
  }
}

/// The rows of A B of node v.
template <int width, class Index, class Place, class S>
void multiply_long(const ByRows<Index> &p, Index v, const Place *code, const S *a, const S *b, S *to)
{
  const Pattern<Index> &nodes = p.a.nodes;
  const Index           row   = p.c.pattern().size(v) * p.b.cols;
  for (Index t = nodes.row_ptr[v]; t < nodes.row_ptr[v + 1]; ++t) {
    const Index u = nodes.col[t], size = p.b.nodes.size(u);
    for (Index i = 0; i < p.a.rows; ++i)
      for (Index j = 0; j < p.a.cols; ++j)
        add_row<width, true>(a[p.a.row(v, i) + (t - nodes.row_ptr[v]) * p.a.cols + j], b + p.b.row(u, j), code, size, p.b.cols,
                             to + i * row);
    code += size;
  }
}

template <class Index, class S> void multiply(const ByRows<Index> &p, Index v, const S *a, const S *b, S *to)
{
  constexpr Index few =
    8; // entries: 7-point 64^3 has 3.6 in a row of P (1.6 instead of 2.6 ns a product), its next level 13.5 (1.3 and 1.1)
  std::fill_n(to, p.c.pattern().size(v) * p.a.rows * p.b.cols, S(0));
  std::visit(
    [&](const auto *places) {
      const auto *const own      = places + p.rows.before[v];
      const bool        is_short = p.rows.before[v + 1] - p.rows.before[v] < std::int64_t(few) * p.a.nodes.size(v);
      if (is_short && p.a.are_entries() && p.b.are_entries()) return multiply_short(p, v, own, a, b, to);
      with_width(p.b.cols, [&]<int width>() { multiply_long<width>(p, v, own, a, b, to); });
    },
    p.places);
}

/// Adds row v of R, times A's entries, to rows of C, as far as these are from `begin` to `end` - 1.
template <class Index, class S> void scatter(const ByColumns<Index> &p, Index v, Index begin, Index end, const S *a, const S *r, S *c)
{
  const Pattern<Index> &nodes = p.a.nodes;
  const Index           size = p.r.nodes.size(v), row = size * p.c.cols;
  std::visit(
    [&](const auto *places) {
      with_width(p.c.cols, [&]<int width>() {
        const auto *own = places + p.first[v];
        for (Index e = nodes.row_ptr[v]; e < nodes.row_ptr[v + 1]; ++e, own += size) {
          const Index q = nodes.col[e];
          if (q < begin || q >= end) continue;
          for (Index i = 0; i < p.a.rows; ++i)
            for (Index j = 0; j < p.a.cols; ++j)
              add_row<width, false>(a[p.a.row(v, i) + (e - nodes.row_ptr[v]) * p.a.cols + j], r + i * row, own, size, p.c.cols,
                                    c + p.c.row(q, j));
        }
      });
    },
    p.places);
}

template <class Scalar, class Index> class KokkosProduct final : public SparseProduct<Scalar, Index> {
  using View = CsrView<Scalar, Index>;
  using S    = KokkosScalar<Scalar>;

public:
  KokkosProduct(ProductKind kind, const View &a, const View &b, FactorBlocks<Index> size, int threads)
    : a_(a, threads), b_(b, threads), threads_(threads), room_(make_resident<HostRoom>()), of_columns_(make_resident<HostRoom>())
  {
    KokkosHost::run(threads, [&](const auto &exec) {
      if (!blocks_fit(exec, kind, {pattern(a), a.rows}, {pattern(b), b.rows}, size)) size = {};
      make(exec, kind, a, b, by_blocks(exec, *room_, pattern(a), a.rows, size.a_rows, size.a_cols, a.nonzeros()),
           by_blocks(exec, *room_, pattern(b), b.rows, size.b_rows, size.b_cols, b.nonzeros()));
    });
  }

  std::span<const Index> row_ptr() const override { return {c_.start, static_cast<std::size_t>(c_rows_) + 1}; }
  void                   columns(Index *to) const override { std::copy_n(c_.number, c_.size, to); }
  double                 flops() const override { return flops_; }
  void                   forget_pattern() override { of_columns_.reset(); }

  bool values(const View &a, const View &b, Scalar *c) override
  {
    if (!a_.is_of(a) || !b_.is_of(b)) return false;
    borrow(a, b);
    const auto *const a_value = reinterpret_cast<const S *>(a.val), *const b_value = reinterpret_cast<const S *>(b.val);
    S *const to = reinterpret_cast<S *>(c);
    KokkosHost::run(threads_, [&](const auto &exec) {
      if (!columns_) multiply_rows(exec, a_value, b_value, to);
      else each(exec, threads_, [&](const std::int64_t worker) { multiply_columns(worker, a_value, b_value, to); });
    });
    return true;
  }

private:
  static Pattern<Index> pattern(const View &a)
  {
    assert(a.row_ptr);
    return pattern_at<KokkosHost>(a);
  }

  /// The arrays of the factors may have moved, or be those of others.
  void borrow(const View &a, const View &b)
  {
    const auto take = [](Blocks<Index> &of, const View &from) {
      if (of.are_entries()) of.nodes = pattern(from);
    };
    if (rows_) {
      take(rows_->a, a);
      take(rows_->b, b);
    }
    if (columns_) take(columns_->a, rows_ ? b : a);
    if (columns_ && !rows_) take(columns_->r, b);
  }

  template <class Exec>
  void make(const Exec &exec, ProductKind kind, const View &a, const View &b, const Blocks<Index> &left, const Blocks<Index> &right)
  {
    const Index cols = b.cols / right.cols, n = a.rows / left.rows;
    if (kind != ProductKind::atb) {
      rows_ = by_rows(exec, *room_, *of_columns_, left, n, right, b.rows / right.rows, cols, threads_);
      flops_ += 2. * static_cast<double>(rows_->rows.total) * left.rows * left.cols * right.cols;
    }
    if (kind == ProductKind::ab) return keep(exec, rows_->c, n, left.rows, right.cols);
    const bool  triple = kind == ProductKind::ptap;
    const auto &factor = triple ? right : left;
    columns_           = by_columns(exec, *room_, *of_columns_, factor, n, (triple ? b : a).cols / factor.cols,
                          triple ? Blocks<Index>{rows_->c.pattern(), left.rows, right.cols} : right, cols, threads_);
    flops_ += 2. * static_cast<double>(columns_->first[n]) * factor.rows * factor.cols * right.cols;
    if (triple) between_ = room_->template take<S>(threads_ * columns_->longest * factor.rows * right.cols);
    keep(exec, columns_->c_lists, columns_->columns.n, factor.cols, right.cols);
  }

  /// Keeps C's pattern.
  template <class Exec> void keep(const Exec &exec, const Lists<Index> &nodes, Index n, Index rows, Index cols)
  {
    c_rows_ = n * rows;
    c_      = rows == 1 && cols == 1 ? nodes : expanded(exec, *of_columns_, nodes.pattern(), c_rows_, rows, cols);
  }

  template <class Exec> void multiply_rows(const Exec &exec, const S *a, const S *b, S *c) const
  {
    const Blocks<Index> to{rows_->c.pattern(), rows_->a.rows, rows_->b.cols};
    each(exec, threads_, [&](const std::int64_t worker) {
      for (Index v = rows_->rows.first_of(worker); v < rows_->rows.first_of(worker + 1); ++v) multiply(*rows_, v, a, b, c + to.row(v, 0));
    });
  }

  /// A worker's rows of C.
  void multiply_columns(std::int64_t worker, const S *a, const S *b, S *c) const
  {
    const Index begin = columns_->columns.first_of(worker), end = columns_->columns.first_of(worker + 1);
    S *const    between = between_ + worker * columns_->longest * columns_->a.rows * columns_->c.cols;
    std::fill(c + columns_->c.row(begin, 0), c + columns_->c.row(end, 0), S(0));
    for (Index v = 0; v < columns_->n; ++v) {
      if (!needs(v, begin, end)) continue;
      if (rows_) {
        multiply(*rows_, v, a, b, between);
        scatter(*columns_, v, begin, end, b, between, c);
      } else scatter(*columns_, v, begin, end, a, b + columns_->r.row(v, 0), c);
    }
  }

  bool needs(Index v, Index begin, Index end) const
  {
    const Pattern<Index> &nodes = columns_->a.nodes;
    return std::any_of(nodes.col + nodes.row_ptr[v], nodes.col + nodes.row_ptr[v + 1], [=](Index q) { return q >= begin && q < end; });
  }

  KnownPattern<Scalar, Index>     a_, b_;
  int                             threads_;
  Resident<HostRoom>              room_;       ///< of all arrays that are kept
  Resident<HostRoom>              of_columns_; ///< of the columns of A P and C, until nobody needs them
  std::optional<ByRows<Index>>    rows_;
  std::optional<ByColumns<Index>> columns_;
  S                              *between_ = nullptr; ///< a row of A P for each thread
  Lists<Index>                    c_;
  Index                           c_rows_ = 0;
  double                          flops_  = 0;
};

template <class Place, class Scalar, class Index>
std::unique_ptr<SparseProduct<Scalar, Index>> made(ProductKind kind, const CsrView<Scalar, Index> &a, const CsrView<Scalar, Index> &b,
                                                   const FactorBlocks<Index> &blocks, const Execution &execution)
{
  if (kind == ProductKind::abt || kind == ProductKind::rart) {
    const FactorBlocks<Index> size{blocks.a_rows, blocks.a_cols, blocks.b_cols, blocks.b_rows};
    const ProductKind         same = kind == ProductKind::abt ? ProductKind::ab : ProductKind::ptap;
    return std::make_unique<TransposedProduct<Scalar, Index, Place>>(
      b, execution.threads, [&](const auto &transpose) { return made<Place>(same, a, transpose, size, execution); });
  }
  if (execution.space == MemorySpace::host && execution.kernels == Kernels::automatic)
    return std::make_unique<KokkosProduct<Scalar, Index>>(kind, a, b, blocks, execution.threads);
  return std::make_unique<TeamProduct<Scalar, Index, Place>>(kind, a, b, blocks, execution.threads, execution.team);
}

} // namespace
} // namespace products

template <class Scalar, class Index>
std::unique_ptr<SparseProduct<Scalar, Index>> make_product(ProductKind kind, const CsrView<Scalar, Index> &a,
                                                           const CsrView<Scalar, Index> &b, const FactorBlocks<Index> &blocks,
                                                           const Execution &execution)
{
  return kernels::made_at(execution.space, [&]<class Place>(Place) { return products::made<Place>(kind, a, b, blocks, execution); });
}

#define INSTANTIATE(S, I) \
  template std::unique_ptr<SparseProduct<S, I>> make_product(ProductKind, const CsrView<S, I> &, const CsrView<S, I> &, \
                                                             const FactorBlocks<I> &, const Execution &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
