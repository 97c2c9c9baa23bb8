#pragma once

/// \file unrolled.hpp
/// Short loops that are unrolled before anything else happens to them.

#include <type_traits>
#include <utility>

namespace petscspmv::kernels {

/// A number as a type.
template <int n> using Number = std::integral_constant<int, n>;

/// Calls visit(n) for 1 <= n <= most, where n is a constant.
template <int most, class Visit> [[gnu::always_inline]] inline void with_number(int n, const Visit &visit)
{
  if constexpr (most > 1)
    if (n < most) return with_number<most - 1>(n, visit);
  visit(Number<most>());
}

/// Calls body(i) for i = 0 .. n - 1, where i is a constant. Arrays that are indexed by it stay in registers, which
/// those of a loop that is unrolled by a pragma do not always: the compiler unrolls such loops after it has decided on
/// that.
template <int n, class Body> [[gnu::always_inline]] inline void unrolled(const Body &body)
{
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline))
  {
    (body(Number<i>()), ...);
  }
  (std::make_integer_sequence<int, n>());
}

} // namespace petscspmv::kernels
