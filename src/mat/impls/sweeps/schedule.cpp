#include "impls/sweeps/schedule.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <functional>
#include <string>

#include "core/errors.hpp"
#include "core/for_each_type.hpp"
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

/// Rows by key(row), which is below `keys`; rows of one key keep their order.
template <class Index, class Rows, class Key> std::vector<Index> sorted(const Rows &rows, std::int64_t keys, const Key &key)
{
  std::vector<Index> next(at(keys) + 1), out(rows.size());
  for (const Index r : rows) ++next[at(key(r)) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  for (const Index r : rows) out[at(next[at(key(r))]++)] = r;
  return out;
}

template <class Index> std::vector<Index> levels_of(const Pattern<Index> &p, Side side, Index *levels)
{
  std::vector<Index> level(at(p.rows));
  for (Index k = 0; k < p.rows; ++k) {
    const Index r   = side == Side::lower ? k : p.rows - 1 - k;
    Index       own = 0;
    for (Index i = p.begin(side, r); i < p.end(side, r); ++i) own = std::max(own, level[at(p.col[i])] + 1);
    level[at(r)] = own;
    *levels      = std::max(*levels, own + 1);
  }
  return level;
}

} // namespace

template <class Index>
template <class Scalar>
Pattern<Index>::Pattern(const CsrView<Scalar, Index> &a, int threads) : rows(a.rows), row_ptr(a.row_ptr), col(a.col), diagonal(at(a.rows))
{
  constexpr std::int64_t batch = 1 << 14;
  if (a.rows != a.cols)
    throw FormatError("Sweeps need a square matrix, and this one is " + std::to_string(a.rows) + " x " + std::to_string(a.cols) + ".");
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

template <class Index> Schedule<Index>::Schedule(const Pattern<Index> &p, Side side_) : side(side_), slot(at(p.rows)), first{0}, begin{0}
{
  const auto               length = [&](Index r) { return p.length(side, r); };
  const std::vector<Index> level  = levels_of(p, side, &levels);
  row.resize(at(p.rows));
  for (Index r = 0; r < p.rows; ++r) row[at(r)] = r;
  row           = sorted<Index>(row, length_classes, [&](Index r) { return length_class(length(r)); });
  row           = sorted<Index>(row, levels, [&](Index r) { return level[at(r)]; });
  Index longest = 0;
  for (Index s = 0; s < p.rows; ++s) {
    const Index r    = row[at(s)];
    slot[at(r)]      = s;
    longest          = std::max(longest, length(r));
    const Index next = s + 1 < p.rows ? row[at(s + 1)] : -1, rows = s + 1 - first.back();
    if (next >= 0 && rows < tuning::slice_rows && level[at(next)] == level[at(r)] &&
        length_class(length(next)) == length_class(length(r)) && length(r) <= tuning::long_row)
      continue;
    first.push_back(s + 1);
    begin.push_back(begin.back() + std::int64_t(longest) * rows);
    longest = 0;
  }
}

template <class Index> void fill_entries(const Pattern<Index> &p, const Schedule<Index> &schedule, int threads, Index *slot, Index *source)
{
  constexpr std::int64_t batch = 1 << 9;
  runtime::for_each_batch(threads, static_cast<std::int64_t>(schedule.slices()), batch, [&](std::int64_t from, std::int64_t to) {
    for (std::size_t s = at(from); s < at(to); ++s) {
      const Index rows = schedule.first[s + 1] - schedule.first[s];
      for (Index q = 0; q < rows; ++q) {
        const Index row = schedule.row[at(schedule.first[s] + q)], end = p.end(schedule.side, row);
        Index       i = p.begin(schedule.side, row);
        for (std::int64_t k = schedule.begin[s] + q; k < schedule.begin[s + 1]; k += rows, ++i) {
          slot[k]   = i < end ? schedule.slot[at(p.col[i])] : Index(-1);
          source[k] = i < end ? i : Index(-1);
        }
      }
    }
  });
}

template <class Index> double device_seconds(const Schedule<Index> &lower, const Schedule<Index> &upper, std::size_t scalar_bytes)
{
  double seconds = tuning::device_call;
  for (const Schedule<Index> *s : {&lower, &upper}) {
    const double bytes = static_cast<double>(s->begin.back()) * static_cast<double>(scalar_bytes + sizeof(Index)) +
                         static_cast<double>(s->row.size()) * static_cast<double>(5 * scalar_bytes + sizeof(Index));
    seconds += std::max(static_cast<double>(s->levels) * tuning::device_level, bytes * tuning::device_byte);
  }
  return seconds;
}

template <class Index> double host_seconds(const Pattern<Index> &p)
{
  return tuning::host_call + static_cast<double>(p.row_ptr[p.rows]) * tuning::host_entry + static_cast<double>(p.rows) * tuning::host_row;
}

#define INSTANTIATE_PATTERN(S, I) template Pattern<I>::Pattern(const CsrView<S, I> &, int);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE_PATTERN)

#define INSTANTIATE(I) \
  template struct Schedule<I>; \
  template void   fill_entries(const Pattern<I> &, const Schedule<I> &, int, I *, I *); \
  template double device_seconds(const Schedule<I> &, const Schedule<I> &, std::size_t); \
  template double host_seconds(const Pattern<I> &);
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)

} // namespace petscspmv::sweeps
