#include "select/windows.hpp"

#include <algorithm>
#include <utility>

#include "core/for_each_type.hpp"
#include "core/runtime.hpp"
#include "select/model_tuning.hpp"

namespace petscspmv::select {

template <class Scalar, class Index> Windows<Scalar, Index>::Windows(const View &a, std::int64_t entries)
{
  const auto nonzeros = std::int64_t(a.nonzeros());
  if (nonzeros <= 2 * entries) {
    add(a);
    return;
  }
  row_ptrs_.reserve(tuning::windows); // views point into them
  const std::int64_t several = tuning::least_window_rows * nonzeros / std::int64_t(a.rows);
  const int          windows = static_cast<int>(std::clamp<std::int64_t>(entries / std::max<std::int64_t>(several, 1), 1, tuning::windows));
  const std::int64_t quota   = std::max(entries / windows, several);
  Index              next    = 0;
  for (int w = 0; w < windows; ++w) {
    const auto first = static_cast<Index>(std::int64_t(a.rows) * w / windows);
    next             = std::max(next, first);
    if (next < a.rows) add(a, next, quota);
    if (!views_.empty()) next = std::max<Index>(next, first + views_.back().rows);
  }
  std::int64_t seen = 0;
  for (const View &v : views_) seen += std::int64_t(v.nonzeros());
  scale_ = double(nonzeros) / double(std::max<std::int64_t>(seen, 1));
}

template <class Scalar, class Index> void Windows<Scalar, Index>::add(const View &a, Index first, std::int64_t quota)
{
  Index last = first;
  while (last < a.rows && std::int64_t(a.row_ptr[last] - a.row_ptr[first]) < quota && last - first < quota) ++last;
  auto &row_ptr = row_ptrs_.emplace_back(a.row_ptr + first, a.row_ptr + last + 1);
  for (Index &p : row_ptr) p -= a.row_ptr[first];
  add(View{static_cast<Index>(last - first), a.cols, row_ptr.data(), a.col + a.row_ptr[first], a.val + a.row_ptr[first]});
}

template <class Scalar, class Index> void Windows<Scalar, Index>::add(View window)
{
  auto values = runtime::from_device(window.val, static_cast<std::size_t>(window.nonzeros()));
  if (!values.empty()) window.val = brought_.emplace_back(std::move(values)).data();
  views_.push_back(window);
}

#define INSTANTIATE(S, I) template class Windows<S, I>;
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::select
