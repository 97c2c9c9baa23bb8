#include "impls/csr/csr_order.hpp"

#include <algorithm>
#include <vector>

#include "core/for_each_type.hpp"
#include "kernels/host/cache.hpp"
#include "impls/csr/csr_tuning.hpp"
#include "kernels/rows/scattered.hpp"

namespace petscspmv::csr {
namespace {

template <class Scalar, class Index> class Chooser {
public:
  explicit Chooser(const CsrView<Scalar, Index> &a) : a_(a) { }

  /// What a product waits for decides: instructions where caches hold the matrix, else memory.
  Order order() const
  {
    const std::int64_t bytes = a_.nonzeros() * std::int64_t(sizeof(Scalar) + sizeof(Index));
    if (bytes < kernels::csr_afar_bytes) return in_caches(bytes < kernels::csr_near_bytes);
    if (a_.cols * std::int64_t(sizeof(Scalar)) >= kernels::near_x_bytes && scattered()) {
      if (!mean_reaches(tuning::gather_mean)) return Order::tiles_x;
      return kernels::x_is_far<Scalar>(a_.cols) ? Order::rows_x : Order::rows_gather;
    }
    return mean_reaches(tuning::long_mean) || even() ? Order::rows : Order::tiles_ahead;
  }

private:
  /// What counts is the number of instructions, and of branches that are predicted wrongly.
  Order in_caches(bool small) const
  {
    const bool regular = even();
    if (a_.nodes > 0 && mean_reaches(tuning::node_mean) && (small || !(regular || mean_reaches(tuning::node_mean_outside))))
      return Order::nodes;
    if (regular || mean_reaches(tuning::long_mean)) return small ? Order::rows_cached : Order::rows;
    if (!small) return Order::tiles_ahead;
    const bool learned = a_.rows <= tuning::learned_rows && mean_reaches(tuning::loop_mean) && !mean_reaches(tuning::tile_mean);
    return learned ? Order::rows_cached : Order::tiles;
  }

  /// Whether x is scattered: windows of entries touch about as many of its cache lines as they have entries.
  bool scattered() const
  {
    const std::int64_t window = tuning::sample_entries, last = a_.nonzeros() - window;
    std::int64_t       lines = 0;
    std::vector<Index> line;
    for (std::int64_t s = 0; s < tuning::samples; ++s) {
      const Index *col = a_.col + last / tuning::samples * s;
      kernels::lines_of(col, window, Index(64 / sizeof(Scalar)), line);
      lines += std::ssize(line);
    }
    return kernels::is_scattered(lines, tuning::samples * window);
  }

  /// Whether rows are as long as their neighbours, so that a loop over rows ends where the processor predicts it.
  bool even() const
  {
    if (a_.rows < 2) return false;
    const std::int64_t window = std::min<std::int64_t>(tuning::sample_rows, a_.rows - 1), last = a_.rows - 1 - window;
    std::int64_t       same = 0;
    for (std::int64_t s = 0; s < tuning::samples; ++s) {
      const Index *row_ptr = a_.row_ptr + last / tuning::samples * s;
      for (std::int64_t r = 0; r < window; ++r) same += row_ptr[r + 1] - row_ptr[r] == row_ptr[r + 2] - row_ptr[r + 1];
    }
    return same * 100 >= tuning::samples * window * tuning::even_percent;
  }

  /// Whether rows have so many entries in the mean, or more.
  bool mean_reaches(std::int64_t entries) const { return a_.nonzeros() >= entries * a_.rows; }

  const CsrView<Scalar, Index> &a_;
};

} // namespace

template <class Scalar, class Index> Order choose_order(const CsrView<Scalar, Index> &a, std::optional<Order> asked)
{
  const Order order = asked ? *asked : Chooser<Scalar, Index>(a).order();
  return order == Order::nodes && a.nodes == 0 ? Order::tiles : order;
}

#define INSTANTIATE(S, I) template Order choose_order(const CsrView<S, I> &, std::optional<Order>);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::csr
