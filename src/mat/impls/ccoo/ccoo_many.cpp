// Products with several vectors.
//
// Where x is read in order, the vectors take turns at pieces of the matrix that a cache keeps meanwhile: the kernels
// are those of one vector. Where x is scattered, X is packed first, and a piece is done once for all vectors
// (ccoo_columns.hpp).

#include "core/for_each_type.hpp"
#include "impls/ccoo/device/matrix.hpp"
#include "impls/ccoo/ccoo_impl.hpp"
#include "impls/ccoo/ccoo_many_tuning.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/many/columns.hpp"
#include "kernels/rows/renumbering.hpp"

namespace petscspmv {

namespace {

using ccoo::Chunk;
using ccoo::Kind;
using ccoo::Share;
using ccoo::Tile;

/// Bytes of columns and values.
template <class Scalar> std::size_t bytes_of(const Tile &t)
{
  const std::size_t columns = t.kind == Kind::gather ? t.values / t.node * ccoo::column_bytes(t.columns) : 0;
  return columns + kernels::coded_bytes<Scalar>(t.coding, t.values);
}
template <class Scalar> std::size_t bytes_of(const Chunk &c)
{
  return c.entries * ccoo::column_bytes(c.columns) + kernels::coded_bytes<Scalar>(c.coding, c.entries);
}

/// The end of the pieces from `first` on that a cache keeps: before `last` and before the first for which stops(piece).
template <class Scalar, class Piece, class Stops>
std::size_t end_of_batch(const Piece *piece, std::size_t first, std::size_t last, const Stops &stops)
{
  std::size_t bytes = bytes_of<Scalar>(piece[first]), i = first + 1;
  while (i < last && !stops(piece[i]) && (bytes += bytes_of<Scalar>(piece[i])) <= ccoo::tuning::batch_bytes) ++i;
  return i;
}

/// What a pass of Y = alpha A X + beta Y needs.
template <class Scalar> struct Pass {
  const ccoo::Layout<Scalar>  &m;
  ccoo::Multiply<Scalar>       one; ///< vector
  ccoo::ColumnsKernels<Scalar> all; ///< vectors
  ccoo::ColumnsTask<Scalar>    task;
  Scalar                       alpha, beta;
  const Scalar                *x;
  std::int64_t                 ldx;
  bool                         ahead;
  bool                         streams;

  void run(const Share &share) const
  {
    const bool packed       = task.packed != nullptr;
    const auto tile_by_all  = [&](const Tile &t) { return packed && t.kind == Kind::gather; };
    const auto chunk_by_all = [&](const Chunk &) { return packed; };
    for (std::size_t i = share.first_tile, end; i < share.last_tile; i = end) {
      end = tile_by_all(m.tile[i]) ? i + 1 : end_of_batch<Scalar>(m.tile, i, share.last_tile, tile_by_all);
      if (tile_by_all(m.tile[i])) all.tile(m, m.tile[i], task);
      else take_turns({i, end, 0, 0});
    }
    for (std::size_t i = share.first_chunk, end; i < share.last_chunk; i = end) {
      end = packed ? i + 1 : end_of_batch<Scalar>(m.chunk, i, share.last_chunk, chunk_by_all);
      if (packed) all.chunk(m, i, task);
      else take_turns({0, 0, i, end});
    }
  }

  kernels::RowUpdate<Scalar>           update(int c) const { return {alpha, beta, task.update.update.y() + c * task.update.ldy}; }
  kernels::Carry<Scalar, ccoo::Local> *carry(int c) const { return task.carry + static_cast<std::size_t>(c) * m.chunks; }

private:
  void take_turns(const Share &pieces) const
  {
    for (int c = 0; c < task.update.columns; ++c) one(m, pieces, {x + c * ldx, update(c), carry(c), ahead, streams});
  }
};

} // namespace

template <class Scalar, class Index>
void Ccoo<Scalar, Index>::multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                        int columns)
{
  if (device_) return device_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  const auto single = [&](const Scalar *xc, Scalar *yc) { multiply(Operation::none, alpha, xc, beta, yc); };
  kernels::in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    if (alpha == Scalar(0))
      for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
    else if (!order_) impl_->multiply_pass(alpha, xs, ldx, beta, ys, ldy, n);
    else
      order_->multiply_pass(alpha, xs, ldx, beta, ys, ldy, n, [&](const Scalar *from, std::int64_t ldf, Scalar *to, std::int64_t ldt) {
        impl_->multiply_pass(1, from, ldf, 0, to, ldt, n);
      });
  });
}

/// Whether so much of the work has scattered x that packing X is worth it, and there are so many entries for it.
template <class Scalar, class Index> bool Ccoo<Scalar, Index>::Impl::packing_pays(double nonzeros) const
{
  if (nonzeros < ccoo::tuning::packed_entries * (static_cast<double>(plan.rows) + static_cast<double>(plan.cols))) return false;
  double     all = 0, scattered = 0;
  const auto add = [&](double cost, bool gathers) {
    all += cost;
    if (gathers) scattered += cost;
  };
  for (const Tile &t : plan.tiles) add(t.cost, t.kind == Kind::gather);
  for (const Chunk &c : plan.chunks) add(c.cost, true);
  return scattered > ccoo::tuning::packed_share * all;
}

template <class Scalar, class Index> auto Ccoo<Scalar, Index>::Impl::new_pass_scratch() const -> PassScratch
{
  return {Carries(plan.chunks.size() * kernels::pass_columns),
          packs ? kernels::Arena(kernels::packed_bytes<Scalar>(plan.cols), 0) : kernels::Arena()};
}

template <class Scalar, class Index>
void Ccoo<Scalar, Index>::Impl::multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                              int n)
{
  const auto    m         = layout();
  const auto    scratch   = pass_scratch.borrow([this] { return new_pass_scratch(); });
  Scalar *const rows_of_x = reinterpret_cast<Scalar *>(scratch->packed.data()); // null where x stays as it is
  if (packs) kernels::pack_columns(threads, x, ldx, m.cols, n, rows_of_x);
  const ccoo::ColumnsTask<Scalar> task{rows_of_x, {kernels::RowUpdate<Scalar>(alpha, beta, y), ldy, n}, scratch->carry.data()};
  const Pass<Scalar> pass{m, kernel, ccoo::columns_kernels<Scalar>(isa), task, alpha, beta, x, ldx, plan.rules.ahead, plan.streams};
  kernels::for_each_part(static_cast<int>(shares.size()), [&](int part) { pass.run(shares[static_cast<std::size_t>(part)]); });
  for (int c = 0; c < n; ++c) kernels::join_cut_rows(pass.carry(c), static_cast<ccoo::Local>(m.chunks), pass.update(c));
}

#define INSTANTIATE(S, I) \
  template bool Ccoo<S, I>::Impl::packing_pays(double) const; \
  template void Ccoo<S, I>::multiply_many(S, const S *, std::int64_t, S, S *, std::int64_t, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv
