#include "impls/bccoo/bccoo_shape.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/for_each_type.hpp"
#include "impls/bccoo/bccoo_reader.hpp"
#include "kernels/lanes/unrolled.hpp"

namespace petscspmv::bccoo {

namespace {

/// Entries of x in a cache line, if they are doubles: blocks of that many columns are lines.
constexpr int line_entries = 64 / sizeof(double);

/// Counts blocks of all widths in a block row that is open, of blocks of one column.
template <class Scalar, class Index>
void count_widths(const BlockReader<Scalar, Index> &reader, std::array<std::int64_t, longest_side> &blocks)
{
  Local last[longest_side];
  std::fill(std::begin(last), std::end(last), Local(-1));
  for (std::uint32_t b = 0; b < reader.blocks(); ++b)
    kernels::unrolled<longest_side>([&, c = reader.column(b)](auto w) { blocks[w] += std::exchange(last[w], c / (w + 1)) != c / (w + 1); });
}

/// Bytes of a block besides its values: its column, its flag, and a mask if it may have zeros.
double bytes_besides(Shape s, bool full, double column)
{
  return column + 0.125 + (full ? 0 : double(mask_bytes(s)));
}

/// The columns from which entries of rows are looked at.
template <class Index> struct ColumnRange {
  /// All, or some around column `middle` that hold about `wanted` of `entries`, and no part of a block of any shape.
  ColumnRange(Index middle, Index cols, std::int64_t entries, std::int64_t wanted) : end(cols)
  {
    if (entries <= 2 * wanted) return;
    const auto strides = std::max<std::int64_t>(std::int64_t(double(cols) * double(wanted) / double(entries)) / tuning::sample_stride, 1);
    begin              = static_cast<Index>(middle / tuning::sample_stride * tuning::sample_stride);
    end                = static_cast<Index>(std::min<std::int64_t>(cols, begin + strides * tuning::sample_stride));
  }

  Index begin = 0, end;
};

/// The share of vectors of n values that lie in two cache lines, if they follow each other.
double crossing_share(int n)
{
  const int lanes  = n <= 2 ? n : n <= 4 ? 4 : 8;
  int       places = 0, crossing = 0;
  for (int at = 0; at < line_entries; at += std::gcd(n, line_entries), ++places) crossing += at + lanes > line_entries;
  return double(crossing) / places;
}

/// Predicted nanoseconds of a block and of a block row, from how block_sums.hpp takes them; but for the
/// bytes that are read.
double block_nanoseconds(Shape s, const tuning::Cost &cost)
{
  if (s.rows == 2 && s.cols == 2) return cost.block + cost.vector + cost.x;
  const bool   rows = s.by_rows();
  const int    n = rows ? s.rows : s.cols, length = rows ? s.cols : s.rows; // vectors, and their values
  const double loads = rows ? 1 : n, crossing = crossing_share(length) * (n + (rows ? 1 : 0));
  return cost.block + n * (length > 4 ? 2 : 1) * cost.vector + loads * cost.x + crossing * cost.crossing;
}

double row_nanoseconds(Shape s, const tuning::Cost &cost)
{
  const bool several = s.by_rows() && !(s.rows == 2 && s.cols == 2);
  return cost.row + (several ? s.rows - 1 : 0) * cost.sum;
}

} // namespace

double Fill::per_entry(Shape s, double each) const
{
  const auto h = static_cast<std::size_t>(s.rows - 1), w = static_cast<std::size_t>(s.cols - 1);
  return each * static_cast<double>(blocks[h][w]) / static_cast<double>(std::max<std::int64_t>(entries[h], 1));
}

double Fill::rows_per_entry(Shape s) const
{
  const auto h = static_cast<std::size_t>(s.rows - 1);
  return static_cast<double>(block_rows[h]) / static_cast<double>(std::max<std::int64_t>(rows[h], 1)) / mean;
}

namespace {

/// Adds what there is of blocks of h rows and all widths in rows first .. last - 1, as far as they are in some columns.
template <class Scalar, class Index>
void add_sample(const CsrView<Scalar, Index> &a, bool sorted, int h, Index first, Index last, const ColumnRange<Index> &range, Fill &fill)
{
  const auto                 i = static_cast<std::size_t>(h - 1);
  BlockReader<Scalar, Index> reader(a, {{h, 1}, static_cast<Local>(a.rows), static_cast<Local>(a.cols), 1, sorted});
  for (Index row = first / h * h; row + h <= last || (row < last && last == a.rows); row += h) {
    const Index end = std::min<Index>(row + h, last);
    reader.open(row, range.begin, range.end);
    fill.entries[i] += reader.entries(0, reader.blocks());
    count_widths(reader, fill.blocks[i]);
    fill.block_rows[i] += a.row_ptr[end] > a.row_ptr[row];
    fill.rows[i] += end - row;
  }
}

/// Samples that are taken in any case.
constexpr std::int64_t few_samples(std::int64_t rows)
{
  return std::clamp<std::int64_t>(rows / (2 * tuning::sample_rows), 1, tuning::least_samples);
}

} // namespace

template <class Scalar, class Index> Fill sample_fill(const CsrView<Scalar, Index> &a, bool sorted)
{
  using tuning::sample_rows, tuning::sample_stride;
  Fill       fill;
  const auto wanted =
    std::clamp<std::int64_t>(std::int64_t(a.nonzeros()) / tuning::sampled_share, tuning::least_sampled, tuning::most_sampled);
  const auto   each    = std::max<std::int64_t>(std::int64_t(a.nonzeros()) * sample_rows / std::max<std::int64_t>(a.rows, 1), 1);
  const auto   most    = std::max<std::int64_t>(std::int64_t(a.rows) / sample_stride, few_samples(a.rows));
  const auto   samples = std::clamp<std::int64_t>(wanted / each, few_samples(a.rows), most);
  const auto   share   = std::max<std::int64_t>(wanted / samples, each); // of a sample
  std::int64_t budget  = 2 * wanted;                                     // where many rows are longer than others
  fill.mean            = double(a.nonzeros()) / double(std::max<Index>(a.rows, 1));
  for (std::int64_t s = 0; s < samples && budget > 0; ++s) {
    const auto               first = static_cast<Index>(std::int64_t(a.rows) * s / samples);
    const auto               last  = static_cast<Index>(a.rows - first < 2 * sample_rows ? a.rows : first + sample_rows);
    const Index              begin = a.row_ptr[first], end = a.row_ptr[last];
    const ColumnRange<Index> range(begin < end ? a.col[begin + (end - begin) / 2] : 0, a.cols, end - begin, std::min(share, wanted));
    for (int h = 1; h <= longest_side; ++h) add_sample(a, sorted, h, first, last, range, fill);
    budget -= std::min<std::int64_t>(end - begin, 2 * share);
  }
  return fill;
}

Shape best_shape(const Fill &fill, Shape asked, std::size_t scalar_bytes, const ByteLimits &limits, const tuning::Cost &cost)
{
  const auto bytes = [&](Shape s) {
    const double values = static_cast<double>(s.values()) * static_cast<double>(scalar_bytes);
    return fill.per_entry(s, values + bytes_besides(s, fill.per_entry(s, s.values()) <= 1, cost.column));
  };
  const double lines  = fill.mean * fill.per_entry({1, line_entries}, 1); // of x that a row touches
  const auto   misses = [&](Shape s) { return lines > tuning::first_cache_lines ? fill.per_entry({s.rows, line_entries}, cost.miss) : 0; };
  const auto   time   = [&](Shape s) {
    return bytes(s) * (bytes(s) <= limits.near ? cost.near_stream : cost.stream) + fill.per_entry(s, block_nanoseconds(s, cost)) +
           misses(s) + fill.rows_per_entry(s) * row_nanoseconds(s, cost);
  };
  const bool squares  = asked.by_columns && asked.rows == 0 && asked.cols == 0;
  const auto for_each = [&](const auto &visit) {
    for (int h = 1; h <= longest_side; ++h)
      for (int w = 1; w <= longest_side; ++w)
        if ((asked.rows == 0 || h == asked.rows) && (asked.cols == 0 || w == asked.cols) && (!squares || (h == w && h <= longest_square)))
          visit(Shape{h, w, asked.by_columns});
  };
  double least_bytes = std::numeric_limits<double>::max(), least_time = least_bytes;
  Shape  best;
  for_each([&](Shape s) { least_bytes = std::min(least_bytes, bytes(s)); });
  for_each([&](Shape s) {
    if (bytes(s) > std::max(limits.most, tuning::most_bytes * least_bytes) || time(s) >= least_time) return;
    least_time = time(s);
    best       = s;
  });
  return best;
}

template <class Scalar, class Index> int slices_that_pay(const CsrView<Scalar, Index> &a, Shape shape)
{
  const std::int64_t bytes  = std::int64_t(a.cols) * std::int64_t(sizeof(Scalar));
  const std::int64_t slices = std::min<std::int64_t>((bytes + tuning::slice_bytes - 1) / tuning::slice_bytes, tuning::most_slices);
  const std::int64_t blocks = std::int64_t(a.nonzeros()) / std::max<std::int64_t>(std::int64_t(a.rows) * shape.cols, 1); // of a block row
  if (slices <= 1 || blocks < slices * tuning::slice_blocks) return 1;
  const auto   step  = static_cast<Index>(std::max<std::int64_t>(std::int64_t(a.rows) / tuning::span_samples, 1));
  std::int64_t spans = 0, rows = 0;
  for (Index r = 0; r < a.rows - step + 1; r += step) {
    if (a.row_ptr[r] == a.row_ptr[r + 1]) continue;
    const auto [least, most] = std::minmax_element(a.col + a.row_ptr[r], a.col + a.row_ptr[r + 1]);
    spans += std::int64_t(*most) - *least;
    ++rows;
  }
  return 2 * spans > rows * std::int64_t(a.cols) ? static_cast<int>(slices) : 1;
}

Facts facts_of_blocks(Shape shape, std::int64_t blocks, std::int64_t zeros)
{
  const std::int64_t values = blocks * shape.values(), percent = values > 0 ? (100 * zeros + values / 2) / values : 0;
  Facts              facts{{"blocks", std::to_string(blocks) + " of " + std::to_string(shape.rows) + " x " + std::to_string(shape.cols)},
              {"zeros in blocks that are no entries", std::to_string(zeros) + " (" + std::to_string(percent) + " % of the values)"}};
  if (blocks > 0 && (shape.values() == 1 || 5 * zeros >= 2 * values))
    facts.emplace_back("hint", "there are no dense blocks, so that ccoo suits this matrix better");
  return facts;
}

#define INSTANTIATE(S, I) \
  template Fill sample_fill(const CsrView<S, I> &, bool); \
  template int  slices_that_pay(const CsrView<S, I> &, Shape);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::bccoo
