#include <algorithm>
#include <type_traits>

#include "kernels/kokkos/instance.hpp"
#include "kernels/kokkos/arrays.hpp"
#include "kernels/rows/pattern_blocks.hpp"

namespace petscspmv::kernels {
namespace {

/// A team sums a block after the other.
template <class Index> struct SumOfBlocks {
  using value_type = std::uint64_t; // which Kokkos does not find in a template
  const Index  *numbers;
  std::int64_t  n, blocks;
  std::uint32_t keys[pattern_block];

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member, std::uint64_t &sum) const
  {
    for (std::int64_t b = member.league_rank(); b < blocks; b += member.league_size()) {
      const Index *const own      = numbers + b * pattern_block;
      const auto         some     = static_cast<int>(n - b * pattern_block < pattern_block ? n - b * pattern_block : pattern_block);
      std::uint64_t      products = 0;
      Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, some),
        [&](const int i, std::uint64_t &part) { part += std::uint64_t{keys[i]} * static_cast<std::make_unsigned_t<Index>>(own[i]); },
        products);
      Kokkos::single(Kokkos::PerTeam(member), [&] { sum += pattern_term(products, b); });
    }
  }
};

} // namespace

template <class Index> std::uint64_t sum_through_kokkos(const Index *numbers, std::int64_t n)
{
  constexpr std::int64_t most_teams = 1 << 12;
  const std::int64_t     blocks     = (n + pattern_block - 1) / pattern_block;
  SumOfBlocks<Index>     sum_of{numbers, n, blocks, {}};
  std::uint64_t          sum = 0;
  std::copy(pattern_keys.begin(), pattern_keys.end(), sum_of.keys);
  Kokkos::parallel_reduce("petscspmv pattern", league_of_teams(current_instance(), std::min(blocks, most_teams), 2, 32), sum_of, sum);
  return sum;
}

template std::uint64_t sum_through_kokkos(const std::int32_t *, std::int64_t);
template std::uint64_t sum_through_kokkos(const std::int64_t *, std::int64_t);

} // namespace petscspmv::kernels
