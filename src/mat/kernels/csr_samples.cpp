#include "kernels/csr_samples.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "kernels/csr_samples_tuning.hpp"

namespace petscspmv::kernels {

template <class Scalar, class Index> std::int64_t CsrSamples<Scalar, Index>::bytes() const
{
  return a_.nonzeros() * std::int64_t(sizeof(Scalar) + sizeof(Index));
}

template <class Scalar, class Index> bool CsrSamples<Scalar, Index>::in_core_caches() const
{
  return bytes() < tuning::small_bytes;
}

template <class Scalar, class Index> bool CsrSamples<Scalar, Index>::in_caches() const
{
  return bytes() < tuning::cache_bytes;
}

template <class Scalar, class Index> bool CsrSamples<Scalar, Index>::scattered() const
{
  const std::int64_t window = tuning::sample_entries, last = a_.nonzeros() - window;
  if (last < 0 || a_.cols * std::int64_t(sizeof(Scalar)) < tuning::x_bytes) return false;
  std::int64_t       lines = 0;
  std::vector<Index> line;
  for (std::int64_t s = 0; s < tuning::samples; ++s) {
    const Index *col = a_.col + last / tuning::samples * s;
    line.clear();
    for (std::int64_t k = 0; k < window; ++k) line.push_back(col[k] / Index(64 / sizeof(Scalar)));
    std::sort(line.begin(), line.end());
    lines += std::unique(line.begin(), line.end()) - line.begin();
  }
  return lines * 100 > tuning::samples * window * tuning::scattered_percent;
}

template <class Scalar, class Index> bool CsrSamples<Scalar, Index>::even() const
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

template <class Scalar, class Index> bool CsrSamples<Scalar, Index>::suits_nodes() const
{
  if (a_.nodes == 0 || !in_caches() || !mean_reaches(tuning::node_mean)) return false;
  return in_core_caches() || !(even() || mean_reaches(tuning::node_mean_outside));
}

template class CsrSamples<double, std::int32_t>;
template class CsrSamples<double, std::int64_t>;
template class CsrSamples<std::complex<double>, std::int32_t>;
template class CsrSamples<std::complex<double>, std::int64_t>;

} // namespace petscspmv::kernels
