// Compiled once for each instruction set; see kernels/lanes/this_isa.hpp.
#include <algorithm>
#include <type_traits>

#include "kernels/lanes/this_isa.hpp"
#include "kernels/rows/pattern_blocks.hpp"

#if !defined(PETSCSPMV_ISA_complex) // which has columns as the others
namespace petscspmv::kernels {

template <Isa isa, class Index> std::uint64_t sum_blocks(const Index *numbers, std::int64_t n, std::int64_t block)
{
  std::uint64_t sum = 0;
  for (; n > 0; n -= pattern_block, numbers += pattern_block, ++block) {
    std::uint64_t products = 0;
    const int     some     = static_cast<int>(std::min<std::int64_t>(n, pattern_block));
    for (int i = 0; i < some; ++i) products += std::uint64_t{pattern_keys[i]} * static_cast<std::make_unsigned_t<Index>>(numbers[i]);
    sum += pattern_term(products, block);
  }
  return sum;
}

template std::uint64_t sum_blocks<this_isa>(const std::int32_t *, std::int64_t, std::int64_t);
template std::uint64_t sum_blocks<this_isa>(const std::int64_t *, std::int64_t, std::int64_t);

} // namespace petscspmv::kernels
#endif
