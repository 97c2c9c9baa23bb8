#include <algorithm>
#include <array>
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
  // So many places are known ahead: without that, 2 million nodes take 60 ms, for each waits for memory.
  constexpr std::size_t          ahead = 256;
  const auto                     size  = static_cast<std::size_t>(n);
  std::vector<Index>             order(size);
  std::vector<char>              was_chosen(size);
  std::array<std::size_t, ahead> places;
  Rander48                       next;
  std::iota(order.begin(), order.end(), Index(0));
  for (std::size_t first = 0; first < size; first += ahead) {
    const std::size_t some = std::min(ahead, size - first);
    for (std::size_t k = 0; k < some; ++k) {
      places[k] = std::min(static_cast<std::size_t>(next() * static_cast<double>(n)), size - 1);
      __builtin_prefetch(&order[places[k]], 1);
      __builtin_prefetch(&was_chosen[places[k]], 1);
    }
    for (std::size_t k = 0; k < some; ++k) { // without a branch that nobody can predict: what must not be swapped is, with itself
      char             &chosen = was_chosen[places[k]];
      const std::size_t own = first + k, place = chosen ? own : places[k];
      chosen = static_cast<char>(chosen | (places[k] != own));
      std::swap(order[place], order[own]);
    }
  }
  return order;
}

template std::vector<std::int32_t> greedy_order(std::int32_t);
template std::vector<std::int64_t> greedy_order(std::int64_t);

} // namespace petscspmv
