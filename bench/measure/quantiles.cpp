#include "measure/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace petscspmv::bench {

Quantiles quantiles_of(std::vector<double> values)
{
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) {
    const double      position = share * double(values.size() - 1);
    const std::size_t k        = std::min(std::size_t(position), values.size() - 1);
    const double      next     = values[std::min(k + 1, values.size() - 1)];
    return values[k] + (position - double(k)) * (next - values[k]);
  };
  return {int(values.size()), values.front(), at(0.25), at(0.5), at(0.75)};
}

double geometric_mean(const std::vector<double> &values)
{
  if (values.empty()) return 0;
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return std::exp(sum / double(values.size()));
}

} // namespace petscspmv::bench
