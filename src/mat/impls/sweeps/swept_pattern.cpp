#include "impls/sweeps/swept_pattern.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/runtime.hpp"

namespace petscspmv::sweeps {
namespace {

std::size_t at(std::int64_t i)
{
  return static_cast<std::size_t>(i);
}

/// `order`: of its rows and columns.
template <class Index> MadePattern<Index> permuted(const Pattern<Index> &p, const Index *order, int threads)
{
  constexpr std::int64_t batch = 1 << 12;
  MadePattern<Index>     made;
  UnsetVector<Index>     place(at(p.rows));
  made.row_ptr.resize(at(p.rows) + 1);
  made.row_ptr[0] = 0;
  runtime::for_each_batch(threads, p.rows, batch, [&](std::int64_t first, std::int64_t last) {
    for (auto k = static_cast<Index>(first); k < static_cast<Index>(last); ++k) {
      place[at(order[k])]     = k;
      made.row_ptr[at(k) + 1] = p.row_ptr[order[k] + 1] - p.row_ptr[order[k]];
    }
  });
  for (Index k = 0; k < p.rows; ++k) made.row_ptr[at(k) + 1] += made.row_ptr[at(k)];
  made.col.resize(at(p.row_ptr[p.rows]));
  made.source.resize(made.col.size());
  runtime::for_each_batch(threads, p.rows, batch, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::pair<Index, Index>> row; // columns, and entries of p
    for (auto k = static_cast<Index>(first); k < static_cast<Index>(last); ++k) {
      row.clear();
      for (Index i = p.row_ptr[order[k]]; i < p.row_ptr[order[k] + 1]; ++i) row.emplace_back(place[at(p.col[i])], i);
      std::sort(row.begin(), row.end());
      auto to = at(made.row_ptr[at(k)]);
      for (const auto &[column, entry] : row) {
        made.col[to]      = column;
        made.source[to++] = entry;
      }
    }
  });
  return made;
}

/// The upper triangle of a pattern and its transpose.
template <class Index> MadePattern<Index> symmetrised(const Pattern<Index> &p)
{
  MadePattern<Index> made;
  auto &[row_ptr, col, source] = made;
  row_ptr.assign(at(p.rows) + 1, 0);
  for (Index r = 0; r < p.rows; ++r) {
    row_ptr[at(r) + 1] += p.length(Side::upper, r) + 1;
    for (Index i = p.begin(Side::upper, r); i < p.end(Side::upper, r); ++i) ++row_ptr[at(p.col[i]) + 1];
  }
  for (Index r = 0; r < p.rows; ++r) row_ptr[at(r) + 1] += row_ptr[at(r)];
  col.resize(at(row_ptr.back()));
  source.resize(col.size());
  std::vector<Index> next(row_ptr.begin(), row_ptr.end() - 1);
  const auto         put = [&](Index row, Index column, Index entry) {
    made.col[at(next[at(row)])]      = column;
    made.source[at(next[at(row)]++)] = entry;
  };
  for (Index r = 0; r < p.rows; ++r)
    for (Index i = p.diagonal[r]; i < p.row_ptr[r + 1]; ++i) {
      put(r, p.col[i], i);
      if (p.col[i] != r) put(p.col[i], r, i);
    }
  return made;
}

/// The columns of a row, ascending, while it is eliminated.
template <class Index> class EliminatedRow {
public:
  explicit EliminatedRow(Index rows) : rows_(rows), next_(at(rows) + 1), level_(at(rows), none) { }

  void start(const Index *from, const Index *to)
  {
    Index last = rows_; // before the first column, as it is after the last one
    for (; from != to; ++from) {
      level_[at(*from)] = 0;
      next_[at(last)]   = *from;
      last              = *from;
    }
    next_[at(last)] = rows_;
  }

  Index first() const { return next_[at(rows_)]; }
  Index next(Index column) const { return next_[at(column)]; }
  int   level(Index column) const { return level_[at(column)]; }

  /// `before`: a column of the row that is less.
  void add(Index column, int level, Index before)
  {
    int &own = level_[at(column)];
    if (own == none) {
      while (next(before) < column) before = next(before);
      next_[at(column)] = next(before);
      next_[at(before)] = column;
      own               = level;
    } else own = std::min(own, level);
  }

  /// Calls take(column, level) for all columns, and has none afterwards.
  template <class Take> void end(const Take &take)
  {
    for (Index c = first(); c != rows_; c = next(c)) {
      take(c, level(c));
      level_[at(c)] = none;
    }
  }

private:
  static constexpr int none = -1;
  Index                rows_;
  std::vector<Index>   next_;  ///< [rows + 1]
  std::vector<int>     level_; ///< [rows] `none`: not in the row
};

/// With fill up to `levels`.
template <class Index> MadePattern<Index> filled(const Pattern<Index> &p, int levels)
{
  MadePattern<Index>   made{{0}, {}, {}};
  std::vector<Index>   diagonal(at(p.rows)); // as in Pattern
  EliminatedRow<Index> row(p.rows);
  for (Index r = 0; r < p.rows; ++r) {
    row.start(p.col + p.row_ptr[r], p.col + p.row_ptr[r + 1]);
    for (Index k = row.first(); k < r; k = row.next(k))
      for (std::size_t i = at(diagonal[at(k)]) + 1; i < at(made.row_ptr[at(k) + 1]); ++i) {
        const auto sum = row.level(k) + static_cast<int>(std::max<Index>(-made.source[i], 0)) + 1;
        if (sum <= levels) row.add(made.col[i], sum, k);
      }
    Index given = p.row_ptr[r];
    row.end([&](Index column, int of) {
      if (column == r) diagonal[at(r)] = static_cast<Index>(made.col.size());
      made.col.push_back(column);
      made.source.push_back(of == 0 ? given++ : Index(-of));
    });
    if (made.col.size() > at(std::numeric_limits<Index>::max()))
      throw FormatError("Factors with fill of level " + std::to_string(levels) + " have more entries than the indices can number.");
    made.row_ptr.push_back(static_cast<Index>(made.col.size()));
  }
  return made;
}

} // namespace

template <class Index> void SweptPattern<Index>::become(MadePattern<Index> &&next, int threads)
{
  constexpr std::int64_t batch = 1 << 16;
  if (!made.source.empty()) // makes entries of this pattern those of the matrix
    runtime::for_each_batch(threads, std::ssize(next.source), batch, [&](std::int64_t first, std::int64_t last) {
      for (Index *entry = &next.source[at(first)]; entry != next.source.data() + last; ++entry)
        if (*entry >= 0) *entry = made.source[at(*entry)];
    });
  made     = std::move(next);
  diagonal = find_diagonal(pattern.rows, made.row_ptr.data(), made.col.data(), threads);
  pattern  = {pattern.rows, made.row_ptr.data(), made.col.data(), diagonal.data()};
}

template <class Index>
SweptPattern<Index>::SweptPattern(Index rows, Index cols, const Index *row_ptr, const Index *col, const Index *order, int threads)
{
  if (rows != cols)
    throw FormatError("Sweeps need a square matrix, and this one is " + std::to_string(rows) + " x " + std::to_string(cols) + ".");
  diagonal = find_diagonal(rows, row_ptr, col, threads);
  pattern  = {rows, row_ptr, col, diagonal.data()};
  if (order) become(permuted(pattern, order, threads), threads);
}

template <class Index> void SweptPattern<Index>::symmetrise(int threads)
{
  become(symmetrised(pattern), threads);
}

template <class Index> void SweptPattern<Index>::fill(int levels, int threads)
{
  if (levels > 0) become(filled(pattern, levels), threads);
}

template struct SweptPattern<std::int32_t>;
template struct SweptPattern<std::int64_t>;

} // namespace petscspmv::sweeps
