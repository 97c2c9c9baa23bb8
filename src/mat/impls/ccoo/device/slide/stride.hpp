#pragma once

/// \file stride.hpp
/// When units slide, and how far apart the planes are.

#include <algorithm>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "impls/ccoo/device/slide/slide_arrays.hpp"
#include "impls/ccoo/device/slide/slide_tuning.hpp"
#include "impls/ccoo/plan/alike.hpp"

namespace petscspmv::ccoo::image {

/// When units slide.
struct SlideRules {
  explicit SlideRules(const OptionValues &options)
  {
    const When choice = options[slide_option];
    any               = choice != When::never;
    if (choice != When::always) return;
    least_stride     = 1;
    least_rows       = 1;
    least_planes     = 1;
    least_jobs       = 1;
    least_job_planes = tuning::device_most_job_planes;
  }

  bool         any; ///< else none does
  Local        least_stride = tuning::device_least_stride, least_rows = tuning::device_least_sliding_rows;
  Local        widest           = tuning::device_widest_slide;       ///< from the lowest to the highest offset within a plane
  std::int64_t least_planes     = tuning::device_least_slide_planes; ///< that are alike
  std::size_t  least_jobs       = tuning::device_least_slides;
  std::int64_t least_job_planes = tuning::device_least_job_planes; ///< of a job that might have more
};

/// How many times three of the ascending numbers are c, c + s and c + 2 s, each of them once. `used` is for this
/// function.
template <class Index> int count_chains(const Index *first, const Index *last, Index s, std::vector<bool> &used)
{
  used.assign(static_cast<std::size_t>(last - first), false);
  const auto find = [&](const Index *from, Index c) {
    const Index *const p = std::lower_bound(from, last, c);
    return p < last && *p == c && !used[static_cast<std::size_t>(p - first)] ? p : last;
  };
  int chains = 0;
  for (const Index *p = first; p < last; ++p) {
    if (used[static_cast<std::size_t>(p - first)]) continue;
    const Index *const q = find(p, *p + s), *const r = q < last ? find(q, *p + 2 * s) : last;
    if (r == last) continue;
    used[static_cast<std::size_t>(q - first)] = used[static_cast<std::size_t>(r - first)] = true;
    ++chains;
  }
  return chains;
}

/// The distance that occurs most often as that of three offsets of a row, o - s, o and o + s; the largest of several, 0
/// if there is none that is large enough. Looks at a few rows in the middle, which have the values of the next row, or
/// of that of the next node.
template <class Scalar, class Index> Local slide_stride(const CsrView<Scalar, Index> &a, const SlideRules &rules)
{
  if (!rules.any || sizeof(Scalar) > sizeof(double) || a.rows < rules.least_rows) return 0;
  constexpr Index    longest = 3 * most_slide_parts, looks = 5;
  constexpr Index    all  = 32; // entries of a row up to which any two are looked at, else the first and any other: 81 have 3240 pairs
  Local              best = 0;
  int                most = 0;
  std::vector<Index> gaps;
  std::vector<bool>  used;
  for (Index look = 1; look <= looks; ++look) {
    const Index row = a.rows / (looks + 1) * look + look; // not all at the same place of a line
    if (row >= a.rows) return best;
    const Index        begin = a.row_ptr[row], n = a.row_ptr[row + 1] - begin;
    const Index *const first = a.col + begin, *const last = first + n;
    if (n > longest || !std::is_sorted(first, last) || !has_values_again(a, row)) continue;
    gaps.clear();
    for (const Index *p = first; p < (n > all ? first + 1 : last); ++p)
      for (const Index *q = p + 1; q < last; ++q)
        if (*q - *p >= rules.least_stride) gaps.push_back(*q - *p);
    std::sort(gaps.begin(), gaps.end());
    gaps.erase(std::unique(gaps.begin(), gaps.end()), gaps.end());
    for (const Index s : gaps) {
      const int chains = count_chains(first, last, s, used);
      if (chains == 0 || chains < most || (chains == most && s < best)) continue;
      most = chains;
      best = static_cast<Local>(s);
    }
  }
  return best;
}

} // namespace petscspmv::ccoo::image
