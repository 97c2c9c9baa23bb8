#include "support/tolerance.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace petscspmv::test {

namespace {

/// NaN for NaN, infinity for infinity, otherwise within the bound. A complex number counts as one thing here: which of
/// its parts an infinity reaches depends on the order of operations.
bool near(Extended y, Extended ref, long double bound)
{
  const auto finite = [](Extended z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  if (finite(y) && finite(ref)) return std::abs(y.real() - ref.real()) <= bound && std::abs(y.imag() - ref.imag()) <= bound;
  if (finite(y) || finite(ref)) return false;
  const bool real = ref.imag() == 0 && y.imag() == 0;
  return !real || (std::isnan(ref.real()) ? std::isnan(y.real()) : y.real() == ref.real());
}

} // namespace

template <class Scalar>
std::string difference(const std::vector<Scalar> &y, const Reference &ref, Scalar alpha, Scalar beta, const std::vector<Scalar> &y_before,
                       Mode mode)
{
  constexpr long double eps  = std::numeric_limits<double>::epsilon();
  constexpr long double tiny = std::numeric_limits<double>::denorm_min();
  constexpr long double both = IsComplex<Scalar>::value ? 2 : 1;
  const long double     size = std::abs(extended(alpha));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Extended product  = alpha == Scalar(0) ? Extended(0) : alpha == Scalar(1) ? ref.sum[i] : times(extended(alpha), ref.sum[i]);
    const Extended addend   = beta == Scalar(0)   ? Extended(0)
                              : beta == Scalar(1) ? extended(y_before[i])
                                                  : times(extended(beta), extended(y_before[i]));
    const Extended expected = product + addend, got = extended(y[i]);
    const auto     bound_with = [&](long double addends) -> long double {
      if (mode == Mode::exact) return 0;
      const long double weight = alpha == Scalar(0) ? 0 : size * ref.weight[i];
      return both * (eps * ((ref.count[i] + 4) * weight + 4 * addends) + (ref.count[i] + 2) * tiny);
    };
    // Without the addend the bound is stricter, and nearly all keep it; its absolute value takes longer than all else.
    if (near(got, expected, bound_with(0))) continue;
    const long double bound = bound_with(std::abs(addend));
    if (near(got, expected, bound)) continue;
    std::ostringstream text;
    text.precision(20);
    text << "entry " << i << " of " << y.size() << " is " << y[i] << ", expected " << expected << " with " << ref.count[i]
         << " terms, bound " << bound;
    return text.str();
  }
  return {};
}

template std::string difference(const std::vector<double> &, const Reference &, double, double, const std::vector<double> &, Mode);
template std::string difference(const std::vector<std::complex<double>> &, const Reference &, std::complex<double>, std::complex<double>,
                                const std::vector<std::complex<double>> &, Mode);

} // namespace petscspmv::test
