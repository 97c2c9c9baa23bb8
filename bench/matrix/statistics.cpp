#include "matrix/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

namespace petscspmv::bench {

namespace {

constexpr std::int64_t kDiagonalsOfInterest = 64;

void row_lengths(const CsrMatrix &a, MatrixStatistics &s)
{
  if (a.rows == 0) return;
  s.row_mean        = double(a.nonzeros()) / double(a.rows);
  s.row_min         = a.nonzeros();
  double square_sum = 0;
  for (Index r = 0; r < a.rows; ++r) {
    const std::int64_t length = a.row_ptr[r + 1] - a.row_ptr[r];
    s.row_min                 = std::min(s.row_min, length);
    s.row_max                 = std::max(s.row_max, length);
    s.empty_rows += length == 0;
    square_sum += (double(length) - s.row_mean) * (double(length) - s.row_mean);
  }
  s.row_deviation = std::sqrt(square_sum / double(a.rows));
}

/// Nonzeros of row r that have one at most one column away in the next row.
std::int64_t similar_to_next(const CsrMatrix &a, Index r)
{
  std::int64_t found = 0;
  Index        q     = a.row_ptr[r + 1];
  const Index  end   = a.row_ptr[r + 2];
  for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
    while (q < end && a.col[q] + 1 < a.col[k]) ++q;
    found += q < end && a.col[q] <= a.col[k] + 1;
  }
  return found;
}

void placement(const CsrMatrix &a, MatrixStatistics &s)
{
  if (a.nonzeros() == 0) return;
  double       span     = 0;
  std::int64_t adjacent = 0, similar = 0;
  for (Index r = 0; r < a.rows; ++r) {
    const Index begin = a.row_ptr[r], end = a.row_ptr[r + 1];
    if (begin == end) continue;
    span += double(a.col[end - 1] - a.col[begin]);
    s.bandwidth = std::max({s.bandwidth, std::abs(std::int64_t(a.col[begin]) - r), std::abs(std::int64_t(a.col[end - 1]) - r)});
    for (Index k = begin + 1; k < end; ++k) adjacent += a.col[k] == a.col[k - 1] + 1;
    if (r + 1 < a.rows) similar += similar_to_next(a, r);
  }
  s.mean_span  = span / double(a.rows);
  s.neighbours = 2.0 * double(adjacent) / double(a.nonzeros());
  s.similarity = double(similar) / double(a.nonzeros());
}

/// Number of b x b blocks that hold a nonzero.
std::int64_t count_blocks(const CsrMatrix &a, Index b)
{
  std::vector<Index> last_block_row(std::size_t((a.cols + b - 1) / b), Index(-1));
  std::int64_t       blocks = 0;
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      Index &last = last_block_row[std::size_t(a.col[k] / b)];
      blocks += last != r / b;
      last = r / b;
    }
  return blocks;
}

void block_size(const CsrMatrix &a, MatrixStatistics &s)
{
  if (a.nonzeros() == 0) return;
  for (Index b = 8; b >= 2; --b) {
    if (a.rows % b != 0 || a.cols % b != 0) continue;
    const double fill = double(a.nonzeros()) / (double(count_blocks(a, b)) * double(b) * double(b));
    if (fill < least_block_fill) continue;
    s.block_size = int(b);
    s.block_fill = fill;
    return;
  }
}

void diagonals(const CsrMatrix &a, MatrixStatistics &s)
{
  std::unordered_map<std::int64_t, std::int64_t> count;
  // A sample of the rows is enough to tell, and keeps this from being the slowest step of a run.
  const Index  step    = std::max<Index>(1, a.rows / 20000);
  std::int64_t sampled = 0;
  for (Index r = 0; r < a.rows; r += step)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k, ++sampled) ++count[std::int64_t(a.col[k]) - r];
  std::vector<std::int64_t> sizes;
  sizes.reserve(count.size());
  for (const auto &[offset, n] : count) sizes.push_back(n);
  std::sort(sizes.rbegin(), sizes.rend());
  std::int64_t covered = 0;
  for (std::int64_t n : sizes) {
    if (double(covered) >= 0.95 * double(sampled) || s.diagonals > kDiagonalsOfInterest) break;
    covered += n;
    ++s.diagonals;
  }
}

} // namespace

MatrixStatistics statistics_of(const CsrMatrix &a)
{
  MatrixStatistics s;
  s.size = size_of(a);
  row_lengths(a, s);
  placement(a, s);
  block_size(a, s);
  diagonals(a, s);
  s.kind = matrix_class(s);
  return s;
}

std::string matrix_class(const MatrixStatistics &s)
{
  if (s.size.rows != s.size.cols) return "rectangular";
  if (double(s.row_max) > 50 * s.row_mean && s.row_max > 1000) return "long rows";
  if (s.block_size > 1) return "blocks";
  if (s.diagonals <= kDiagonalsOfInterest && s.diagonals * 100 < s.size.rows) return "diagonals";
  if (s.row_deviation > s.row_mean) return "skewed";
  return "unstructured";
}

} // namespace petscspmv::bench
