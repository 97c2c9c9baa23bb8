#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "impls/aggregation/aggregation.hpp"

namespace petscspmv {

double Rander48::operator()()
{
  state_ = (state_ * 0x5deece66d + 0xb) & 0xffffffffffff;
  return static_cast<double>(state_) / static_cast<double>(std::uint64_t{1} << 48);
}

template <class Index> std::vector<Index> greedy_order(Index n)
{
  const auto         size = static_cast<std::size_t>(n);
  std::vector<Index> order(size);
  std::vector<char>  was_chosen(size);
  Rander48           next;
  std::iota(order.begin(), order.end(), Index(0));
  for (std::size_t k = 0; k < size; ++k) {
    const auto place = static_cast<std::size_t>(next() * static_cast<double>(n)) % size;
    if (was_chosen[place] || place == k) continue;
    std::swap(order[place], order[k]);
    was_chosen[place] = 1;
  }
  return order;
}

template std::vector<std::int32_t> greedy_order(std::int32_t);
template std::vector<std::int64_t> greedy_order(std::int64_t);

} // namespace petscspmv
