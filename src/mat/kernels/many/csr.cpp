#include "kernels/many/csr.hpp"

#include <algorithm>

#include "core/for_each_type.hpp"
#include "kernels/many/csr_kernel.hpp"
#include "kernels/rows/search.hpp"

namespace petscspmv::kernels {
namespace {

template <class Scalar, class Index> CsrColumns<Scalar, Index> kernels_for(Isa isa)
{
  return for_isa<Scalar>(isa, []<Isa one>() { return csr_columns<one, Scalar, Index>(); });
}

/// Where part `part` of `parts` begins, so that all have about as many rows and entries together.
template <class Scalar, class Index> Index first_row(const CsrView<Scalar, Index> &a, int part, int parts)
{
  const std::int64_t all = std::int64_t(a.rows) + a.nonzeros(), want = all * part / parts;
  return first_where(a.rows, [&](Index r) { return std::int64_t(r) + a.row_ptr[r] >= want; });
}

} // namespace

template <class Scalar, class Index>
void multiply_columns(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchClaim &scratch, Scalar alpha, const Scalar *x,
                      std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns)
{
  const std::size_t bytes = packed_bytes<Scalar>(a.cols);
  scratch.raise(bytes);
  const Scratch room      = scratch.borrow(bytes);
  auto *const   rows_of_x = reinterpret_cast<Scalar *>(room.data());
  pack_columns(threads, x, ldx, a.cols, columns, rows_of_x);
  const auto                  kernel = kernels_for<Scalar, Index>(isa).rows;
  const ColumnsUpdate<Scalar> update{RowUpdate<Scalar>(alpha, beta, y), ldy, columns};
  for_each_part(threads, [&](int part) { kernel(a, first_row(a, part, threads), first_row(a, part + 1, threads), rows_of_x, update); });
}

template <class Scalar, class Index>
void multiply_columns_transposed(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchClaim &scratch, Scalar alpha,
                                 const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns)
{
  const std::size_t bytes = packed_bytes<Scalar>(std::int64_t(a.rows) + a.cols);
  scratch.raise(bytes);
  const Scratch room = scratch.borrow(bytes);
  Scalar *const from = reinterpret_cast<Scalar *>(room.data()), *const sum = from + std::int64_t(a.rows) * pass_columns;
  pack_columns(threads, x, ldx, a.rows, columns, from);
  const auto                  kernel = kernels_for<Scalar, Index>(isa).scatter;
  const ColumnsUpdate<Scalar> update{RowUpdate<Scalar>(alpha, beta, y), ldy, columns};
  for_each_part(threads, [&](int part) {
    constexpr Index block = 32; // rows that go into Y together, so that its columns are not written in turns entry by entry
    const auto      at    = [&](int p) { return static_cast<Index>(std::int64_t(a.cols) * p / threads); };
    const Index     first = at(part), last = at(part + 1);
    std::fill(sum + std::int64_t(first) * pass_columns, sum + std::int64_t(last) * pass_columns, Scalar(0));
    kernel(a, first, last, from, sum);
    for (Index row = first, n = 0; row < last; row += n) {
      n = std::min<Index>(block, last - row);
      update(row, sum + std::int64_t(row) * pass_columns, n);
    }
  });
}

#define INSTANTIATE(S, I) \
  template void multiply_columns(const CsrView<S, I> &, Isa, int, ScratchClaim &, S, const S *, std::int64_t, S, S *, std::int64_t, int); \
  template void multiply_columns_transposed(const CsrView<S, I> &, Isa, int, ScratchClaim &, S, const S *, std::int64_t, S, S *, \
                                            std::int64_t, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::kernels
