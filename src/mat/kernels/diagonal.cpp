#include "core/diagonal.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>

#include "core/execution.hpp"
#include "kernels/device_upload.hpp"

namespace petscspmv {
namespace {

/// Diagonal entries of rows first .. last - 1. Most rows have it where the row before had it.
template <class Scalar, class Index> void take_diagonal(const CsrView<Scalar, Index> &a, Index first, Index last, Scalar *d)
{
  Index place = 0; // in the row
  for (Index r = first; r < last; ++r) {
    const Index *const col = a.col + a.row_ptr[r];
    const Index        n   = a.row_ptr[r + 1] - a.row_ptr[r];
    if (place >= n || col[place] != r || (place > 0 && col[place - 1] == r))
      for (place = 0; place < n && col[place] != r;) ++place;
    *d++ = place < n ? a.val[a.row_ptr[r] + place] : Scalar(0);
  }
}

} // namespace

template <class Scalar, class Index>
void diagonal_to_device([[maybe_unused]] const CsrView<Scalar, Index> &a, [[maybe_unused]] int threads, [[maybe_unused]] Scalar *d)
{
  if constexpr (built_for_device)
    kernels::upload_made(d, static_cast<std::size_t>(a.rows) * sizeof(Scalar), threads, [&a](std::size_t at, std::size_t n, std::byte *to) {
      take_diagonal(a, static_cast<Index>(at / sizeof(Scalar)), static_cast<Index>((at + n) / sizeof(Scalar)),
                    reinterpret_cast<Scalar *>(to));
    });
}

template void diagonal_to_device(const CsrView<double, std::int32_t> &, int, double *);
template void diagonal_to_device(const CsrView<double, std::int64_t> &, int, double *);
template void diagonal_to_device(const CsrView<std::complex<double>, std::int32_t> &, int, std::complex<double> *);
template void diagonal_to_device(const CsrView<std::complex<double>, std::int64_t> &, int, std::complex<double> *);

} // namespace petscspmv
