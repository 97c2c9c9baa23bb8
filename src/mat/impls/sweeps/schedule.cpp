#include "impls/sweeps/schedule.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "core/errors.hpp"
#include "core/runtime.hpp"
#include "impls/sweeps/sweeps_tuning.hpp"

namespace petscspmv::sweeps {
namespace {

std::size_t at(std::int64_t i)
{
  return static_cast<std::size_t>(i);
}

/// Classes of lengths: up to 3 entries, 7, 15, 31, `long_row`, and longer. They bound what fills up shorter rows.
constexpr int              length_classes = 6;
template <class Index> int length_class(Index length)
{
  return length > tuning::long_row ? length_classes - 1 : std::bit_width(static_cast<unsigned>(length) / 4);
}

/// A row and its entries in its own block.
template <class Index> struct OwnEntries {
  Index level, length;
};

/// Of the rows of a block, from `*levels` on, which becomes the first after them. Throws FormatError where there are more than
/// `most`, without a look at further rows.
template <class Index>
void find_levels(const Pattern<Index> &p, Side side, Index begin, Index end, std::int64_t most, std::vector<OwnEntries<Index>> &of,
                 Index *levels)
{
  const Index first = *levels;
  for (Index k = begin; k < end; ++k) {
    const Index r   = side == Side::lower ? k : begin + end - 1 - k;
    Index       own = first, length = 0;
    for (Index i = p.begin(side, r); i < p.end(side, r); ++i)
      if (p.col[i] >= begin && p.col[i] < end) {
        own = std::max(own, of[at(p.col[i])].level + 1);
        ++length;
      }
    of[at(r)]    = {own, length};
    *levels      = std::max(*levels, own + 1);
    refuse_if_more(*levels, most);
  }
}

} // namespace

template <class Index> Index Pattern<Index>::square(Index rows, Index cols)
{
  if (rows == cols) return rows;
  throw FormatError("Sweeps need a square matrix, and this one is " + std::to_string(rows) + " x " + std::to_string(cols) + ".");
}

template <class Index>
Pattern<Index>::Pattern(Index rows_, const Index *row_ptr_, const Index *col_, int threads)
  : rows(rows_), row_ptr(row_ptr_), col(col_), diagonal(at(rows_))
{
  constexpr std::int64_t batch = 1 << 14;
  runtime::for_each_batch(threads, rows, batch, [this](std::int64_t first, std::int64_t last) {
    for (auto r = static_cast<Index>(first); r < static_cast<Index>(last); ++r) {
      const Index *const from = col + row_ptr[r], *const to = col + row_ptr[r + 1];
      if (std::adjacent_find(from, to, std::greater_equal<>()) != to)
        throw FormatError("Sweeps need rows whose columns ascend; those of row " + std::to_string(r) + " do not.");
      const Index *const found = std::lower_bound(from, to, r);
      if (found == to || *found != r) throw FormatError("Sweeps need all entries of the diagonal; row " + std::to_string(r) + " has none.");
      diagonal[at(r)] = static_cast<Index>(found - col);
    }
  });
}

template <class Index>
Schedule<Index>::Schedule(const Pattern<Index> &p, Side side_, std::int64_t most_levels, const std::vector<Index> &blocks)
  : side(side_), slot(at(p.rows)), first{0}, begin{0}
{
  const std::vector<Index>       bounds = blocks.empty() ? std::vector<Index>{0, p.rows} : blocks;
  std::vector<OwnEntries<Index>> of(at(p.rows));
  Index                          all = 0; // levels of all blocks
  for (std::size_t b = 0; b + 1 < bounds.size(); ++b) {
    const Index before = all;
    find_levels(p, side, bounds[b], bounds[b + 1], most_levels, of, &all);
    levels = std::max(levels, all - before);
  }
  const std::size_t  classes = blocks.empty() ? length_classes : 2; // the last one is of long rows
  const auto         key     = [&](Index r) {
    const auto [level, length] = of[at(r)];
    return at(level) * classes + at(blocks.empty() ? length_class(length) : length > tuning::long_row);
  };
  std::vector<Index> next(at(all) * classes + 1), length(at(p.rows)); // next slot of a key; length by slots
  for (Index r = 0; r < p.rows; ++r) ++next[key(r) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  row.resize(at(p.rows));
  for (Index r = 0; r < p.rows; ++r) {
    const Index s = next[key(r)]++;
    row[at(s)]    = r;
    slot[at(r)]   = s;
    length[at(s)] = of[at(r)].length;
  }
  for (std::size_t k = 0; k + 1 < next.size(); ++k) {
    const Index most = k % classes == classes - 1 ? 1 : tuning::slice_rows;
    for (Index s = first.back(), rows; s < next[k]; s += rows) {
      rows               = std::min(most, next[k] - s);
      const auto longest = *std::max_element(&length[at(s)], &length[at(s)] + rows);
      first.push_back(s + rows);
      begin.push_back(begin.back() + std::int64_t(longest) * rows);
    }
  }
  if (blocks.empty()) return;
  for (const Index b : blocks) block.push_back(static_cast<Index>(std::lower_bound(first.begin(), first.end(), b) - first.begin()));
  others.push_back(begin.back());
  for (Index s = 0; s < p.rows; ++s) others.push_back(others.back() + p.length(side, row[at(s)]) - length[at(s)]);
}

template <class Index> std::int64_t levels_worth_a_device(const Pattern<Index> &p)
{
  const double on_host =
    tuning::host_call + static_cast<double>(p.row_ptr[p.rows]) * tuning::host_entry + static_cast<double>(p.rows) * tuning::host_row;
  return static_cast<std::int64_t>((on_host - tuning::device_call) / tuning::device_level);
}

void refuse_if_more(std::int64_t levels, std::int64_t most)
{
  if (levels <= most) return;
  throw FormatError("With " + std::to_string(levels) + " levels of rows or more, a device is slower than the host, copies of the vectors " +
                    "included. Another order of the rows has fewer levels; -mat_spmv_sweeps exact uses the device all the same.");
}

#define INSTANTIATE(I) \
  template struct Pattern<I>; \
  template struct Schedule<I>; \
  template std::int64_t levels_worth_a_device(const Pattern<I> &);
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)

} // namespace petscspmv::sweeps
