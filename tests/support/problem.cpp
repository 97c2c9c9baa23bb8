#include "support/problem.hpp"

#include <limits>
#include <sstream>
#include <utility>

#include "core/for_each_type.hpp"

namespace petscspmv::test {

template <class Scalar, class Index>
Problem<Scalar, Index>::Problem(CsrMatrix<Scalar, Index> matrix, Mode m, unsigned seed, std::span<const Operation> asked, bool fixed_values)
  : mode(m), a(std::move(matrix))
{
  if (!fixed_values) set_values(a, seed, mode == Mode::exact);
  for (Operation op : asked) {
    const bool plain = op == Operation::none;
    Case      &c     = cases.emplace_back();
    c.op             = op;
    c.x              = make_vector<Scalar>(plain ? a.cols : a.rows, seed + 100, mode);
    c.y_before       = make_vector<Scalar>(plain ? a.rows : a.cols, seed + 200, mode);
    poison_unused(op, c.x);
    refer(c);
  }
}

template <class Scalar, class Index> void Problem<Scalar, Index>::refer(Case &c) const
{
  c.reference = reference_product(a.view(), c.op, c.x);
}

template <class Scalar, class Index>
std::string Problem<Scalar, Index>::wrong(const Vector &y, const Case &c, Scalar alpha, Scalar beta) const
{
  std::string d = difference(y, c.reference, alpha, beta, c.y_before, mode);
  if (d.empty()) return d;
  std::ostringstream text;
  text << name(c.op) << ", alpha " << alpha << ", beta " << beta << ": " << d;
  return text.str();
}

template <class Scalar, class Index> void Problem<Scalar, Index>::poison_unused(Operation op, Vector &x) const
{
  std::vector<bool> used(x.size());
  for (const auto &entry : a.entries()) used[static_cast<std::size_t>(op == Operation::none ? entry.col : entry.row)] = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!used[i]) x[i] = std::numeric_limits<double>::quiet_NaN();
}

#define INSTANTIATE(Scalar, Index) template struct Problem<Scalar, Index>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::test
