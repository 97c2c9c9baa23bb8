#include <atomic>

#include "core/execution.hpp"
#include "core/for_each_type.hpp"
#include "core/known_pattern.hpp"
#include "core/runtime.hpp"
#include "kernels/rows/pattern_blocks.hpp"

namespace petscspmv {

template <class Index> std::uint64_t sum_of_numbers(const Index *numbers, std::int64_t n, int threads)
{
  using kernels::pattern_block, kernels::pattern_blocks;
  static auto *const sum =
    kernels::for_isa<double>(kernels::best_isa(), []<kernels::Isa isa>() { return &kernels::sum_blocks<isa, Index>; });
  constexpr std::int64_t batch = pattern_block * pattern_blocks;
  if (threads == 1 || n <= batch) return sum(numbers, n, 0);
  std::atomic<std::uint64_t> all{0};
  runtime::for_each_batch(threads, n, batch, [&](std::int64_t first, std::int64_t last) {
    all.fetch_add(sum(numbers + first, last - first, first / pattern_block), std::memory_order_relaxed);
  });
  return all;
}

template <class Scalar, class Index> PatternSum pattern_sum(const CsrView<Scalar, Index> &a, PatternUse use, int threads)
{
  const std::int64_t rows = a.rows, nonzeros = a.nonzeros();
  const bool         columns = use == PatternUse::all;
  if (!a.row_ptr) return {};
  if constexpr (built_for_device) {
    // A device has a sum ready after 15 us, in which a thread of the host has one of so many.
    constexpr std::int64_t few = 1 << 16;
    if (a.device_row_ptr && a.device_col && (!a.col || (a.newest_on_device && nonzeros > few)))
      return {kernels::sum_through_kokkos(a.device_row_ptr, rows + 1), columns ? kernels::sum_through_kokkos(a.device_col, nonzeros) : 0};
  }
  return {sum_of_numbers(a.row_ptr, rows + 1, threads), columns ? sum_of_numbers(a.col, nonzeros, threads) : 0};
}

#define INSTANTIATE(S, I) template PatternSum pattern_sum(const CsrView<S, I> &, PatternUse, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)
template std::uint64_t sum_of_numbers(const std::int32_t *, std::int64_t, int);
template std::uint64_t sum_of_numbers(const std::int64_t *, std::int64_t, int);

} // namespace petscspmv
