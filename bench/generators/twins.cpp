/// \file twins.cpp
/// Twins of matrices that papers use: as many rows, columns and nonzeros, row lengths with the same mean, deviation and
/// maximum, the same mean span of a row; neighbours in a row and similarity of successive rows about the same. Values
/// are random.

#include <algorithm>
#include <cmath>

#include "generators/families.hpp"
#include "generators/row_lengths.hpp"
#include "generators/twin_table.hpp"
#include "matrix/builder.hpp"

namespace petscspmv::bench {

namespace {

const TwinStatistics &find_twin(const Arguments &arguments)
{
  std::string known;
  for (const TwinStatistics &t : kTwins) {
    if (t.name == arguments.word) return t;
    known += (known.empty() ? "" : ", ") + std::string(t.name);
  }
  throw InputError("There is no twin '" + arguments.word + "'. There are: " + known + ".");
}

Size predict(const Arguments &arguments)
{
  const TwinStatistics &t = find_twin(arguments);
  return {t.rows, t.cols, std::llround(double(t.rows) * t.row_mean)};
}

/// Places the columns of one row after the other.
class Placement {
public:
  Placement(const TwinStatistics &t, Random &random)
    : random_(random), rows_(t.rows), cols_(t.cols), keep_(t.similarity), go_on_(std::min(t.neighbours / 2, 0.999))
  {
  }

  /// The next row: `length` columns in a window of `width` around the diagonal.
  const std::vector<std::int64_t> &next_row(std::int64_t row, std::int64_t length, std::int64_t width)
  {
    width                    = std::clamp<std::int64_t>(width, length, cols_);
    const std::int64_t begin = std::clamp<std::int64_t>(row * cols_ / rows_ - width / 2, 0, cols_ - width);
    previous_.swap(columns_);
    columns_.clear();
    // A run at either end: the span of the row is the width of the window.
    if (length > 0) add_run(begin, std::max<std::int64_t>(1, length / 2));
    if (length > 1) {
      const std::int64_t run = run_length(length - std::int64_t(columns_.size()));
      for (std::int64_t c = begin + width - run; c < begin + width; ++c) columns_.push_back(c);
    }
    keep_some(begin, width, length);
    while (std::int64_t(columns_.size()) < length) {
      for (std::int64_t missing = length - std::int64_t(columns_.size()); missing > 0;) {
        const std::int64_t at = random_.below(width);
        missing -= add_run(begin + at, std::min(missing, width - at));
      }
      sort_columns();
      // A window that is nearly full is filled from the left; drawing would not end.
      if (2 * length > width) fill_up(begin, width, length);
    }
    std::sort(columns_.begin(), columns_.end());
    return columns_;
  }

private:
  /// Takes over runs of the previous row, a column further on, as in a band.
  void keep_some(std::int64_t begin, std::int64_t width, std::int64_t length)
  {
    bool keeps = false;
    for (std::size_t k = 0; k < previous_.size() && std::int64_t(columns_.size()) < length; ++k) {
      if (k == 0 || previous_[k] != previous_[k - 1] + 1) keeps = random_.uniform() < keep_;
      const std::int64_t c = previous_[k] + (rows_ == cols_);
      if (keeps && c > begin && c < begin + width - 1) columns_.push_back(c);
    }
    sort_columns();
  }

  /// Geometric, at most `most`; the mean gives the wanted number of neighbours.
  std::int64_t run_length(std::int64_t most)
  {
    std::int64_t length = 1;
    while (length < most && random_.uniform() < go_on_) ++length;
    return length;
  }

  std::int64_t add_run(std::int64_t first, std::int64_t most)
  {
    const std::int64_t length = run_length(most);
    for (std::int64_t c = first; c < first + length; ++c) columns_.push_back(c);
    return length;
  }

  void sort_columns()
  {
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  }

  void fill_up(std::int64_t begin, std::int64_t width, std::int64_t length)
  {
    std::vector<std::int64_t> filled;
    std::int64_t              missing = length - std::int64_t(columns_.size());
    auto                      next    = columns_.begin();
    for (std::int64_t c = begin; c < begin + width; ++c) {
      const bool there = next != columns_.end() && *next == c;
      if (there) ++next;
      if (there || missing-- > 0) filled.push_back(c);
    }
    columns_.swap(filled);
  }

  Random                   &random_;
  std::int64_t              rows_, cols_;
  double                    keep_, go_on_;
  std::vector<std::int64_t> columns_, previous_;
};

CsrMatrix generate(const Arguments &arguments)
{
  const TwinStatistics &t = find_twin(arguments);
  check_sizes(predict(arguments));
  Random     random(arguments.seed());
  const auto lengths = draw_row_lengths({t.rows, t.cols, t.row_mean, t.row_deviation, std::llround(t.row_mean * (1 + t.skew))}, random);

  // Rows of one nonzero have no span, so the others need more; and long rows span at least their length.
  const auto   wide  = std::count_if(lengths.begin(), lengths.end(), [](std::int64_t l) { return l > 1; });
  const double width = t.span * double(t.cols) * double(t.rows) / double(std::max<std::int64_t>(1, wide)) + 1;
  Placement    placement(t, random);
  RowBuilder   builder(predict(arguments));
  for (std::int64_t r = 0; r < t.rows; ++r) {
    for (std::int64_t c : placement.next_row(r, lengths[std::size_t(r)], std::llround(width))) builder.add(Index(c), random.uniform(-1, 1));
    builder.end_row();
  }
  return builder.take();
}

} // namespace

void add_twins(std::vector<Generator> &list)
{
  list.push_back({"twin",
                  "a twin of a matrix of the SuiteSparse collection, made from its published statistics",
                  "name",
                  0,
                  "cant",
                  {},
                  &predict,
                  &generate});
}

} // namespace petscspmv::bench
