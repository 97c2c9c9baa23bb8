#pragma once

/// \file ccoo_images.hpp
/// What ccoo copies to a device, in tests: how it is made on the host, and how two of them differ.

#include <algorithm>
#include <ranges>
#include <span>

#include "ccoo_checks.hpp"
#include "impls/ccoo/device/image.hpp"
#include "impls/ccoo/plan/plan.hpp"

namespace petscspmv::test {

/// `a` with a tenth of value(row, column - row) for each entry.
template <class Scalar, class Index, class Value>
CsrMatrix<Scalar, Index> with_values_by_offset(CsrMatrix<Scalar, Index> a, const Value &value)
{
  a.val.resize(a.col.size());
  for (Index r = 0; r < a.rows; ++r)
    for (Index i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) a.val[i] = Scalar(0.1 * static_cast<double>(value(r, a.col[i] - r)));
  return a;
}
/// The same values in all rows.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> with_constants(CsrMatrix<Scalar, Index> a)
{
  return with_values_by_offset(std::move(a), [](Index, Index offset) { return 1 + offset; });
}
/// A stencil on a grid of n^3 points whose values depend on the offset alone.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> constant_stencil(Index n)
{
  return with_constants(Patterns<Scalar, Index>::stencil(n));
}
/// 27 points on a grid of n^3 points with b unknowns each, whose values depend on the offset alone. `open`: none is
/// coupled with the first unknown of the point behind it.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> constant_nodes(Index n, Index b, bool open)
{
  CsrMatrix<Scalar, Index> a;
  a.cols           = n * n * n * b;
  const auto range = [n](Index k) { return std::pair(std::max<Index>(k - 1, 0), std::min<Index>(k + 1, n - 1)); };
  for (Index row = 0; row < a.cols; ++row) {
    const Index        point = row / b, i = point / (n * n), j = point / n % n, k = point % n;
    std::vector<Index> columns;
    for (auto [p, most_p] = range(i); p <= most_p; ++p)
      for (auto [q, most_q] = range(j); q <= most_q; ++q)
        for (auto [r, most_r] = range(k); r <= most_r; ++r)
          for (Index l = 0; l < b; ++l)
            if (!(open && l == 0 && p == i + 1 && q == j && r == k)) columns.push_back(((p * n + q) * n + r) * b + l);
    a.add_row(columns);
  }
  return with_constants(std::move(a));
}
/// Three diagonals whose values come again every 128 rows.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> periodic_diagonals(Index n)
{
  CsrMatrix<Scalar, Index> a;
  a.cols = n + 2;
  for (Index r = 0; r < n; ++r) a.add_row(Patterns<Scalar, Index>::range(r, r + 3));
  return with_values_by_offset(std::move(a), [](Index row, Index offset) { return row % 128 * 3 + offset; });
}

template <class T> bool same_bytes(const T &p, const T &q)
{
  return std::ranges::equal(std::as_bytes(std::span(&p, 1)), std::as_bytes(std::span(&q, 1)));
}
/// Which may end with bytes that are not used.
template <class Scalar> bool same_bytes(const ccoo::image::Slot<Scalar> &p, const ccoo::image::Slot<Scalar> &q)
{
  return kernels::same_bits(p.value, q.value) && p.offset == q.offset && p.before == q.before;
}

/// The names of arrays that differ.
template <class Scalar> std::string image_difference(const ccoo::image::Image<Scalar> &p, const ccoo::image::Image<Scalar> &q)
{
  std::string names;
  ccoo::image::for_each_array(
    [&names](const char *name, const auto &a, const auto &b) {
      if (!std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size(),
                      [](const auto &u, const auto &v) { return same_bytes(u, v); }))
        names += std::string(name) + "; ";
    },
    p, q);
  return names;
}

/// An image that can be decoded as a format can.
template <class Scalar, class Index> struct ImageOf : ccoo::image::Image<Scalar> {
  using scalar_type = Scalar;
  using index_type  = Index;
  using ccoo::image::Image<Scalar>::Image;
  explicit ImageOf(ccoo::image::Image<Scalar> image) : ccoo::image::Image<Scalar>(std::move(image)) { }
};

/// The image of a matrix as it is made on the host.
template <class Scalar, class Index>
ImageOf<Scalar, Index> host_image(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads = 2)
{
  if (ccoo::image::wants_batches(a, options))
    if (auto batches = ccoo::image::batched_image(a, options, threads)) return ImageOf<Scalar, Index>(std::move(*batches));
  return ImageOf<Scalar, Index>(a, ccoo::image::plan_for_image(a, options, threads), options, threads);
}

/// Makes images of matrices.
template <class F> class CcooImageTest : public ::testing::Test {
protected:
  using Scalar  = typename F::scalar_type;
  using Index   = typename F::index_type;
  using Matrix  = CsrMatrix<Scalar, Index>;
  using Problem = ProblemOf<F>;

  using Image = ImageOf<Scalar, Index>;

  static Image image(const CsrView<Scalar, Index> &a, const Settings &settings, int threads = 2)
  {
    return host_image(a, ccoo_options(settings), threads);
  }
};

} // namespace petscspmv::test
