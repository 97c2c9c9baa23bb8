#include "impls/ccoo/order/renumbering.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/for_each_type.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/lanes/prefetch.hpp"
#include "impls/ccoo/order/renumbering_tuning.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::ccoo {
namespace {

using Rows = std::vector<std::int32_t>;

Rows inverse(const Rows &row)
{
  Rows place(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) place[static_cast<std::size_t>(row[i])] = static_cast<std::int32_t>(i);
  return place;
}

/// A cache in which each line of x has one place: enough to see whether columns come back before others have taken
/// their place. It begins empty.
class CacheLines {
public:
  explicit CacheLines(std::int64_t lines) : held_(static_cast<std::size_t>(lines), -1) { }

  /// True if `line` was not there; then it is.
  bool misses(std::int64_t line) { return std::exchange(held_[static_cast<std::size_t>(line) % held_.size()], line) != line; }

private:
  std::vector<std::int64_t> held_;
};

template <class Scalar, class Index> class Finder {
  using View = CsrView<Scalar, Index>;

public:
  explicit Finder(const View &a) : a_(a), rows_(a.rows) { }

  Renumbering best() const
  {
    if (Renumbering order = of_joined_rows(); !order.empty()) return order;
    if (rows_ < tuning::miss_windows * tuning::miss_rows || a_.cols * std::int64_t(sizeof(Scalar)) < kernels::second_cache_bytes) return {};
    const double own = waits({});
    if (own * tuning::renumbered_share < tuning::moved_rows) return {};
    double      cost = own * tuning::renumbered_share;
    Renumbering order;
    const auto  consider = [&](Renumbering &&other, double moved) {
      const double with = waits(other) + moved;
      if (with >= cost) return;
      cost  = with;
      order = std::move(other);
    };
    consider(by_columns(), tuning::moved_rows);
    if (!order.empty() || a_.rows != a_.cols || cost < tuning::moved_both) return order;
    if (auto row = breadth_first(std::max<std::int64_t>(rows_ / tuning::widest_level, 1)))
      consider({std::move(*row), true}, tuning::moved_both);
    return order;
  }

  /// A counting sort, so that rows with the same columns stay together.
  Renumbering by_columns() const
  {
    const auto key = [this](std::int64_t r) {
      const Index first = a_.row_ptr[r], end = a_.row_ptr[r + 1];
      return first == end ? std::int64_t(a_.cols) : std::int64_t(a_.col[first + (end - first) / 2]);
    };
    std::vector<std::int32_t> next(static_cast<std::size_t>(a_.cols) + 2, 0);
    for (std::int64_t r = 0; r < rows_; ++r) ++next[static_cast<std::size_t>(key(r) + 1)];
    for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
    Rows row(static_cast<std::size_t>(rows_));
    for (std::int64_t r = 0; r < rows_; ++r)
      row[static_cast<std::size_t>(next[static_cast<std::size_t>(key(r))]++)] = static_cast<std::int32_t>(r);
    return {std::move(row), false};
  }

  /// Rows in the order in which the columns of earlier ones name them; nothing if more than `widest` are equally far
  /// from a first one.
  std::optional<Rows> breadth_first(std::int64_t widest) const
  {
    Rows              row;
    std::vector<char> seen(static_cast<std::size_t>(rows_), 0);
    row.reserve(static_cast<std::size_t>(rows_));
    const auto add = [&](std::int64_t r) {
      seen[static_cast<std::size_t>(r)] = 1;
      row.push_back(static_cast<std::int32_t>(r));
    };
    for (std::int64_t first = 0, i = 0; first < rows_; ++first) {
      if (seen[static_cast<std::size_t>(first)]) continue;
      add(first);
      for (std::int64_t r = first + 1; r < rows_ && !seen[static_cast<std::size_t>(r)] && same_columns(r - 1, r); ++r)
        add(r); // of its node
      for (std::int64_t level = std::ssize(row); i < std::ssize(row); ++i) {
        if (i == level) {
          if (std::ssize(row) - level > widest) return {};
          level = std::ssize(row);
        }
        ask_for(row, i);
        for (Index k = a_.row_ptr[row[i]]; k < a_.row_ptr[row[i] + 1]; ++k)
          if (!seen[static_cast<std::size_t>(a_.col[k])]) add(a_.col[k]);
      }
    }
    return row;
  }

private:
  /// Where rows that are elsewhere have the same columns: side by side they are nodes, whose columns are kept and whose
  /// x is read once. Else empty.
  Renumbering of_joined_rows() const
  {
    if (a_.nonzeros() < tuning::joined_mean * rows_ || share_alike({}) > tuning::joined_before) return {};
    Renumbering order = by_columns();
    return share_alike(order) >= tuning::joined_share ? std::move(order) : Renumbering();
  }

  /// Of rows here and there in an order, the share of those with the columns of the row before.
  double share_alike(const Renumbering &order) const
  {
    const std::int64_t looked_at = std::min(rows_ - 1, tuning::joined_samples);
    const auto         row       = [&](std::int64_t i) { return order.empty() ? i : std::int64_t(order.row[static_cast<std::size_t>(i)]); };
    std::int64_t       alike     = 0;
    for (std::int64_t s = 1; s <= looked_at; ++s) {
      const std::int64_t i = (rows_ - 1) * s / looked_at;
      alike += same_columns(row(i - 1), row(i));
    }
    return double(alike) / double(std::max<std::int64_t>(looked_at, 1));
  }

  bool same_columns(std::int64_t r, std::int64_t s) const
  {
    const Index *const p = a_.col + a_.row_ptr[r], *const end = a_.col + a_.row_ptr[r + 1], *const q = a_.col + a_.row_ptr[s];
    return std::equal(p, end, q, a_.col + a_.row_ptr[s + 1]);
  }

  /// Rows are read from anywhere: their bounds first, then their columns.
  [[gnu::always_inline]] void ask_for(const Rows &row, std::int64_t i) const
  {
    if (i + 2 * tuning::rows_ahead >= std::ssize(row)) return;
    __builtin_prefetch(&a_.row_ptr[row[i + 2 * tuning::rows_ahead]]);
    __builtin_prefetch(&a_.col[a_.row_ptr[row[i + tuning::rows_ahead]]]);
  }

  /// Nanoseconds that a row waits for x in the mean, by the cache lines of it that caches do not have, if these hold
  /// what was used last.
  double waits(const Renumbering &order) const
  {
    constexpr std::int64_t entries = 64 / sizeof(Scalar);
    const Rows             place   = order.columns ? inverse(order.row) : Rows();
    std::int64_t           near = 0, far = 0, seen = 0;
    for (std::int64_t w = 0; w < tuning::miss_windows; ++w) {
      CacheLines         first(tuning::first_lines), second(tuning::second_lines);
      const std::int64_t begin = (rows_ - tuning::miss_rows) * w / tuning::miss_windows;
      for (std::int64_t i = begin; i < begin + tuning::miss_rows; ++i) {
        const std::int64_t r = order.empty() ? i : order.row[i];
        seen += a_.row_ptr[r + 1] - a_.row_ptr[r];
        for (Index k = a_.row_ptr[r]; k < a_.row_ptr[r + 1]; ++k) {
          const std::int64_t line = (place.empty() ? std::int64_t(a_.col[k]) : std::int64_t(place[a_.col[k]])) / entries;
          if (!first.misses(line)) continue;
          ++near;
          far += second.misses(line);
        }
      }
    }
    const double waited = double(near) * tuning::near_miss + (kernels::x_is_far<Scalar>(a_.cols) ? double(far) * tuning::far_miss : 0);
    return waited / double(std::max<std::int64_t>(seen, 1)) * double(a_.nonzeros()) / double(rows_); // windows differ in lengths
  }

  const View        &a_;
  const std::int64_t rows_;
};

} // namespace

template <class Scalar, class Index> Renumbering renumber(const CsrView<Scalar, Index> &a, Numbering wanted)
{
  constexpr auto              most = std::numeric_limits<std::int32_t>::max();
  const Finder<Scalar, Index> finder(a);
  if (wanted == Numbering::own || a.rows == 0 || a.rows >= most || a.cols >= most) return {};
  if (wanted == Numbering::automatic) return finder.best();
  if (wanted == Numbering::columns || a.rows != a.cols) return finder.by_columns();
  return {*finder.breadth_first(a.rows), true};
}

template <class Scalar, class Index>
RenumberedCsr<Scalar, Index>::RenumberedCsr(const CsrView<Scalar, Index> &a, const Renumbering &order, int threads)
  : a_rows_(a.rows), a_cols_(a.cols), row_ptr_(order.row.size() + 1), col_(static_cast<std::size_t>(a.nonzeros()) * sizeof(Index), 0),
    val_(static_cast<std::size_t>(a.nonzeros()) * sizeof(Scalar), 0)
{
  const auto  n      = static_cast<std::int64_t>(order.row.size());
  const Rows  place  = order.columns ? inverse(order.row) : Rows();
  auto *const cols   = reinterpret_cast<Index *>(col_.data());
  auto *const values = reinterpret_cast<Scalar *>(val_.data());
  for (std::int64_t i = 0; i < n; ++i) row_ptr_[i + 1] = row_ptr_[i] + a.row_ptr[order.row[i] + 1] - a.row_ptr[order.row[i]];
  kernels::for_each_part(threads, [&](int part) {
    for (std::int64_t i = n * part / threads, end = n * (part + 1) / threads; i < end; ++i) {
      if (i + tuning::rows_ahead < end) {
        const Index ahead = a.row_ptr[order.row[i + tuning::rows_ahead]];
        __builtin_prefetch(&a.col[ahead]);
        __builtin_prefetch(&a.val[ahead]);
      }
      const Index first = a.row_ptr[order.row[i]], length = row_ptr_[i + 1] - row_ptr_[i];
      std::copy_n(a.val + first, length, values + row_ptr_[i]);
      Index *const col = cols + row_ptr_[i];
      if (place.empty()) std::copy_n(a.col + first, length, col);
      else std::transform(a.col + first, a.col + first + length, col, [&](Index c) { return Index(place[c]); });
    }
  });
}

template <class Scalar>
RenumberedProducts<Scalar>::RenumberedProducts(Renumbering order, std::int64_t cols, int threads)
  : order_(std::move(order)), cols_(cols), threads_(threads)
{
}

namespace {

/// Calls move(i, row[i]) for the i of each thread's part, and asks for address + row[i] before that.
template <bool writes, class Scalar, class Move> void move_rows(int threads, const Rows &row, const Scalar *address, const Move &move)
{
  const std::int64_t n = std::ssize(row);
  kernels::for_each_part(threads, [&](int part) {
    const std::int64_t end = n * (part + 1) / threads, asked = end - tuning::entries_ahead;
    std::int64_t       i = n * part / threads;
    for (; i < asked; ++i) {
      __builtin_prefetch(address + row[static_cast<std::size_t>(i + tuning::entries_ahead)], writes);
      move(i, row[static_cast<std::size_t>(i)]);
    }
    for (; i < end; ++i) move(i, row[static_cast<std::size_t>(i)]);
  });
}

} // namespace

template <class Scalar> void RenumberedProducts<Scalar>::gather(const Scalar *from, Scalar *to) const
{
  move_rows<false>(threads_, order_.row, from, [=](std::int64_t i, std::int32_t row) { to[i] = from[row]; });
}

template <class Scalar> void RenumberedProducts<Scalar>::scatter(Scalar alpha, const Scalar *from, Scalar beta, Scalar *to) const
{
  const kernels::RowUpdate<Scalar> update(alpha, beta, to);
  if (update.only_stores()) move_rows<true>(threads_, order_.row, to, [=](std::int64_t i, std::int32_t row) { to[row] = from[i]; });
  else move_rows<true>(threads_, order_.row, to, [=](std::int64_t i, std::int32_t row) { update(row, from[i]); });
}

#define INSTANTIATE(S, I) \
  template Renumbering renumber(const CsrView<S, I> &, Numbering); \
  template class RenumberedCsr<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)
template class RenumberedProducts<double>;
template class RenumberedProducts<std::complex<double>>;

} // namespace petscspmv::ccoo
