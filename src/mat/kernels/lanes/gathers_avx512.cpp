// Compiled with the flags of this instruction set; see kernels/lanes/isa.hpp.
#include "kernels/lanes/gathers.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/lanes/group_avx512.hpp"

namespace petscspmv::kernels {
namespace {

/// The least of some runs, because all that can happen to one makes it longer.
template <bool gathers> double time_of(const std::vector<double> &x, const std::vector<std::uint16_t> &column)
{
  using L            = Avx512Group<gathers>;
  using Clock        = std::chrono::steady_clock;
  constexpr int runs = 9;
  double        best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const auto      begin = Clock::now();
    typename L::Vec sum   = L::zero();
    for (std::size_t i = 0; i < column.size(); i += group_rows) sum = L::mul_add(L::gather(x.data(), column.data() + i), L::set(0.5), sum);
    const volatile double used = L::sum(sum);
    static_cast<void>(used);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return best * group_rows / static_cast<double>(column.size());
}

} // namespace

double gather_time_avx512(Gathers gathers)
{
  constexpr std::size_t      entries = 2048, columns = 1024;
  const std::vector<double>  x(columns, 1.0);
  std::vector<std::uint16_t> column(entries);
  for (std::size_t i = 0; i < entries; ++i) column[i] = static_cast<std::uint16_t>(i * 389 % columns);
  return gathers == Gathers::instruction ? time_of<true>(x, column) : time_of<false>(x, column);
}

} // namespace petscspmv::kernels
