#include "select/structure.hpp"

#include <cstdint>

#include "core/cache_lines.hpp"
#include "core/for_each_type.hpp"
#include "select/model_tuning.hpp"

namespace petscspmv::select {

template <class Scalar, class Index>
Structure structure_of(const CsrView<Scalar, Index> &a, const std::vector<CsrView<Scalar, Index>> &windows)
{
  constexpr std::int64_t line_entries = 64 / sizeof(Scalar);
  Structure              s{double(a.rows), double(a.cols), double(a.nonzeros())};
  s.x_bytes           = s.cols * sizeof(Scalar);
  s.vector_bytes      = s.x_bytes + s.rows * sizeof(Scalar);
  std::int64_t uneven = 0, near = 0, far = 0, seen = 0;
  for (Index r = 1; r < a.rows; ++r) uneven += a.row_ptr[r + 1] - a.row_ptr[r] != a.row_ptr[r] - a.row_ptr[r - 1];
  CacheLines first(tuning::first_cache_lines), second(tuning::second_cache_lines);
  for (const auto &window : windows) {
    for (Index k = 0; k < window.nonzeros(); ++k) {
      const std::int64_t line = std::int64_t(window.col[k]) / line_entries;
      if (!first.misses(line)) continue;
      ++near;
      far += second.misses(line);
    }
    seen += window.nonzeros();
  }
  if (a.rows > 0) s.uneven = double(uneven) / double(a.rows);
  if (seen > 0) {
    s.near_misses = double(near) / double(seen);
    s.far_misses  = double(far) / double(seen);
  }
  return s;
}

#define INSTANTIATE(S, I) template Structure structure_of(const CsrView<S, I> &, const std::vector<CsrView<S, I>> &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::select
