// Products. Several vectors take turns at pieces of the matrix that a cache keeps meanwhile: the kernels are those of
// one vector. Where x is scattered, they are left to plain CSR.

#include "core/for_each_type.hpp"
#include "impls/ccoo/ccoo_host.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/columns.hpp"
#include "kernels/rows/update.hpp"

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

} // namespace

template <class Scalar, class Index>
void HostPieces<Scalar, Index>::multiply(Carry *carry, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                         std::int64_t ldy, int n) const
{
  const auto m    = layout();
  const auto task = [&](int c) {
    return Task<Scalar>{x + c * ldx, {alpha, beta, y + c * ldy}, carry + std::size_t(c) * m.chunks, plan.rules.ahead, plan.streams};
  };
  const auto take_turns = [&](const Share &pieces) {
    for (int c = 0; c < n; ++c) kernel(m, pieces, task(c));
  };
  kernels::for_each_part(static_cast<int>(shares.size()), [&](int part) {
    const Share &share = shares[static_cast<std::size_t>(part)];
    if (n == 1) return take_turns(share);
    for (std::size_t i = share.first_tile, end; i < share.last_tile; i = end) {
      end = end_of_batch<Scalar>(m.tile, i, share.last_tile);
      take_turns({i, end, 0, 0});
    }
    for (std::size_t i = share.first_chunk, end; i < share.last_chunk; i = end) {
      end = end_of_batch<Scalar>(m.chunk, i, share.last_chunk);
      take_turns({0, 0, i, end});
    }
  });
  for (int c = 0; c < n; ++c) kernels::join_cut_rows(task(c).carry, static_cast<Local>(m.chunks), task(c).update);
}

/// Y = alpha A X + beta Y with n vectors and alpha != 0, for which scratch memory has been claimed.
template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                              int n)
{
  const kernels::Scratch scratch = scratch_.borrow(scratch_bytes(n));
  auto *const            carry   = reinterpret_cast<kernels::Carry<Scalar, Local> *>(scratch.data() + vector_bytes(n));
  if (!order_) return pieces_->multiply(carry, alpha, x, ldx, beta, y, ldy, n);
  order_->multiply(scratch.data(), alpha, x, ldx, beta, y, ldy, n, [&](const Scalar *from, std::int64_t ldf, Scalar *to, std::int64_t ldt) {
    pieces_->multiply(carry, 1, from, ldf, 0, to, ldt, n);
  });
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  if (alpha == Scalar(0)) kernels::scale(pieces_->plan.rows, beta, y);
  else multiply_pass(alpha, x, 0, beta, y, 0, 1);
}

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                              std::int64_t ldy, int columns)
{
  const auto single = [&](const Scalar *xc, Scalar *yc) { multiply(op, alpha, xc, beta, yc); };
  kernels::in_passes(alpha != Scalar(0), columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    scratch_.raise(scratch_bytes(kernels::pass_columns));
    multiply_pass(alpha, xs, ldx, beta, ys, ldy, n);
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

#define INSTANTIATE(S, I) \
  template bool HostPieces<S, I>::is_scattered(double) const; \
  template void HostMatrix<S, I>::multiply(Operation, S, const S *, S, S *); \
  template void HostMatrix<S, I>::multiply_many(Operation, S, const S *, std::int64_t, S, S *, std::int64_t, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::ccoo
