#include "support/oracle.hpp"

#include "core/for_each_type.hpp"

namespace petscspmv::test {

template <class Scalar, class Index>
Reference reference_product(const CsrView<Scalar, Index> &a, Operation op, const std::vector<Scalar> &x)
{
  const auto               n = static_cast<std::size_t>(op == Operation::none ? a.rows : a.cols);
  Reference                ref{std::vector<Extended>(n), std::vector<long double>(n), std::vector<long double>(n)};
  std::vector<long double> size(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) size[i] = std::abs(extended(x[i]));
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      const auto     to   = static_cast<std::size_t>(op == Operation::none ? r : a.col[k]);
      const auto     from = static_cast<std::size_t>(op == Operation::none ? a.col[k] : r);
      const Extended v    = op == Operation::hermitian ? std::conj(extended(a.val[k])) : extended(a.val[k]);
      ref.sum[to] += times(v, extended(x[from]));
      ref.weight[to] += std::abs(v) * size[from];
      ref.count[to] += 1;
    }
  return ref;
}

#define INSTANTIATE(Scalar, Index) \
  template Reference reference_product(const CsrView<Scalar, Index> &a, Operation op, const std::vector<Scalar> &x);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::test
