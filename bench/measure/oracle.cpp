#include "measure/oracle.hpp"

#include <cmath>
#include <limits>

namespace petscspmv::bench {

Oracle::Oracle(const LocalMatrix &a)
  : first_row_(a.first_row), expected_(std::size_t(a.rows->rows)), size_(expected_.size()), rounding_(expected_.size())
{
  std::vector<double> x(std::size_t(a.rows->cols));
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = vector_entry(std::int64_t(j));
  for (Index r = 0; r < a.rows->rows; ++r) {
    long double sum = 0, size = 0;
    for (Index k = a.rows->row_ptr[r]; k < a.rows->row_ptr[r + 1]; ++k) {
      const auto product = (long double)a.rows->val[k] * x[std::size_t(a.rows->col[k])];
      sum += product;
      size += std::fabs(product);
    }
    const auto length         = double(a.rows->row_ptr[r + 1] - a.rows->row_ptr[r]);
    expected_[std::size_t(r)] = sum;
    size_[std::size_t(r)]     = double(size);
    rounding_[std::size_t(r)] = (length + 4) * std::numeric_limits<double>::epsilon();
  }
}

Check Oracle::check(std::span<const double> y, double factor, double loss) const
{
  Check verdict;
  for (std::size_t r = 0; r < expected_.size(); ++r) {
    const auto   off   = double(std::fabs((long double)y[r] - (long double)factor * expected_[r]));
    const double bound = std::fabs(factor) * (rounding_[r] + loss) * size_[r];
    double       error = off == 0 ? 0 : off / bound;
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error <= verdict.error) continue;
    verdict = {error <= 1, error, std::int64_t(first_row_) + std::int64_t(r)};
  }
  return verdict;
}

} // namespace petscspmv::bench
