// Products with several vectors, which take turns at pieces of the matrix that a cache keeps meanwhile: the kernels are
// those of one vector. Where x is scattered, they are left to plain CSR.

#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo_host.hpp"
#include "impls/ccoo/ccoo_many_tuning.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/many/columns.hpp"
#include "kernels/rows/renumbering.hpp"

namespace petscspmv::ccoo {
namespace {

/// Bytes of columns and values.
template <class Scalar> std::size_t bytes_of(const Tile &t)
{
  const std::size_t columns = t.kind == Kind::gather ? t.values / t.gather.node * column_bytes(t.gather.columns) : 0;
  return columns + kernels::coded_bytes<Scalar>(t.coding, t.values);
}
template <class Scalar> std::size_t bytes_of(const Chunk &c)
{
  return c.entries * column_bytes(c.columns) + kernels::coded_bytes<Scalar>(c.coding, c.entries);
}

/// The end of the pieces from `first` on, and before `last`, that a cache keeps.
template <class Scalar, class Piece> std::size_t end_of_batch(const Piece *piece, std::size_t first, std::size_t last)
{
  std::size_t bytes = bytes_of<Scalar>(piece[first]), i = first + 1;
  while (i < last && (bytes += bytes_of<Scalar>(piece[i])) <= tuning::batch_bytes) ++i;
  return i;
}

/// What a pass of Y = alpha A X + beta Y needs.
template <class Scalar> struct Pass {
  const Layout<Scalar>          &m;
  Multiply<Scalar>               one; ///< vector
  int                            columns;
  Scalar                         alpha, beta;
  const Scalar                  *x;
  std::int64_t                   ldx;
  Scalar                        *y;
  std::int64_t                   ldy;
  kernels::Carry<Scalar, Local> *carries; ///< [columns][chunks]
  bool                           ahead;
  bool                           streams;

  void run(const Share &share) const
  {
    for (std::size_t i = share.first_tile, end; i < share.last_tile; i = end) {
      end = end_of_batch<Scalar>(m.tile, i, share.last_tile);
      take_turns({i, end, 0, 0});
    }
    for (std::size_t i = share.first_chunk, end; i < share.last_chunk; i = end) {
      end = end_of_batch<Scalar>(m.chunk, i, share.last_chunk);
      take_turns({0, 0, i, end});
    }
  }

  kernels::RowUpdate<Scalar>     update(int c) const { return {alpha, beta, y + c * ldy}; }
  kernels::Carry<Scalar, Local> *carry(int c) const { return carries + static_cast<std::size_t>(c) * m.chunks; }

private:
  void take_turns(const Share &pieces) const
  {
    for (int c = 0; c < columns; ++c) one(m, pieces, {x + c * ldx, update(c), carry(c), ahead, streams});
  }
};

} // namespace

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                              std::int64_t ldy, int columns)
{
  const auto single = [&](const Scalar *xc, Scalar *yc) { multiply(op, alpha, xc, beta, yc); };
  kernels::in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    if (alpha == Scalar(0)) {
      for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
      return;
    }
    scratch_.raise(scratch_bytes(kernels::pass_columns));
    const kernels::Scratch scratch = scratch_.borrow(scratch_bytes(n));
    auto *const            carry   = reinterpret_cast<kernels::Carry<Scalar, Local> *>(scratch.data() + vector_bytes(n));
    if (!order_) return pieces_->multiply_pass(carry, alpha, xs, ldx, beta, ys, ldy, n);
    order_->multiply(scratch.data(), alpha, xs, ldx, beta, ys, ldy, n,
                     [&](const Scalar *from, std::int64_t ldf, Scalar *to, std::int64_t ldt) {
                       pieces_->multiply_pass(carry, 1, from, ldf, 0, to, ldt, n);
                     });
  });
}

template <class Scalar, class Index> bool HostPieces<Scalar, Index>::is_scattered(double nonzeros) const
{
  if (nonzeros < tuning::several_entries * (static_cast<double>(plan.rows) + static_cast<double>(plan.cols))) return false;
  double     all = 0, by_index = 0;
  const auto add = [&](double cost, bool gathers) {
    all += cost;
    if (gathers) by_index += cost;
  };
  for (const Tile &t : plan.tiles) add(t.cost, t.kind == Kind::gather);
  for (const Chunk &c : plan.chunks) add(c.cost, true);
  return by_index > tuning::scattered_share * all;
}

template <class Scalar, class Index>
void HostPieces<Scalar, Index>::multiply_pass(Carry *carry, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                              std::int64_t ldy, int n) const
{
  const auto         m = layout();
  const Pass<Scalar> pass{m, kernel, n, alpha, beta, x, ldx, y, ldy, carry, plan.rules.ahead, plan.streams};
  kernels::for_each_part(static_cast<int>(shares.size()), [&](int part) { pass.run(shares[static_cast<std::size_t>(part)]); });
  for (int c = 0; c < n; ++c) kernels::join_cut_rows(pass.carry(c), static_cast<Local>(m.chunks), pass.update(c));
}

#define INSTANTIATE(S, I) \
  template bool HostPieces<S, I>::is_scattered(double) const; \
  template void HostPieces<S, I>::multiply_pass(Carry *, S, const S *, std::int64_t, S, S *, std::int64_t, int) const; \
  template void HostMatrix<S, I>::multiply_many(Operation, S, const S *, std::int64_t, S, S *, std::int64_t, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
