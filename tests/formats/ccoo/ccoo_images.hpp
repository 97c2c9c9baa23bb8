#pragma once

/// \file ccoo_images.hpp
/// What ccoo copies to a device, in tests: how it is made on the host, and how two of them differ.

#include <algorithm>
#include <ranges>
#include <span>

#include "ccoo_checks.hpp"
#include "impls/ccoo/device/batch/batch_image.hpp"
#include "impls/ccoo/device/image.hpp"
#include "impls/ccoo/plan/plan.hpp"

namespace petscspmv::test {

/// `a` with a tenth of value(row, column - row) for each entry.
template <class Scalar, class Index, class Value>
CsrMatrix<Scalar, Index> with_values_by_offset(CsrMatrix<Scalar, Index> a, const Value &value)
{
  for (auto [r, c, v] : a.entries()) v = Scalar(0.1 * static_cast<double>(value(r, c - r)));
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
  using P      = Patterns<Scalar, Index>;
  const auto a = P::box(n, n, 3, b);
  return with_constants(!open ? a : P::by_rows(a.rows, a.cols, [&a, n, b](Index r) {
    auto columns = a.row(r);
    std::erase(columns, (r / b + n * n) * b);
    return columns;
  }));
}
/// Nodes of b rows of equal lengths or not, whose columns are in blocks, too, or in threes.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> nodes_of(Index b, bool blocked, bool alike)
{
  Random<double>           random(static_cast<unsigned>(b));
  CsrMatrix<Scalar, Index> a;
  a.cols = 70000 * b;
  for (int node = 0; node < 1501; ++node) {
    std::vector<Index> row;
    const std::int64_t n = alike ? 12 : random.integer(1, 30);
    for (std::int64_t k = 0; k < n; ++k) {
      const auto c = static_cast<Index>(random.integer(0, k % 5 == 4 ? 69999 : 40)) * b;
      for (Index i = 0; i < (blocked ? b : 3); ++i) row.push_back(c + i);
    }
    for (Index r = 0; r < b; ++r) a.add_row(row);
  }
  return a;
}
/// Three diagonals whose values come again every 128 rows.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> periodic_diagonals(Index n)
{
  using P = Patterns<Scalar, Index>;
  return with_values_by_offset(P::by_rows(n, n + 2, [](Index r) { return P::range(r, r + 3); }),
                               [](Index row, Index offset) { return row % 128 * 3 + offset; });
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
    if (auto batches = ccoo::image::batched_image(a, options, threads)) return {static_cast<ccoo::Local>(a.rows), static_cast<ccoo::Local>(a.cols), std::move(*batches)};
  return ImageOf<Scalar, Index>(a, ccoo::image::plan_for_image(a, options, threads), options, threads);
}

/// Makes images of matrices.
template <class F> class CcooImageTest : public ::testing::Test {
protected:
  using Scalar  = typename F::scalar_type;
  using Index   = typename F::index_type;
  using Matrix  = CsrMatrix<Scalar, Index>;
  using P       = Patterns<Scalar, Index>;
  using Problem = ProblemOf<F>;
  using Image   = ImageOf<Scalar, Index>;

  static Image image(const Matrix &a, const Settings &settings, int threads = 2)
  {
    return host_image(a.view(), ccoo_options(settings), threads);
  }
};

} // namespace petscspmv::test
