#include "impls/sweeps/schedule.hpp"

#include <algorithm>
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

/// Levels of the rows of a block. Returns how many there are, or most + 1, without a look at further rows, where there
/// are more.
template <class Index>
Index find_levels(const Pattern<Index> &p, Side side, Index begin, Index end, std::int64_t most, UnsetVector<Index> &level)
{
  Index levels = 0;
  for (Index k = begin; k < end; ++k) {
    const Index r   = side == Side::lower ? k : begin + end - 1 - k;
    Index       own = 0;
    for (Index i = p.begin(side, r); i < p.end(side, r); ++i)
      if (p.col[i] >= begin && p.col[i] < end) own = std::max(own, level[at(p.col[i])] + 1);
    level[at(r)] = own;
    levels       = std::max(levels, own + 1);
    if (levels > most) break;
  }
  return levels;
}

/// Puts rows begin .. end - 1 into the slots of the same numbers, by keys, of which there are so many, and else as they
/// are. Returns where the slots of each key end.
template <class Index, class Key>
std::vector<Index> sort_rows(Index begin, Index end, std::size_t keys, const Key &key, UnsetVector<Index> &row, UnsetVector<Index> &slot)
{
  std::vector<Index> next(keys + 1, begin);
  for (Index r = begin; r < end; ++r) ++next[key(r) + 1];
  for (std::size_t k = 1; k <= keys; ++k) next[k] += next[k - 1] - begin;
  for (Index r = begin; r < end; ++r) {
    const Index s = next[key(r)]++;
    row[at(s)]    = r;
    slot[at(r)]   = s;
  }
  next.pop_back();
  return next;
}

/// Calls take(rows, the longest) for the slices of slots begin .. end - 1, which are of one key.
template <class Index, class Length, class Take> void each_slice(Index begin, Index end, Index most, const Length &length, const Take &take)
{
  for (Index s = begin, rows; s < end; s += rows) {
    rows          = std::min(most, end - s);
    Index longest = 0;
    for (Index k = s; k < s + rows; ++k) longest = std::max(longest, length(k));
    take(rows, longest);
  }
}

} // namespace

template <class Index> UnsetVector<Index> find_diagonal(Index rows, const Index *row_ptr, const Index *col, int threads)
{
  constexpr std::int64_t batch = 1 << 14;
  UnsetVector<Index>     diagonal(at(rows));
  runtime::for_each_batch(threads, rows, batch, [&](std::int64_t first, std::int64_t last) {
    for (auto r = static_cast<Index>(first); r < static_cast<Index>(last); ++r) {
      const Index *const from = col + row_ptr[r], *const to = col + row_ptr[r + 1];
      if (std::adjacent_find(from, to, std::greater_equal<>()) != to)
        throw FormatError("Sweeps need rows whose columns ascend; those of row " + std::to_string(r) + " do not.");
      const Index *const found = std::lower_bound(from, to, r);
      if (found == to || *found != r) throw FormatError("Sweeps need all entries of the diagonal; row " + std::to_string(r) + " has none.");
      diagonal[at(r)] = static_cast<Index>(found - col);
    }
  });
  return diagonal;
}

template <class Index>
Schedule<Index>::Schedule(const Pattern<Index> &p, Side side_, std::int64_t most_levels)
  : side(side_), row(at(p.rows)), slot(at(p.rows)), first{0}, begin{0}
{
  UnsetVector<Index> of(at(p.rows));
  levels = find_levels(p, side, Index(0), p.rows, most_levels, of);
  if (levels > most_levels) return;
  const auto key   = [&](Index r) { return at(of[at(r)]) * length_classes + at(length_class(p.length(side, r))); };
  const auto ends  = sort_rows(Index(0), p.rows, at(levels) * length_classes, key, row, slot);
  const auto longs = [](std::size_t k) { return k % length_classes == length_classes - 1; };
  for (std::size_t k = 0; k < ends.size(); ++k)
    each_slice<Index>(
      first.back(), ends[k], longs(k) ? 1 : tuning::slice_rows, [&](Index s) { return p.length(side, row[at(s)]); },
      [this](Index rows, Index longest) {
        first.push_back(first.back() + rows);
        begin.push_back(begin.back() + std::int64_t(longest) * rows);
      });
}

template <class Index>
Schedule<Index>::Schedule(const Pattern<Index> &p, Side side_, const std::vector<Index> &blocks, int threads)
  : side(side_), row(at(p.rows)), slot(at(p.rows)), first{0}, begin{0}, block(blocks.size()), level(at(p.rows)), others(at(p.rows) + 1)
{
  constexpr std::int64_t batch = 64; // blocks
  const auto             n     = static_cast<std::int64_t>(blocks.size()) - 1;
  UnsetVector<Index>     of(at(p.rows)), own(at(p.rows)); // levels and own entries by rows
  std::vector<Index>     most(at(n));                     // levels by blocks
  const auto             each_block = [&](const auto &work) {
    runtime::for_each_batch(threads, n, batch, [&work](std::int64_t from, std::int64_t to) {
      for (std::int64_t b = from; b < to; ++b) work(at(b));
    });
  };
  const auto slices_of = [&](std::size_t b, const auto &take) { // slots of a key follow one another
    const auto length  = [&](Index s) { return own[at(row[at(s)])]; };
    const auto is_long = [&](Index s) { return length(s) > tuning::long_row; };
    for (Index s = blocks[b], end; s < blocks[b + 1]; s = end) {
      for (end = s + 1; end < blocks[b + 1] && level[at(end)] == level[at(s)] && is_long(end) == is_long(s); ++end) { }
      each_slice<Index>(s, end, is_long(s) ? 1 : tuning::slice_rows, length, take);
    }
  };
  std::vector<std::int64_t> entries(at(n) + 1); // by blocks, later where they begin
  each_block([&](std::size_t b) {
    const Index from = blocks[b], to = blocks[b + 1];
    most[b] = find_levels(p, side, from, to, p.rows, of);
    for (Index r = from; r < to; ++r)
      own[at(r)] =
        static_cast<Index>(std::count_if(p.col + p.begin(side, r), p.col + p.end(side, r), [=](Index c) { return c >= from && c < to; }));
    const auto key = [&](Index r) { return at(of[at(r)]) * 2 + at(own[at(r)] > tuning::long_row); };
    sort_rows(from, to, at(most[b]) * 2, key, row, slot);
    for (Index s = from; s < to; ++s) {
      const Index r     = row[at(s)];
      level[at(s)]      = of[at(r)];
      others[at(s) + 1] = p.length(side, r) - own[at(r)];
    }
    slices_of(b, [&](Index rows, Index longest) {
      ++block[b + 1];
      entries[b + 1] += std::int64_t(longest) * rows;
    });
  });
  for (std::size_t b = 0; b < at(n); ++b) {
    levels = std::max(levels, most[b]);
    block[b + 1] += block[b];
    entries[b + 1] += entries[b];
  }
  first.resize(at(block.back()) + 1);
  begin.resize(first.size());
  each_block([&](std::size_t b) {
    Index        s = blocks[b], slice = block[b];
    std::int64_t entry = entries[b];
    slices_of(b, [&](Index rows, Index longest) {
      first[at(++slice)] = s += rows;
      begin[at(slice)]   = entry += std::int64_t(longest) * rows;
    });
  });
  others[0] = begin.back();
  for (std::size_t s = 0; s < at(p.rows); ++s) others[s + 1] += others[s];
}

template <class Index> std::vector<BlockBegin<Index>> Schedule<Index>::block_begins() const
{
  std::vector<BlockBegin<Index>> begins;
  begins.reserve(block.size());
  for (const Index slice : block) {
    const Index slot = first[at(slice)];
    begins.push_back({begin[at(slice)], others[at(slot)], slot, slice});
  }
  return begins;
}

template <class Index> std::size_t most_block_bytes(const std::vector<BlockBegin<Index>> &begins, std::size_t scalar)
{
  constexpr std::size_t arrays = 9, grain = 16;
  std::size_t           most = 0;
  for (std::size_t b = 0; b + 1 < begins.size(); ++b) {
    const auto &from = begins[b], &to = begins[b + 1];
    const auto  rows = at(to.slot - from.slot), slices = at(to.slice - from.slice), own = at(to.entry - from.entry),
               others_of = at(to.other - from.other);
    most = std::max(most, (4 * rows + 1 + own + others_of) * scalar + rows * sizeof(int) + own * sizeof(Place16) + slices * sizeof(Link) +
                            arrays * grain);
  }
  return most;
}

#define INSTANTIATE(I) \
  template UnsetVector<I> find_diagonal(I, const I *, const I *, int); \
  template std::size_t    most_block_bytes(const std::vector<BlockBegin<I>> &, std::size_t); \
  template struct Schedule<I>;
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)

} // namespace petscspmv::sweeps
