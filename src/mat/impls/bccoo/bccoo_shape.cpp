#include "impls/bccoo/bccoo_shape.hpp"

#include <algorithm>
#include <complex>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace petscspmv::bccoo {

namespace {

/// Counts blocks of all widths among ascending columns without repetitions.
template <class Index> class Widths {
public:
  explicit Widths(std::array<std::int64_t, longest_side> &blocks) : blocks_(blocks) { }

  void count(const std::vector<Index> &columns) { count(columns, std::make_index_sequence<longest_side>()); }

private:
  template <std::size_t... w> void count(const std::vector<Index> &columns, std::index_sequence<w...>)
  {
    Index last[longest_side];
    std::fill(std::begin(last), std::end(last), Index(-1));
    for (const Index c : columns)
      ((blocks_[w] += std::exchange(last[w], c / static_cast<Index>(w + 1)) != c / static_cast<Index>(w + 1)), ...);
  }

  std::array<std::int64_t, longest_side> &blocks_;
};

/// Columns of some rows put together, one row after the other.
template <class Index> class Union {
public:
  const std::vector<Index> &columns() const { return columns_; }
  void                      clear() { columns_.clear(); }

  void add(const Index *col, Index n)
  {
    if (!std::is_sorted(col, col + n)) {
      row_.assign(col, col + n);
      std::sort(row_.begin(), row_.end());
      col = row_.data();
    }
    both_.clear();
    std::set_union(columns_.begin(), columns_.end(), col, col + n, std::back_inserter(both_));
    both_.erase(std::unique(both_.begin(), both_.end()), both_.end()); // a row may have a column several times
    std::swap(columns_, both_);
  }

private:
  std::vector<Index> columns_, row_, both_;
};

/// Bytes of a block besides its values: its column and its flag.
constexpr double block_bytes = 2.125;

} // namespace

int vectors(Shape s)
{
  if (s.rows == 2 && s.cols == 2) return 2;
  return s.by_rows() ? (1 + s.rows) * ((s.cols + 3) / 4) : (1 + (s.rows + 3) / 4) * s.cols;
}

double Fill::per_entry(Shape s, double each) const
{
  const auto h = static_cast<std::size_t>(s.rows - 1), w = static_cast<std::size_t>(s.cols - 1);
  return each * static_cast<double>(blocks[h][w]) / static_cast<double>(std::max<std::int64_t>(entries[h], 1));
}

double Fill::rows_per_entry(Shape s) const
{
  const auto h = static_cast<std::size_t>(s.rows - 1);
  return static_cast<double>(block_rows[h]) / static_cast<double>(std::max<std::int64_t>(entries[h], 1));
}

template <class Scalar, class Index> Fill sample_fill(const CsrView<Scalar, Index> &a)
{
  using tuning::sample_rows, tuning::sample_stride;
  Fill         fill;
  Union<Index> columns;
  const auto   wanted =
    std::clamp<std::int64_t>(std::int64_t(a.nonzeros()) / tuning::sampled_share, tuning::least_sampled, tuning::most_sampled);
  const auto   each    = std::max<std::int64_t>(std::int64_t(a.nonzeros()) * sample_rows / std::max<std::int64_t>(a.rows, 1), 1);
  const auto   strides = std::max<std::int64_t>(std::int64_t(a.rows) / sample_stride, 1);
  const auto   step    = (strides - 1) / std::max<std::int64_t>(wanted / each, 1) + 1;
  std::int64_t budget  = 2 * wanted; // of rows that are longer than others
  for (std::int64_t s = 0; s < strides && budget > 0; s += step) {
    const auto first = static_cast<Index>(s * sample_stride),
               last  = static_cast<Index>(std::min<std::int64_t>(a.rows, first + sample_rows));
    budget -= a.row_ptr[last] - a.row_ptr[first];
    for (Index h = 1; h <= longest_side; ++h) {
      const auto i = static_cast<std::size_t>(h - 1);
      for (Index row = first; row + h <= last || (row < last && last == a.rows); row += h) {
        const Index end = std::min<Index>(row + h, last);
        columns.clear();
        for (Index r = row; r < end; ++r) columns.add(a.col + a.row_ptr[r], a.row_ptr[r + 1] - a.row_ptr[r]);
        Widths<Index>(fill.blocks[i]).count(columns.columns());
        fill.entries[i] += a.row_ptr[end] - a.row_ptr[row];
        fill.block_rows[i] += !columns.columns().empty();
      }
    }
  }
  return fill;
}

Shape best_shape(const Fill &fill, Shape asked, std::size_t scalar_bytes, const tuning::Cost &cost)
{
  const auto bytes = [&](Shape s) {
    return fill.per_entry(s, static_cast<double>(s.values()) * static_cast<double>(scalar_bytes) + block_bytes);
  };
  const auto time = [&](Shape s) {
    return bytes(s) * cost.byte + fill.per_entry(s, cost.block + vectors(s) * cost.column) + fill.rows_per_entry(s) * cost.row;
  };
  const bool squares  = asked.by_columns && asked.rows == 0 && asked.cols == 0;
  const auto for_each = [&](const auto &visit) {
    for (int h = 1; h <= longest_side; ++h)
      for (int w = 1; w <= longest_side; ++w)
        if ((asked.rows == 0 || h == asked.rows) && (asked.cols == 0 || w == asked.cols) && (!squares || h == w))
          visit(Shape{h, w, asked.by_columns});
  };
  double least_bytes = std::numeric_limits<double>::max(), least_time = least_bytes;
  Shape  best;
  for_each([&](Shape s) { least_bytes = std::min(least_bytes, bytes(s)); });
  for_each([&](Shape s) {
    if (bytes(s) > tuning::most_bytes * least_bytes || time(s) >= least_time) return;
    least_time = time(s);
    best       = s;
  });
  return best;
}

template <class Scalar, class Index> int slices_that_pay(const CsrView<Scalar, Index> &a, Shape shape, const tuning::Slices &rule)
{
  const std::int64_t bytes  = std::int64_t(a.cols) * std::int64_t(sizeof(Scalar));
  const std::int64_t slices = std::min<std::int64_t>((bytes + rule.bytes - 1) / rule.bytes, tuning::most_slices);
  const std::int64_t blocks = std::int64_t(a.nonzeros()) / std::max<std::int64_t>(std::int64_t(a.rows) * shape.cols, 1); // of a block row
  if (slices <= 1 || blocks < slices * rule.blocks) return 1;
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

template Fill sample_fill(const CsrView<double, std::int32_t> &);
template int  slices_that_pay(const CsrView<double, std::int32_t> &, Shape, const tuning::Slices &);
template Fill sample_fill(const CsrView<double, std::int64_t> &);
template int  slices_that_pay(const CsrView<double, std::int64_t> &, Shape, const tuning::Slices &);
template Fill sample_fill(const CsrView<std::complex<double>, std::int32_t> &);
template int  slices_that_pay(const CsrView<std::complex<double>, std::int32_t> &, Shape, const tuning::Slices &);
template Fill sample_fill(const CsrView<std::complex<double>, std::int64_t> &);
template int  slices_that_pay(const CsrView<std::complex<double>, std::int64_t> &, Shape, const tuning::Slices &);

} // namespace petscspmv::bccoo
